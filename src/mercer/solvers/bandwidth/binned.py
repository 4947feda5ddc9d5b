"""Numbers on a fine grid: linear binning, and how much weight lies at each distance.

Linear binning divides each number between its two grid points.  That is continuous in the data, so that rounding of the
data never moves a weight from one bin to another.

Sums over pairs, sum_{i != j} a_i b_j f(|x_i - x_j|), become sums over lags: the correlation of the binned a and b by
one FFT, after which each f costs one pass over the lags.  As f vanishes beyond some distance, gaps between
neighbouring numbers are first shortened to that distance: a far outlier then does not use up the grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

from mercer.typing import Array

GAP = 20.0  # scales of the data: longer gaps between neighbours are shortened to this


def shortened(x: Array, longest: float) -> Array:
    """The numbers, moved so that no gap between neighbours is longer than this; the smallest becomes 0."""
    order = np.argsort(x, kind="stable")
    gaps = np.diff(x[order])
    out = np.empty_like(x)
    if gaps.max(initial=0.0) <= longest:
        return np.asarray(x - x[order[0]])
    out[order] = np.concatenate([[0.0], np.cumsum(np.minimum(gaps, longest))])
    return out


def binned(x: Array, weight: Array, step: float, bins: int) -> Array:
    """The weights of numbers in [0, (bins - 1) step], each divided between the two grid points around it."""
    place = x / step
    left = np.minimum(place.astype(np.intp), bins - 2)
    share = (place - left) * weight
    return np.bincount(left, weight - share, bins) + np.bincount(left + 1, share, bins)


@dataclass(frozen=True, eq=False)
class Lags:
    """pairs[l] = sum of a_i b_j over ordered pairs i != j at distance l step."""

    pairs: Array
    step: float

    @classmethod
    def of(cls, x: Array, a: Array, b: Array, bins: int) -> Self:
        """Of numbers >= 0 on so many grid points from 0 to the largest."""
        step = float(x.max()) / (bins - 1)
        first = binned(x, a, step, bins)
        second = first if a is b else binned(x, b, step, bins)
        length = next_fast_len(2 * bins, real=True)
        forward = rfft(first, length)
        backward = forward if a is b else rfft(second, length)
        C = irfft(forward * backward.conj(), length)
        pairs = C[:bins].copy()
        pairs[1:] += C[:-bins:-1]
        pairs -= _with_itself(x / step, a * b, bins)
        return cls(np.maximum(pairs, 0.0), step)

    def sum(self, f: Array) -> float:
        """sum_l pairs_l f_l, with f at the distances l step from 0 on; f is 0 where it has no entry."""
        return float(self.pairs[: len(f)] @ f)

    def distances(self, reach: float) -> Array:
        """All distances of the grid up to `reach`."""
        count = min(int(reach / self.step) + 2, len(self.pairs))
        return self.step * np.arange(count)


def _with_itself(place: Array, weight: Array, bins: int) -> Array:
    """What a number divided between two grid points contributes to the correlation with itself."""
    share = place - np.minimum(place.astype(np.intp), bins - 2)
    out = np.zeros(bins)
    out[0] = weight @ ((1.0 - share) ** 2 + share**2)
    out[1] = 2.0 * float(weight @ (share * (1.0 - share)))
    return out
