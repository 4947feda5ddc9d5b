"""Least-squares cross-validation: the bandwidth with the smallest unbiased estimate of the integrated squared error.

    minimise   J(h) = integral of f^2 - 2 sum_i w_i f_-i(x_i),    f_-i(x) = sum_{j != i} w_j phi_h(x - x_j) / (1 - w_i)

For a Gaussian window both terms are sums over pairs of exp(-c s), s = |x_i - x_j|^2, with c = 1 / 4 h^2 and 1 / 2 h^2.
In one column they come from the weights at the lags of a fine grid, in several from all pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mercer.solvers.bandwidth.binned import GAP, Lags, shortened
from mercer.solvers.bandwidth.distinct import MOST, DistinctRows
from mercer.solvers.bandwidth.ladder import TOP, best_bandwidth, rate
from mercer.solvers.bandwidth.pair_sums import plain_sums
from mercer.solvers.bandwidth.sample import Sample
from mercer.solvers.bandwidth.scale import narrow_scale
from mercer.typing import Array

_FIRST_BINS, _MOST_BINS = 2**12, 2**20
_FINE = 50.0  # grid steps in a bandwidth, at least: its relative error by binning is then below 1e-4
_REACH = 40.0  # exp(-c s) is 0 for c s from here on


class Pairs(Protocol):
    """Sums over ordered pairs i != j, and the same sums of s_ij times each term."""

    def __call__(self, c: Array, moments: bool) -> Sums:
        """At many rates c; moments only if they are asked for."""


@dataclass(frozen=True, eq=False)
class Sums:
    """One number per rate c.

    squares   sum of w_i w_j exp(-c s_ij / 2)
    left      sum of w_i w_j exp(-c s_ij) / (1 - w_i)
    """

    squares: Array
    left: Array
    square_moments: Array
    left_moments: Array


def lscv(sample: Sample) -> Array:
    """One bandwidth per column, in units of the sample: one multiple of their deviations."""
    if len(sample.columns) == 1:
        return _of_one_column(sample)
    rows = DistinctRows.of(sample, MOST)
    criterion = Criterion(exact_pairs(rows.columns, rows.weight), len(rows.columns), rows.weight)
    return rows.sigma * (best_bandwidth(criterion.values, criterion.slope) * rows.shrink)


def _of_one_column(sample: Sample) -> Array:
    """The same on a grid that is refined until it is fine enough for the best bandwidth."""
    rows = DistinctRows.of(sample)
    x, w = rows.columns[0], rows.weight
    x = shortened(x, GAP * narrow_scale(x, w, sample.size))
    bins = _FIRST_BINS
    while True:
        fine = _FINE * float(x.max()) / (bins - 1)
        criterion = Criterion(binned_pairs(x, w, bins), 1, w)
        longest = max(2, int(2.0 * np.log2(4.0 * TOP / fine)))  # rungs from a quarter of `fine` on
        h = best_bandwidth(criterion.values, criterion.slope, longest, patience=longest)
        if bins >= _MOST_BINS or h >= fine:
            return rows.sigma * h
        bins *= 4


class Criterion:
    """J and its slope in log h; h = 1 / sqrt(2 c)."""

    def __init__(self, pairs: Pairs, columns: int, weight: Array) -> None:
        self.pairs, self.D, self.own = pairs, columns, float(weight @ weight)
        self.wide, self.narrow = (4.0 * np.pi) ** (-columns / 2.0), 2.0 * (2.0 * np.pi) ** (-columns / 2.0)

    def values(self, c: Array) -> Array:
        """J at many rates."""
        sums = self.pairs(c, False)
        return np.asarray(
            (2.0 * c) ** (self.D / 2.0) * (self.wide * (self.own + sums.squares) - self.narrow * sums.left)
        )

    def slope(self, u: float) -> float:
        """h^D dJ / d log h at log h = u."""
        c = rate(u)
        sums = self.pairs(np.array([c]), True)
        wide = c * sums.square_moments - self.D * (self.own + sums.squares)
        narrow = 2.0 * c * sums.left_moments - self.D * sums.left
        return float((self.wide * wide - self.narrow * narrow)[0])


def exact_pairs(columns: Array, weight: Array) -> Pairs:
    """All pairs of rows."""
    left = weight / (1.0 - weight)

    def sums(c: Array, moments: bool) -> Sums:
        rates, place = np.unique(np.concatenate([c / 2.0, c]), return_inverse=True)
        half, whole = place[: len(c)], place[len(c) :]
        totals, firsts = plain_sums(columns, weight, rates, moments=moments)
        if not moments:
            return Sums(totals[half] @ weight, totals[whole] @ left, np.empty(0), np.empty(0))
        return Sums(totals[half] @ weight, totals[whole] @ left, firsts[half] @ weight, firsts[whole] @ left)

    return sums


def binned_pairs(x: Array, weight: Array, bins: int) -> Pairs:
    """Pairs of numbers >= 0 on a grid."""
    plain = Lags.of(x, weight, weight, bins)
    if (weight == weight[0]).all():
        left = Lags(plain.pairs / (1.0 - weight[0]), plain.step)
    else:
        left = Lags.of(x, weight / (1.0 - weight), weight, bins)

    def sums(c: Array, moments: bool) -> Sums:
        found = [(*_over_lags(plain, each / 2.0), *_over_lags(left, each)) for each in c]
        squares, square_moments, lefts, left_moments = np.array(found).T
        return Sums(squares, lefts, square_moments, left_moments)

    return sums


def _over_lags(lags: Lags, rate: float) -> tuple[float, float]:
    """The sums of exp(-rate s) and of s exp(-rate s) over all pairs."""
    s = lags.distances(np.sqrt(_REACH / rate)) ** 2
    e = np.exp(-rate * s)
    return lags.sum(e), lags.sum(s * e)
