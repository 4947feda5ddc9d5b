"""The proof of local fits, made again from the data and the bandwidth."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.errors import bad
from mercer.estimators.base import weights
from mercer.estimators.regressor import columns_of
from mercer.estimators.smoothing.mixed_columns import checked
from mercer.solvers.local_regression import LocalProblem, NormalEquations, prove


def verify(model: Any, X: Any, y: Any, sample_weight: Any = None) -> NormalEquations:
    """The normal equations at all training points, against what the model predicts there."""
    check_is_fitted(model)
    if y is None:
        raise bad("verify", "y", "the targets of the fit", "None", "Pass them.")
    V, w = checked(model, X, reset=False), weights("verify", sample_weight, len(X))
    used = np.flatnonzero(w)
    Z, codes = model._columns.split("verify", V[used])
    Y, fitted = columns_of(np.asarray(y, dtype=float))[used], columns_of(np.asarray(model.fitted_values_))
    if len(Z) != len(fitted):
        raise bad("verify", "X", f"the {len(fitted)} samples the model was fitted on", f"{len(Z)} samples",
                  "Pass the training data in their order.")  # fmt: skip
    old = model._problem
    problem = LocalProblem(Z, codes, old.levels, Y, w[used], old.window, old.degree)
    return prove(problem, model._width, problem.own, fitted)
