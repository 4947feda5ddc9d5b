"""Sums of local least squares in several columns, with products of matrices.

Places are parted by halving the longest side of their box, until a tile is small in bandwidths and in number.  All
places of a tile take their terms from its centre, so that their sums are one product of weights (places, points) with
products of terms (points, ...); a small matrix for each place then moves the terms from the centre to the place.  Only
points that a tile can see take part: under a Gaussian those within REACH bandwidths, beyond which it is below 1e-16.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.solvers.local_regression.rows import category_factor
from mercer.solvers.local_regression.sums import Sums, empty_sums, terms_of, translation
from mercer.typing import Array
from mercer.windows import Gaussian

MOST_PLACES = 256
MOST_PAIRS = 1 << 20  # of places and points in one array
SIDE = 4.0  # of a tile, in bandwidths: terms are moved by half of it at most, which costs few digits
REACH = 8.6
WEAK = 1e-6  # of the largest sum of weights: below it sums are made again from logarithms
CUT = 1e-8  # of the weight of all points: the same, as points beyond REACH are missing from sums below it


def column_sums(
    problem: Any, width: Any, places: Any, gradient: bool, variance: bool
) -> Iterator[tuple[Array, Sums]]:  # fmt: skip
    """(positions of places, their sums), tile by tile."""
    Z, X = places.Z / width.h, problem.X / width.h
    for index in tiles(Z, max(1, MOST_PAIRS // max(1, len(X)))):
        low, high = Z[index].min(axis=0, initial=np.inf), Z[index].max(axis=0, initial=-np.inf)
        near = np.flatnonzero(_in_reach(problem.window, X, low, high))
        centre = 0.5 * (low + high)
        tile = _Tile(problem, width, X[near] - centre, Z[index] - centre, near, places.at(index))
        yield index, tile.sums(gradient, variance)


def tiles(Z: Array, most: int) -> Iterator[Array]:
    """Positions of rows in boxes with sides of SIDE at most, and at most so many in each."""
    stack = [np.arange(len(Z))]
    while stack:
        index = stack.pop()
        if len(index) == 0:
            continue
        rows = Z[index]
        sides = np.ptp(rows, axis=0) if Z.shape[1] else np.zeros(1)
        if len(index) <= min(most, MOST_PLACES) and sides.max() <= SIDE:
            yield index
            continue
        half = len(index) // 2
        order = np.argpartition(rows[:, int(np.argmax(sides))], half) if Z.shape[1] else np.arange(len(index))
        stack += [index[order[:half]], index[order[half:]]]


def _in_reach(window: Any, X: Array, low: Array, high: Array) -> Array:
    """Which points a box can see."""
    if np.isfinite(window.radius):
        reach = float(window.radius)
    elif isinstance(window, Gaussian):
        reach = REACH
    else:
        return np.ones(len(X), dtype=bool)
    return np.asarray(((low - reach <= X) & (high + reach >= X)).all(axis=1))


@dataclass(frozen=True, eq=False)
class _Tile:
    """Points U and places V around the centre of a tile, in bandwidths; `near` are the positions of the points."""

    problem: Any
    width: Any
    U: Array
    V: Array
    near: Array
    places: Any

    def sums(self, gradient: bool, variance: bool) -> Sums:
        p, Y = self.problem, self.problem.Y[self.near]
        F = terms_of(self.U, p.degree)
        a, b = np.triu_indices(F.shape[1])
        G = np.concatenate(
            [F[:, a] * F[:, b], (F[:, :, None] * Y[:, None]).reshape(len(F), F.shape[1] * Y.shape[1])], axis=1
        )
        G *= p.w[self.near][:, None]
        move = translation(self.V, p.degree)
        factors, slopes = self._factors(gradient)
        k = _product(factors, len(self.V), len(self.U))
        sums = empty_sums(F.shape[1], Y.shape[1], len(self.V), len(factors), gradient, variance)
        sums.A[:], sums.B[:] = _moved(move, k @ G, F.shape[1], Y.shape[1])
        if sums.A2 is not None:
            sums.A2[:] = _moved(move, k**2 @ G, F.shape[1], Y.shape[1])[0]
        if sums.A_slopes is not None and sums.B_slopes is not None:
            for j, slope in enumerate(slopes):
                others = _product([*factors[:j], slope, *factors[j + 1 :]], len(self.V), len(self.U))
                sums.A_slopes[j], sums.B_slopes[j] = _moved(move, others @ G, F.shape[1], Y.shape[1])
        return self._without_own(sums)

    def _factors(self, gradient: bool) -> tuple[list[Array], list[Array]]:
        """The factor of each column in k, and its slope in log h or in the rate."""
        window, found = self.problem.window, []
        for j in range(self.U.shape[1]):
            r = np.abs(self.U[None, :, j] - self.V[:, None, j])
            found.append((window.profile(r), window.stretch(r) if gradient else r))
        for j, levels in enumerate(self.problem.levels):
            codes = self.problem.codes[self.near, j]
            found.append(category_factor(codes, self.places.codes[:, j], self.width.rates[j], levels))
        return [factor for factor, _ in found], [slope for _, slope in found]

    def _without_own(self, sums: Sums) -> Sums:
        """The sums without the point that is the place itself; its differences are 0, so that only constants change."""
        from mercer.solvers.local_regression.problem import self_weight

        whole = float(sums.A[0, 0].max(initial=0.0))
        own = self.places.own
        if own is not None:
            k, slopes = self_weight(self.problem, self.width)
            w, y = self.problem.w[own], self.problem.Y[own].T
            sums.A[0, 0] -= k * w
            sums.B[0] -= k * w * y
            if sums.A_slopes is not None and sums.B_slopes is not None:
                sums.A_slopes[:, 0, 0] -= slopes[:, None] * w
                sums.B_slopes[:, 0] -= slopes[:, None, None] * (w * y)
            if sums.A2 is not None:
                sums.A2[0, 0] -= k**2 * w
            whole = max(whole, k)
        least = CUT * float(self.problem.w.sum()) if np.isinf(self.problem.window.radius) else 0.0
        weak = sums.A[0, 0] <= max(WEAK * whole, least)
        sums.weak = weak if weak.any() else None
        return sums


def _product(factors: list[Array], m: int, n: int) -> Array:
    """(m, n): the product of all factors."""
    k = np.ones((m, n))
    for factor in factors:
        k *= factor
    return k


def _moved(move: Array, R: Array, P: int, q: int) -> tuple[Array, Array]:
    """(P, P, m) and (P, q, m) around the places, from products around the centre."""
    a, b = np.triu_indices(P)
    A = np.empty((len(R), P, P))
    A[:, a, b] = A[:, b, a] = R[:, : len(a)]
    B = R[:, len(a) :].reshape(len(R), P, q)
    return np.moveaxis(move @ A @ np.swapaxes(move, 1, 2), 0, 2), np.moveaxis(move @ B, 0, 2)
