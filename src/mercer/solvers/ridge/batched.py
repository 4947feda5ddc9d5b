"""Ridge problems with one K that differ in alpha and in the items that train, all solved at once.

    (A_f + alpha I) c = z_f,     A_f = P S K S P          one cell for every alpha and every column f: a fold, an output

Conjugate gradients run on all cells together: an iteration is one product of K with a row per open cell.  The same
products give f on the items that do not train, that is, the predictions of a fold.  There are two preconditioners
(batched_preconditioners.py).  The first, a few columns of a factor of K, is enough for most cells; those it leaves open
get a whole factor in single precision, made for an alpha near theirs.

A cell is done when its residual r is small.  |r|^2 bounds the distance of the ridge objective from its optimum, and
f(x) is within sqrt(k(x, x) / alpha) |r| of the minimiser, because k_x'(A + alpha I)^-1 k_x <= k(x, x).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mercer.linalg.conjugate_gradients import Iteration, row_inner
from mercer.solvers.ridge.batched_preconditioners import LowRankInverse, ShiftedFactor
from mercer.solvers.ridge.batched_systems import Column, Systems
from mercer.typing import Array

_ALPHA_RATIO = 5000.0  # largest over smallest alpha that share a factor
_FIRST_FORECAST = 8  # steps before it is judged whether a cell will be done in time
_PACE = 0.8  # a cell is given up below this share of the progress it needs to be done in time
_FACTOR_MEMORY = 4.0  # entries of the factors held at a time, in units of the entries of K

Precondition = Callable[[Array, Array], Array]


@dataclass(frozen=True, eq=False)
class BatchedRidge:
    """For every column and alpha: f on all items, a bound on its relative distance from the optimum, iterations."""

    values: Array  # (columns, alphas, n)
    gaps: Array  # (columns, alphas)
    iterations: Array  # (columns, alphas, 2): with the first and with the second preconditioner
    rank: int  # columns of L in the first preconditioner


def solve_batched(
    K: Array, columns: Sequence[Column], alphas: Array, *, tol: float, most: int, go_on: Callable[[], bool]
) -> BatchedRidge:
    """Solve all cells until their gaps are within tol, or for `most` iterations with each preconditioner."""
    K = np.ascontiguousarray(K, dtype=K.dtype if K.dtype == np.float32 else float)  # the native loops need C order
    systems = Systems(K, columns, np.asarray(alphas, dtype=float))
    found = _Gradients(systems, tol, most, go_on)
    rank = found.by_low_rank()
    found.by_shifted_factors()
    shape = len(columns), len(systems.alphas)
    values = _with_intercepts(found.U.reshape(*shape, len(K)), columns)
    return BatchedRidge(values, found.gaps.reshape(shape), found.steps.reshape(*shape, 2), rank)


def _with_intercepts(U: Array, columns: Sequence[Column]) -> Array:
    """f + b, b = s'(S y - S f) / s's, written over f."""
    for column, values in zip(columns, U, strict=True):
        if column.intercept:
            w = column.s**2
            values += ((w @ column.target - values @ w) / w.sum())[:, None]
    return U


class _Gradients:
    """For every cell its right side Z, solution C, U = K S c, residual R, relative gap, and steps of each kind."""

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
        """All cells with the first preconditioner; the number of its columns."""
        if not len(self.open) or not self.most or not self.go_on():
            return 0
        way = LowRankInverse.of(self.systems)
        self._run(way, self.open, 0)
        return way.rank

    def by_shifted_factors(self) -> None:
        """Open cells with the second: alphas near each other together, as many columns at a time as fit into memory."""
        while self.most and len(untried := self.open[self.steps[self.open, 1] == 0]) and self.go_on():
            alpha = self.systems.alpha(untried)
            near = untried[alpha * _ALPHA_RATIO >= alpha.max()]
            some = self._at_a_time(np.unique(self.systems.column(near)))
            near = near[np.isin(self.systems.column(near), some)]
            alpha = self.systems.alpha(near)
            way = ShiftedFactor.of(self.systems, some.tolist(), float(np.sqrt(alpha.min() * alpha.max())))
            self.steps[near, 1] = 1  # tried, even if _run ends at once
            self._run(way, near, 1)

    def _at_a_time(self, columns: Array) -> Array:
        """The first of these columns, as many as have factors that fit into memory together."""
        sizes = [np.count_nonzero(self.systems.columns[f].s) ** 2 for f in columns.tolist()]
        fits = np.cumsum(sizes) <= _FACTOR_MEMORY * len(self.systems.K) ** 2
        return columns[: max(1, int(fits.sum()))]

    def _run(self, way: Precondition, cells: Array, which: int) -> None:
        """Iterate until each of these cells is solved, has no direction of descent, or has used up its steps."""
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
        """Which cells have used up their steps, or at their present pace would before they are solved."""
        with np.errstate(divide="ignore", invalid="ignore"):
            done = np.log(gaps / first) / np.log(self.tol / first)
        return (step >= _FIRST_FORECAST) & ~(done >= _PACE * step / self.most) | (step >= self.most)


def _gaps(R: Array, a: Array, Z: Array, C: Array) -> Array:
    """For every cell a bound on (objective - its minimum) / objective; the objective is alpha z'c."""
    objective = a * row_inner(Z, C)[:, 0]
    return np.asarray(np.divide(row_inner(R, R)[:, 0], objective, out=np.full(len(a), np.inf), where=objective > 0.0))
