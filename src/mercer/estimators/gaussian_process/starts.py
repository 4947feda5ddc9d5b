"""Kernels by name, with starts and bounds from the data.

A kernel object says where its search starts; a name says only its form.  The units then come from the data:
lengthscales from the deviation of every column (estimators/robust_scale.py), variances from that of the targets.
As theta is the logarithm of these, the search is the same as on standardised inputs and targets, and answers stay in
the user's own units.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.estimators.robust_scale import centre_and_deviation
from mercer.items import Vectors
from mercer.kernels import RBF, Bounded, Constant, Exponential, Kernel, Linear, Matern, RationalQuadratic, Scaled
from mercer.typing import Array

_NEAR, _FAR = 1e-2, 1e3  # bounds of a lengthscale, in standard deviations of its column
_FAINT, _STRONG = 1e-4, 1e4  # bounds of a variance, in that of the targets
_NOISE = 0.1  # where the noise starts, in the variance of the targets
_SILENT = 1e-8  # its lower bound

STATIONARY: dict[str, Callable[[Any], Kernel]] = {
    "rbf": RBF,
    "matern": lambda lengthscale: Matern(lengthscale, nu=2.5),
    "exponential": Exponential,
    "rational_quadratic": RationalQuadratic,
}
NAMES = (*STATIONARY, "linear")


def named_kernel(name: str, X: Any, y: Array) -> Kernel:
    """variance * kernel, one lengthscale per column; "linear" is a variance for the slopes and one for the level."""
    spread = _spread(X)
    variance = target_variance(y)
    if name == "linear":
        unit = variance / float(np.sum(spread**2))
        return Scaled(Linear(), _within(unit, _FAINT, _STRONG)) + Constant(_within(variance, _FAINT, _STRONG))
    start = spread * np.sqrt(len(spread))  # pairs of standardised points are about sqrt(2 columns) apart
    lengthscale = Bounded(tuple(start), float(_NEAR * spread.min()), float(_FAR * spread.max()))
    return Scaled(STATIONARY[name](lengthscale), _within(variance, _FAINT, _STRONG))


def learned_noise(y: Array) -> Bounded:
    """A noise variance between nothing and all of the targets' variance."""
    variance = target_variance(y)
    return Bounded(_NOISE * variance, _SILENT * variance, 10.0 * variance)


def _within(start: float, low: float, high: float) -> Bounded:
    return Bounded(start, low * start, high * start)


def target_variance(y: Array) -> float:
    """The mean variance of the targets; 1 when they are all equal."""
    with np.errstate(over="ignore", invalid="ignore"):
        variance = float(np.mean(np.var(y, axis=0)))
    if not np.isfinite(variance):
        raise bad("GaussianProcessRegressor", "y", "of a size whose square is a number",
                  f"{np.abs(y).max():.1e}", "Choose a larger unit for it.")  # fmt: skip
    return variance if variance > 0.0 else 1.0


def _spread(X: Any) -> Array:
    """The deviation of every column, 1 where it is constant."""
    spread = centre_and_deviation(X.values if isinstance(X, Vectors) else X)[1]
    return np.where(spread > 0.0, spread, 1.0)
