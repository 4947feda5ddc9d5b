"""The search along a Newton direction: scores on a line need no product with K, so that the search can be exact.

Losses whose curvature jumps need that: the best step may be a small share of the direction.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mercer.solvers.risk.summed_loss import Target
from mercer.typing import Array

_ROUNDING = 1e-13


def line_search(target: Target, f: Array, df: Array, linear: float, square: float, first: float) -> float:
    """The share t at which linear + t square + the slope of the target at f + t df along df is nearly zero.

    `first` is that sum at t = 0; if it is not negative the direction does not descend, and 0 is returned.
    """

    def slope(t: float) -> float:
        with np.errstate(invalid="ignore", over="ignore"):
            along = linear + t * square + float((target.slopes(f + t * df) * df).sum())
        return along if np.isfinite(along) else np.inf

    def lower(t: float) -> bool:
        rise = t * linear + 0.5 * t * t * square + target.value(f + t * df) - here
        return rise <= _ROUNDING * abs(here)

    here = target.value(f)
    return root(slope, lower, first) if first < 0.0 else 0.0


def root(slope: Callable[[float], float], lower: Callable[[float], bool], first: float) -> float:
    """Where an increasing slope that is `first` < 0 at 0 is at most a tenth of that in size: 1 if it can be.

    By secants between the two ends of a bracket, or by halving it when the last secant gained less than that.  Past the
    minimum, where the slope is positive, the value must still be `lower` than at 0.
    """
    low, at_low = 0.0, first
    high, at_high = np.inf, np.inf
    t, width = 1.0, np.inf
    for _ in range(200):
        now = slope(t)
        if abs(now) <= 0.1 * abs(first) and (now <= 0.0 or lower(t)):
            return t
        if now < 0.0:
            low, at_low = t, now
            at_high *= 0.5  # the end that stays counts half: secants could otherwise be slow (Illinois rule)
        else:
            high, at_high = t, now
            at_low *= 0.5
        fast, width = high - low <= 0.5 * width, high - low
        if not np.isfinite(high):
            t = 2.0 * t
        elif fast and np.isfinite(at_high):
            t = (low * at_high - high * at_low) / (at_high - at_low)
        else:
            t = 0.5 * (low + high)
        if not low < t < high:
            break
    return low
