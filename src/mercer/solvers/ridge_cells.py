"""Ridge problems that differ in alpha and in who takes part, all from products with one matrix (M10).

    (A_f + alpha I) c = z_f,     A_f = P S K S P          one cell for every alpha and every column f: a fold, an output

By conjugate gradients for all cells at once: an iteration is one product of K with as many rows as there are cells
left, and what K makes of a solution on items that take no part predicts them.  Two ways make the systems nearly the
identity (solvers/ridge_preconditioners.py): first a few columns of a factor of K, which is enough for most cells, and
for what that leaves open a factor near its alpha.

A cell is done when its residual r is small: |r|^2 bounds how far the ridge objective is from its optimum
(solvers/ridge.py), and f(x) is within sqrt(k(x, x) / alpha) |r| of the minimiser, for k_x'(A + alpha I)^-1 k_x is at
most k(x, x).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mercer.linalg.conjugate_gradients import Iteration, row_inner
from mercer.solvers.ridge_preconditioners import LowRank, Pole
from mercer.solvers.ridge_systems import Column, Systems
from mercer.typing import Array

_WIDE = 5000.0  # largest over smallest alpha that share a factor
_SOON = 8  # steps, before which nothing is said about how long it will take
_PACE = 0.8  # of that at which a cell would be done in time, below which it is given up
_HELD = 4.0  # numbers in factors at a time, in units of those of K

Precondition = Callable[[Array, Array], Array]


@dataclass(frozen=True, eq=False)
class Cells:
    """For every column and alpha: f on all items, a bound on its relative distance from the optimum, iterations."""

    values: Array  # (columns, alphas, n)
    gaps: Array  # (columns, alphas)
    iterations: Array  # (columns, alphas, 2), of either way
    rank: int  # columns that the first way took


def solve_cells(
    K: Array, columns: Sequence[Column], alphas: Array, *, tol: float, most: int, go_on: Callable[[], bool]
) -> Cells:
    """All cells until their gaps are within tol, or for `most` iterations of each way."""
    K = np.ascontiguousarray(K, dtype=K.dtype if K.dtype == np.float32 else float)  # as the compiled loops want it
    systems = Systems(K, columns, np.asarray(alphas, dtype=float))
    found = _Gradients(systems, tol, most, go_on)
    rank = found.by_low_rank()
    found.by_poles()
    shape = len(columns), len(systems.alphas)
    values = _with_intercepts(found.U.reshape(*shape, len(K)), columns)
    return Cells(values, found.gaps.reshape(shape), found.steps.reshape(*shape, 2), rank)


def _with_intercepts(U: Array, columns: Sequence[Column]) -> Array:
    """f + b, b = s'(S y - S f) / s's, in the place of f."""
    for column, values in zip(columns, U, strict=True):
        if column.intercept:
            w = column.s**2
            values += ((w @ column.target - values @ w) / w.sum())[:, None]
    return U


class _Gradients:
    """Conjugate gradients: for every cell z, its solution c, U = K S c, the residual r, and how far it is."""

    def __init__(self, systems: Systems, tol: float, most: int, go_on: Callable[[], bool]) -> None:
        self.systems, self.tol, self.most, self.go_on = systems, tol, most, go_on
        self.Z = np.repeat(np.stack([column.z for column in systems.columns]), len(systems.alphas), axis=0)
        self.C, self.U, self.R = np.zeros_like(self.Z), np.zeros_like(self.Z), self.Z.copy()
        self.gaps = np.where(self.Z.any(axis=1), np.inf, 0.0)
        self.steps = np.zeros((len(systems), 2), dtype=int)

    @property
    def open(self) -> Array:
        """The cells that are not solved."""
        return np.flatnonzero(~(self.gaps <= self.tol))

    def by_low_rank(self) -> int:
        """The first way for all cells; the number of columns it took."""
        if not len(self.open) or not self.most or not self.go_on():
            return 0
        way = LowRank.of(self.systems)
        self._run(way, self.open, 0)
        return way.rank

    def by_poles(self) -> None:
        """The second way for what is open: alphas that are near each other, on as many columns as memory is for."""
        while self.most and len(untried := self.open[self.steps[self.open, 1] == 0]) and self.go_on():
            alpha = self.systems.alpha(untried)
            near = untried[alpha * _WIDE >= alpha.max()]
            some = self._at_a_time(np.unique(self.systems.column(near)))
            near = near[np.isin(self.systems.column(near), some)]
            alpha = self.systems.alpha(near)
            way = Pole.of(self.systems, some.tolist(), float(np.sqrt(alpha.min() * alpha.max())))
            self.steps[near, 1] = 1  # tried
            self._run(way, near, 1)

    def _at_a_time(self, columns: Array) -> Array:
        """As many of them as have factors that fit."""
        sizes = [np.count_nonzero(self.systems.columns[f].s) ** 2 for f in columns.tolist()]
        fits = np.cumsum(sizes) <= _HELD * len(self.systems.K) ** 2
        return columns[: max(1, int(fits.sum()))]

    def _run(self, way: Precondition, cells: Array, which: int) -> None:
        """Iterate on these cells until each is solved, has no direction of descent, or had its number of steps."""
        a, Z, first = self.systems.alpha(cells), self.Z[cells], self.gaps[cells]
        state = Iteration(self.R[cells], self.C[cells], self.U[cells], dot=row_inner)
        for step in range(1, self.most + 1):
            state.aim(way(state.R, cells))
            V, image = self.systems.multiply(state.P, cells)
            good = state.step(image, state.P, V)[:, 0]
            gaps = _gaps(state.R, a, Z, state.sums[0])
            first = gaps if step == 1 else first
            leave = (gaps <= self.tol) | ~good | self._late(gaps, first, step) | (not self.go_on())
            if leave.any():
                out, stay = cells[leave], ~leave
                self.C[out], self.U[out] = (total[leave] for total in state.sums)
                self.R[out], self.gaps[out], self.steps[out, which] = state.R[leave], gaps[leave], step
                state.keep(stay)
                cells, a, Z, first = cells[stay], a[stay], Z[stay], first[stay]
            if not len(cells):
                return

    def _late(self, gaps: Array, first: Array, step: int) -> Array:
        """Which cells have had their steps, or will not be done in time, by how far they have come."""
        with np.errstate(divide="ignore", invalid="ignore"):
            done = np.log(gaps / first) / np.log(self.tol / first)
        return (step >= _SOON) & ~(done >= _PACE * step / self.most) | (step >= self.most)


def _gaps(R: Array, a: Array, Z: Array, C: Array) -> Array:
    """For every cell a bound on (objective - its minimum) / objective; the objective is alpha z'c."""
    objective = a * row_inner(Z, C)[:, 0]
    return np.asarray(np.divide(row_inner(R, R)[:, 0], objective, out=np.full(len(a), np.inf), where=objective > 0.0))
