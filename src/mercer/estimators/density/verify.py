"""Densities at the training points, computed again over all pairs: of one sample, of classes, by neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from mercer.errors import bad
from mercer.estimators.base import weights
from mercer.estimators.density.kernel_density import KernelDensity
from mercer.solvers.density.proof import DensityProof
from mercer.typing import Array
from mercer.windows.window import log_sphere_area

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


def verify_classes(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> DensityProof:
    """The same for the density of every class; the proof with the largest error."""
    check_is_fitted(model)
    X, y = _training_rows(model, X), np.asarray(y)
    if y.shape != (len(X),):
        raise bad("verify", "y", "the labels of the fit", "None" if y.ndim == 0 else f"shape {y.shape}", "Pass them.")
    w = weights("verify", sample_weight, len(X))
    own = [(y == label) & (w > 0.0) for label in model.classes_]
    proofs = [verify_density(p, X[c], None, w[c]) for p, c in zip(model.densities_, own, strict=True)]
    return max(proofs, key=lambda proof: proof.error)


def verify_neighbours(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> DensityProof:
    """The densities at up to 200 rows against K / (N V), with V from the distances of all rows."""
    check_is_fitted(model)
    X = _training_rows(model, X)
    rows = X[np.linspace(0, len(X) - 1, min(len(X), _POINTS)).astype(int)]
    distances = np.sort(np.sqrt(((rows[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)), axis=1)
    radius = distances[:, model.n_neighbors - 1]
    radius = np.where(radius > 0.0, radius, np.where(distances > 0.0, distances, np.inf).min(axis=1))
    inside = (distances <= radius[:, None] * (1.0 + 1e-12)).sum(axis=1)  # rows at the same distance are counted
    D = X.shape[1]
    exact = np.log(inside / len(X)) - (log_sphere_area(D) - np.log(D) + D * np.log(radius))
    error = float(np.abs(np.expm1(model.score_samples(rows) - exact)).max())
    return DensityProof(error, 0.0, len(rows), "tree")


def _training_rows(model: Any, X: Any) -> Array:
    """The rows of the fit as numbers, of its number of columns."""
    X = check_array(X, dtype=np.float64)
    if X.shape[1] != model.n_features_in_:
        raise bad("verify", "X", f"the rows of the fit, with {model.n_features_in_} columns", f"{X.shape[1]} columns",
                  "Pass the training data.")  # fmt: skip
    return np.asarray(X)
