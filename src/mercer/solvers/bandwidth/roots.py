"""The largest root of an equation for log h: from above down to the first change of sign, then by bracketing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

_STEP = float(np.log(1.25))  # between values at which a change of sign is looked for


def largest_root(excess: Callable[[float], float], low: float, high: float) -> float | None:
    """exp(u) for the largest root u of `excess` in (low, high) at which it turns from - to +; None if there is none."""
    above = excess(high)
    while high > low:
        below = excess(high - _STEP)
        if below <= 0.0 < above:
            return float(np.exp(brentq(excess, high - _STEP, high, xtol=1e-14, rtol=1e-14)))
        high, above = high - _STEP, below
    return None
