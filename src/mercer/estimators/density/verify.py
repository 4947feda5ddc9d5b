"""Densities at the training points, computed again over all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from mercer.estimators.density.kernel_density import KernelDensity
from mercer.solvers.density.proof import DensityProof

_POINTS = 200


def verify_density(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> DensityProof:
    """The error of the model's densities, ours or scikit-learn's, at up to 200 rows of X, against all pairs."""
    check_is_fitted(model)
    ours = isinstance(model, KernelDensity)
    same = clone(model) if ours else KernelDensity(bandwidth=model.bandwidth_, kernel=model.kernel, metric=model.metric)
    exact = same.set_params(method="exact", rtol=0.0, atol=0.0).fit(X, sample_weight=sample_weight)
    rows = np.asarray(X)[np.linspace(0, len(X) - 1, min(len(X), _POINTS)).astype(int)]
    with np.errstate(invalid="ignore"):
        apart = np.abs(np.expm1(model.score_samples(rows) - exact.score_samples(rows)))
    worst = float(np.nan_to_num(apart, nan=0.0).max())  # -inf - -inf: a row of weight 0, in no window
    return DensityProof(worst, float(model.rtol), len(rows), model.method_ if ours else "scikit-learn")
