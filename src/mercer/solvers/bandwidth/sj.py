"""The bandwidth of Sheather and Jones: the normal reference, with the curvature of the density estimated in its place.

The best bandwidth is h = (1 / (2 sqrt(pi) n S))^(1/5), S = the integral of f''^2.  S is estimated from the data at a
bandwidth a(h) of its own, so that this is an equation for h:

    S(a) = sum_ij phi''''(|x_i - x_j| / a) / (n (n - 1) a^5)
    a(h) = 1.357 (S(a_0) / T(b_0))^(1/7) h^(5/7)

T is the integral of f'''^2; a_0 and b_0 are those of normal data.  The sums over pairs are sums over lags.

S. J. Sheather and M. C. Jones (1991), A reliable data-based bandwidth selection method, JRSS B 53.
"""

from __future__ import annotations

import numpy as np

from mercer.solvers.bandwidth.binned import GAP, Lags, shortened
from mercer.solvers.bandwidth.roots import largest_root
from mercer.solvers.bandwidth.scale import narrow_scale
from mercer.typing import Array

_PILOTS = 1.24, 1.23  # times scale n^(-1/7), n^(-1/9): a_0 and b_0, 0.920 and 0.912 times the distance of the quartiles
_LINK = 1.357
_FIRST_BINS, _MOST_BINS = 2**12, 2**20
_FINE = 50.0  # grid steps in a bandwidth, at least: its relative error by binning is then below 1e-4
_RANGE = 1e-3, 3.0  # times scale n^(-1/5): where the root is looked for
_TINY = float(np.finfo(float).tiny)  # in place of a curvature <= 0
_REACH = 12.0  # bandwidths: (d/a)^6 exp(-(d/a)^2 / 2) is below 1e-25 from here on


def sj(x: Array, weight: Array, size: float) -> float | None:
    """The bandwidth of one column, or None if the equation has no root: the sample is too small."""
    scale = narrow_scale(x, weight, size)
    x = shortened(x, GAP * scale)
    bins = _FIRST_BINS
    while True:
        h = _root(Curvature(Lags.of(x, weight, weight, bins), size), scale, size)
        if bins >= _MOST_BINS or (h is not None and h * (bins - 1) >= _FINE * float(x.max())):
            return h
        bins *= 4


class Curvature:
    """Estimates of the integrals of f''^2 and f'''^2 from weights at lags."""

    def __init__(self, lags: Lags, size: float) -> None:
        self.lags, self.size = lags, size

    def second(self, a: float) -> float:
        """S(a): fourth derivatives of the normal density, the pairs i = j included."""
        s = (self.lags.distances(_REACH * a) / a) ** 2
        pairs = self.lags.sum(np.exp(-s / 2.0) * (s * s - 6.0 * s + 3.0)) + 3.0 / self.size
        return self._scaled(pairs, a**5)

    def third(self, b: float) -> float:
        """T(b): minus sixth derivatives of the normal density, the pairs i = j included."""
        s = (self.lags.distances(_REACH * b) / b) ** 2
        pairs = self.lags.sum(np.exp(-s / 2.0) * (s**3 - 15.0 * s * s + 45.0 * s - 15.0)) - 15.0 / self.size
        return -self._scaled(pairs, b**7)

    def _scaled(self, pairs: float, power: float) -> float:
        return float(pairs * self.size / ((self.size - 1.0) * power * np.sqrt(2.0 * np.pi)))


def _root(curvature: Curvature, scale: float, size: float) -> float | None:
    a, b = _PILOTS[0] * scale * size ** (-1.0 / 7.0), _PILOTS[1] * scale * size ** (-1.0 / 9.0)
    third = curvature.third(b)
    second = curvature.second(a)
    if not (third > 0.0 and second > 0.0):
        return None
    link = _LINK * (second / third) ** (1.0 / 7.0)

    def excess(log_h: float) -> float:
        h = np.exp(log_h)
        S = curvature.second(link * h ** (5.0 / 7.0))
        return float(log_h + 0.2 * np.log(2.0 * np.sqrt(np.pi) * size * max(S, _TINY)))

    low, high = (float(np.log(part * scale * size**-0.2)) for part in _RANGE)
    return largest_root(excess, low, high)
