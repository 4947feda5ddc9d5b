"""Predictions of a regressor that is not fitted: the moments of its prior, as in scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.estimators.gaussian_process.means import mean_for
from mercer.estimators.gaussian_process.model import kernel_of, mean_name, noise_of
from mercer.estimators.gaussian_process.targets import Units
from mercer.items import Vectors
from mercer.kernels.base import gram_of
from mercer.kernels.checked_values import diagonal


def prior_moments(gp: Any, X: Any, return_std: bool, return_cov: bool, of: str | None) -> Any:
    """Mean, and standard deviation or covariance, of f (or y) at items X, for n_targets outputs."""
    owner, units = type(gp).__name__, Units.plain(gp.n_targets or 1)
    kernel, foreign = kernel_of(gp, X, None)
    if kernel is None:
        raise bad(owner, "kernel", "computable for a prior", "a precomputed matrix", "Fit first.")
    if mean_name(gp) in ("constant", "linear") and gp.mean != "auto":
        raise bad(owner, "mean", "known before there are data", repr(gp.mean), "Fit first, or give a function.")
    A = kernel.prepare(X)
    m = len(A)
    mean = mean_for(owner, "zero" if gp.mean == "auto" else gp.mean, X, vectors=isinstance(X, Vectors))
    M = units.mean(np.broadcast_to(mean.offset(X, m), (m, units.outputs)))
    noisy = of == "y" or (of is None and foreign is not None)
    extra = noise_of(gp, foreign, np.zeros((1, 1))).value if noisy else 0.0
    if return_cov:
        C = np.array(gram_of(kernel, A, A), dtype=float)
        C.flat[:: m + 1] += extra
        return M, units.covariance(C)
    if return_std:
        return M, units.std(np.asarray(diagonal(kernel, A), dtype=float) + extra)
    return M
