"""Grids by name: the parameters to try, and the scaler of the columns that they are meant for.

libsvm    gamma in 2^-15, 2^-13, ..., 2^3 and C in 2^-5, 2^-3, ..., 2^15, as in the guide to LIBSVM: 110 points
auto      lengthscales of 1/8 to 8 times the median distance, without those at which the kernel is less than half as
          aligned with the targets as at the best of them, and 5 values of C (or of alpha = 1 / C): 35 points at most

"auto" looks at all items of a search and their targets.  So the scores of its folds are a little too good, as is the
best of many scores in any search.  For an unbiased score put the whole search into cross-validation.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from mercer.errors import bad
from mercer.estimators.kernel_argument import written
from mercer.estimators.robust_scale import centre_and_deviation, pulled_in
from mercer.estimators.sklearn_private import safe_indexing
from mercer.items import Vectors
from mercer.items.vectors import is_sparse
from mercer.kernels import RBF
from mercer.selection.kernel_heuristics import alignment, median_lengthscale
from mercer.typing import Array

LIBSVM = {"C": [2.0**e for e in range(-5, 16, 2)], "gamma": [2.0**e for e in range(-15, 4, 2)]}
GRIDS = ("auto", "libsvm")
TIMES = [2.0**e for e in range(3, -4, -1)]  # the median distance; wide kernels first, as the first of equal scores wins
COSTS = [2.0**e for e in range(-3, 10, 3)]
ALIGNED = 0.5  # share of the best alignment below which a lengthscale is dropped
SAMPLE = 500  # items from which the alignment is estimated


def named_grid(name: str, estimator: Any, X: Any, y: Any) -> dict[str, list[float]]:
    """The grid of that name, for the last step of a Pipeline or for the machine itself."""
    if name not in GRIDS:
        raise bad("KernelSearchCV", "param_grid", "a grid, a list of grids, 'libsvm' or 'auto'", repr(name),
                  "e.g. {'C': [1, 10]}.")  # fmt: skip
    piped = isinstance(estimator, Pipeline)
    machine = estimator[-1] if piped else estimator
    grid = _libsvm(machine) if name == "libsvm" else _auto(estimator, machine, X, y)
    prefix = f"{estimator.steps[-1][0]}__" if piped else ""
    return {prefix + key: values for key, values in grid.items()}


# ---- libsvm


def _libsvm(machine: Any) -> dict[str, list[float]]:
    if getattr(machine, "kernel", None) not in ("rbf", "poly", "sigmoid") or not hasattr(machine, "C"):
        raise bad("KernelSearchCV", "estimator", "one with C and gamma for the grid 'libsvm'", repr(machine),
                  "Use SVC(kernel='rbf').")  # fmt: skip
    return LIBSVM


# ---- auto


def _auto(estimator: Any, machine: Any, X: Any, y: Any) -> dict[str, list[float]]:
    given = getattr(machine, "kernel", None)
    by_gamma = isinstance(given, str) and given == "rbf" and hasattr(machine, "gamma")
    kernel = RBF(1.0) if by_gamma else written(given)
    if kernel is None or kernel.items is not Vectors or not hasattr(kernel, "lengthscale"):
        raise bad("KernelSearchCV", "estimator", "one whose kernel compares rows of numbers by a lengthscale for the "
                  "grid 'auto'", repr(machine), "Use kernel='rbf' or e.g. kernel=Matern(1.0), or pass a grid such as "
                  "{'C': [0.1, 1.0, 10.0]}.")  # fmt: skip
    scales = aligned_lengthscales(kernel, _as_machine_sees(estimator, X, y), _targets(machine, y))
    grid = {"gamma": [0.5 / s**2 for s in scales]} if by_gamma else {"kernel__lengthscale": scales}
    return grid | _costs(machine)


def _as_machine_sees(estimator: Any, X: Any, y: Any) -> Any:
    """The items after the steps before the machine, fitted to all of them."""
    scaler = scaler_for("auto", estimator, X)
    if scaler is not None:
        return scaler.fit_transform(X)
    return clone(estimator[:-1]).fit_transform(X, y) if len(estimator) > 1 else X


def _costs(machine: Any) -> dict[str, list[float]]:
    """Values of C or alpha, the weakest regularisation last; none for a machine that has neither as a number."""
    if hasattr(machine, "C"):
        return {"C": COSTS}
    return {"alpha": [1.0 / C for C in COSTS]} if isinstance(getattr(machine, "alpha", None), float | int) else {}


def _targets(machine: Any, y: Any) -> Array | None:
    """Codes of classes, or numbers; None if there are no targets or several columns of them."""
    if y is None or np.ndim(y) != 1:
        return None
    if is_classifier(machine):
        return np.asarray(np.unique(y, return_inverse=True)[1])
    return pulled_in(np.asarray(y, dtype=float)[:, None])[:, 0]


def aligned_lengthscales(kernel: Any, X: Any, y: Array | None) -> list[float]:
    """Lengthscales around the median distance, without those of poor alignment."""
    median = median_lengthscale(X)
    scales = [median * times for times in TIMES]
    if y is None:
        return scales
    sample = np.sort(check_random_state(0).permutation(len(y))[:SAMPLE])
    items = safe_indexing(X, sample)
    inner = _without_outliers(kernel.with_params(lengthscale=scales[0])(items))
    items, targets = safe_indexing(items, inner), y[sample[inner]]
    found = np.array([alignment(kernel.with_params(lengthscale=scale)(items), targets) for scale in scales])
    return [scale for scale, a in zip(scales, found, strict=True) if a >= ALIGNED * found.max()]


def _without_outliers(K: Array) -> Array:
    """The items that are not outliers under K, the kernel that is widest; an outlier would dominate the alignment."""
    similarity = K.mean(axis=1)
    return np.flatnonzero(similarity >= 0.5 * np.median(similarity))


# ---- scalers


class SteadyScaler(StandardScaler):  # type: ignore[misc]
    """StandardScaler with a centre and a deviation of every column that a few outliers do not move."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the centres and deviations of the columns; y and the weights are ignored."""
        with np.errstate(over="ignore", invalid="ignore"):
            super().fit(X, y)  # the checks and the names of the columns
            self.mean_, deviation = centre_and_deviation(X)
            self.scale_ = np.where(deviation > 0.0, deviation, 1.0)
            self.var_ = self.scale_**2
        return self


def scaler_for(grid: Any, estimator: Any, X: Any) -> StandardScaler | None:
    """The scaler that a grid by name puts before a machine; None for other grids, and for a Pipeline.

    Sparse rows are not centred: distances, and so radial kernels, do not depend on the centre.
    """
    if not isinstance(grid, str) or isinstance(estimator, Pipeline):
        return None
    return (SteadyScaler if grid == "auto" else StandardScaler)(with_mean=not is_sparse(X))
