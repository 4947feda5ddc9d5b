"""The best bandwidth by a criterion: the best rung of a geometric ladder, then the root of the slope beside it.

Rungs are given by their rates c = 1 / (2 h^2), which double from one to the next, so that exponentials are squared.
The root of a slope is found to full precision, while values of a criterion near its optimum differ by rounding only.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from mercer.typing import Array

TOP = 2.0  # deviations: the largest bandwidth that is tried
PATIENCE = 5  # rungs below the best one that must be worse: bandwidths down to 0.18 of the best
_STEP = float(np.log(2.0) / 2.0)  # of log h between rungs
_BATCH = 4  # rungs that are tried together
_LONGEST = 96  # rungs: the last bandwidth is 1e-14 of the first

Values = Callable[[Array], Array]
Slope = Callable[[float], float]


def best_bandwidth(values: Values, slope: Slope, longest: int = _LONGEST, patience: int = PATIENCE) -> float:
    """The h that minimises a criterion: `values` of an array of rates, and `slope` in log h at one log h.

    From TOP down, until so many rungs in a row are worse than the best.
    """
    rates = 0.5 / TOP**2 * np.exp2(np.arange(longest))
    found, best = np.empty(0), 0
    while len(found) < longest and len(found) <= best + patience:
        found = np.concatenate([found, values(rates[len(found) : len(found) + _BATCH])])
        best = int(np.argmin(found))
    return _refined(slope, float(-0.5 * np.log(2.0 * rates[best])))


def rate(u: float) -> float:
    """c = 1 / (2 h^2) for u = log h."""
    return 0.5 * float(np.exp(-2.0 * u))


def _refined(slope: Slope, u: float) -> float:
    """exp of the root of `slope` within one rung of u; exp(u) where it does not change its sign."""
    middle = slope(u)
    low, high = (u, u + _STEP) if middle < 0.0 else (u - _STEP, u)
    outer = slope(high if middle < 0.0 else low)
    if middle * outer >= 0.0:
        return float(np.exp(u))
    return float(np.exp(brentq(slope, low, high, xtol=1e-13, rtol=1e-13)))
