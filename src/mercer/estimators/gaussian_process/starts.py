"""Where a search starts: kernels by name with starts and bounds from the data, and a second start for all kernels.

A kernel object says where its search starts; a name says only its form.  Starts and bounds then come from the data:
lengthscales from the deviation of every column (estimators/robust_scale.py), variances from that of the targets.
As theta is the logarithm of these, the search is the same as on standardised inputs and targets, and results stay in
the user's own units.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.distributed import Rows
from mercer.distributed.columns import column
from mercer.errors import bad
from mercer.estimators.gaussian_process.covariance import Covariance
from mercer.estimators.robust_scale import centre_and_deviation
from mercer.items import Vectors
from mercer.kernels import RBF, Bounded, Constant, Exponential, Kernel, Linear, Matern, RationalQuadratic, Scaled
from mercer.typing import Array

_SHORTEST, _LONGEST = 1e-2, 1e3  # bounds of a lengthscale, in standard deviations of its column
_LOW, _HIGH = 1e-4, 1e4  # bounds of a variance, in units of that of the targets
_NOISE, _LEAST_NOISE, _MOST_NOISE = 0.1, 1e-8, 10.0  # start and bounds of the noise, in the same units
_TINIEST, _HUGEST = 1e-120, 1e120  # variance of targets whose squares, with those bounds, are numbers
_SHORTER, _QUIETER = 1.5, 2.0  # of the second start, in theta: lengthscales / 4.5 and noise / 7

STATIONARY: dict[str, Callable[[Any], Kernel]] = {
    "rbf": RBF,
    "matern": lambda lengthscale: Matern(lengthscale, nu=2.5),
    "exponential": Exponential,
    "rational_quadratic": RationalQuadratic,
}
NAMES = (*STATIONARY, "linear")


def named_kernel(name: str, X: Any, y: Array) -> Kernel:
    """variance * kernel, one lengthscale per column; "linear" is a variance of the slopes and one of the constant."""
    spread = _spread(X)
    variance = target_variance(y)
    if name == "linear":
        unit = variance / float(np.sum(spread**2))
        return Scaled(Linear(), _within(unit, _LOW, _HIGH)) + Constant(_within(variance, _LOW, _HIGH))
    start = spread * np.sqrt(len(spread))  # pairs of standardised points are about sqrt(2 columns) apart
    lengthscale = Bounded(tuple(start), float(_SHORTEST * spread.min()), float(_LONGEST * spread.max()))
    return Scaled(STATIONARY[name](lengthscale), _within(variance, _LOW, _HIGH))


def learned_noise(y: Array) -> Bounded:
    """The noise variance of noise="learn"."""
    variance = target_variance(y)
    return Bounded(_NOISE * variance, _LEAST_NOISE * variance, _MOST_NOISE * variance)


def _within(start: float, low: float, high: float) -> Bounded:
    return Bounded(start, low * start, high * start)


def target_variance(y: Array) -> float:
    """The mean variance of the targets; 1 when they are all equal."""
    with np.errstate(over="ignore", invalid="ignore"):
        variance = float(np.mean(np.var(y, axis=0)))
    if not np.isfinite(variance):
        raise bad("GaussianProcessRegressor", "y", "small enough for its squares to be finite",
                  f"{np.abs(y).max():.1e}", "Express it in a larger unit.")  # fmt: skip
    return variance if variance > 0.0 else 1.0


def require_moderate(y: Array, method: str) -> None:
    """Raise if the squares of variances like that of the targets are not numbers."""
    if not _TINIEST <= target_variance(y) <= _HUGEST:
        rule = f"of a standard deviation between 1e-60 and 1e60 for a kernel by name and method={method!r}"
        raise bad("GaussianProcessRegressor", "y", rule, f"{np.sqrt(target_variance(y)):.1e}",
                  "Express it in another unit, or use normalize_y=True.")  # fmt: skip


def _spread(X: Any) -> Array:
    """The deviation of every column, 1 where it is constant."""
    if isinstance(X, Rows):  # a column at a time
        spread = np.concatenate([centre_and_deviation(column(X, j)[:, None])[1] for j in range(X.shape[1])])
    else:
        spread = centre_and_deviation(X.values if isinstance(X, Vectors) else X)[1]
    return np.where(spread > 0.0, spread, 1.0)


def shorter_lengthscales(covariance: Covariance) -> list[Array]:
    """A second start, with shorter lengthscales and less noise; none for a kernel without lengthscales.

    A function that varies slowly under much noise, and one that varies fast under little, are often two maxima of the
    evidence; which of them a climb finds depends on its start.
    """
    theta, names = covariance.theta, covariance.names
    lengths, noise = (np.array([key in name for name in names], dtype=bool) for key in ("lengthscale", "noise"))
    return [theta - _SHORTER * lengths - _QUIETER * noise] if lengths.any() else []
