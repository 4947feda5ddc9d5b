"""The spread of one column of numbers with weights of sum 1: deviation, quartiles, median absolute deviation.

With equal weights each is the usual one: the deviation divides by n - 1, quantiles interpolate between order
statistics, the median of an even number of values is the mean of the middle two.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from mercer.errors import warn
from mercer.typing import Array

NORMAL_MAD = 1.0 / float(ndtri(0.75))  # 1.4826: the deviation of a normal distribution, by its MAD
NORMAL_IQR = 2.0 * float(ndtri(0.75))  # 1.349: the distance of the quartiles of a standard normal distribution
_TIE = 1e-12  # of the total weight: rounding of cumulated weights


def deviation(x: Array, weight: Array, size: float) -> float:
    """The square root of sum w (x - mean)^2 size / (size - 1)."""
    off = x - weight @ x
    return float(np.sqrt(weight @ off**2 * (size / (size - 1.0))))


def median(x: Array, weight: Array) -> float:
    """The middle of all numbers with at most half of the weight on either side."""
    order = np.argsort(x, kind="stable")
    below = np.cumsum(weight[order])
    low = int(np.searchsorted(below, 0.5 - _TIE))
    high = int(np.searchsorted(below, 0.5 + _TIE))
    last = len(x) - 1
    return float(x[order[min(low, last)]] + x[order[min(high, last)]]) / 2.0


def interquartile_range(x: Array, weight: Array) -> float:
    """The distance of the quartiles."""
    order = np.argsort(x, kind="stable")
    w, middle = weight[order], np.cumsum(weight[order]) - weight[order] / 2.0
    place = (middle - w[0] / 2.0) / (1.0 - w[0] / 2.0 - w[-1] / 2.0)
    low, high = np.interp((0.25, 0.75), place, x[order])
    return float(high - low)


def robust_deviation(x: Array, weight: Array, size: float) -> float:
    """1.4826 median|x - median(x)|, and the standard deviation, with a warning, where that is 0.

    It is 0 where more than half of the weight lies on one value.
    """
    mad = median(abs(x - median(x, weight)), weight)
    if mad > 0.0:
        return NORMAL_MAD * mad
    warn("bandwidth: the median absolute deviation is 0, because half of the values are equal; the standard deviation "
         "is used instead.", UserWarning)  # fmt: skip
    return deviation(x, weight, size)


def narrow_scale(x: Array, weight: Array, size: float) -> float:
    """The smaller of the deviation and of that by quartiles, which long tails or a second mode inflate less."""
    quartiles = interquartile_range(x, weight) / NORMAL_IQR
    whole = deviation(x, weight, size)
    return min(whole, quartiles) if quartiles > 0.0 else whole
