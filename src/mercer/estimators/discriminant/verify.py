"""The proof of a kernel discriminant analysis, made again from the data and its coefficients alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.errors import bad
from mercer.estimators.labels import Labels
from mercer.solvers.discriminant import class_targets
from mercer.solvers.ridge import Expansion, RidgeCertificate, Targets, certify_ridge


def verify_discriminant(model: Any, X: Any, y: Any, sample_weight: Any) -> RidgeCertificate:
    """The normal equations of the regressions that the axes come from: (K + delta I) a + b 1 = Y P."""
    check_is_fitted(model)
    if y is None:
        raise bad("verify", "y", "the labels of the fit", "None", "Pass them.")
    if sample_weight is not None:
        raise bad("verify", "sample_weight", "None for KernelLDA", "weights", "Leave them out.")
    X, y = model._checked(X, y, reset=False)
    labels, data = Labels.of("verify", y), model._data(X).double()
    a = model._coef_columns
    if len(data) != len(a):
        raise bad("verify", "X", f"the {len(a)} items the model was fitted on", f"{len(data)} items",
                  "Pass the training data in their order.")  # fmt: skip
    found = model._classes
    Y = class_targets(labels.codes, len(labels.classes)) @ found.projection
    gram, targets = data.gram(), Targets(Y, np.ones(len(y)), intercept=True)
    Ka = gram @ np.column_stack([a, np.ones(len(a))])
    unit = float(np.mean(gram.diag())) - float(Ka[:, -1].mean()) / len(a)
    answer = Expansion(a, model.intercept_ + found.centre @ found.projection)
    return certify_ridge(targets, answer, model.shrinkage_ * (unit if unit > 0.0 else 1.0), Ka[:, :-1], psd=data.psd)
