"""Ridge regression of one Gram by conjugate gradients: A + alpha I from products with A alone.

An iteration is one product of the Gram with all right sides.  Where the Gram fits the memory budget in single
precision it is stored, and a product reads it once; residuals are then computed anew in double precision from a
streamed Gram, and what is left of them is solved for again.  Where it does not fit, every product is streamed, and
nothing of size n x n is stored.  The preconditioner

    M = L L' + m I,     M^-1 = (I - L (L'L + m I)^-1 L') / m,     m = alpha + tr(A - L L') / n

has the columns L of a partial Cholesky factor of A: it takes the large eigenvalues out of the way, so that the number
of iterations depends on those that are left, in units of alpha.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mercer.config import config
from mercer.engine.interrupts import until_interrupted
from mercer.linalg.cholesky import Factor, factorise
from mercer.linalg.conjugate_gradients import Iteration, row_inner
from mercer.linalg.partial_cholesky import partial_factor
from mercer.typing import Array, Gram

_RESIDUAL = 4e-7  # largest entry, in units of the largest right side, at which a system counts as solved
_MOST = 500  # iterations
_REFINEMENTS, _GAIN = 6, 1e-3  # solutions in single precision at most, and the share of a residual that each leaves
_ITEMS_PER_COLUMN, _COLUMNS = 8, 1500  # L has at most n / 8 columns, and at most 1500
_TRACE_LEFT = 20.0  # columns are added until tr(A - L L') <= 20 alpha


@dataclass(frozen=True, eq=False)
class Iterated:
    """A = S K S, solved for one alpha at a time; `s` are the roots of the weights."""

    gram: Gram
    s: Array

    def solve(self, Z: Array, alphas: Array) -> Array:
        """(A + alpha I)^-1 Z for every alpha: (alphas, n, columns of Z)."""
        return np.stack([self._solve(np.asarray(Z.T, dtype=float), float(alpha)).T for alpha in alphas])

    def inverse_diagonals(self, alphas: Array) -> Array:
        """The diagonals of (A + alpha I)^-1: (alphas, n); these need the Gram, and a factor for every alpha."""
        return np.stack([self._factor(float(alpha)).inverse_diagonal(overwrite=True) for alpha in alphas])

    def _factor(self, alpha: float) -> Factor:
        A = np.array(self.gram.dense(), dtype=float)
        A *= self.s[:, None] * self.s
        A.flat[:: len(A) + 1] += alpha
        return factorise(A)

    def _times(self, P: Array) -> Array:
        """A p for every row p."""
        return np.asarray(self.gram @ (P * self.s).T).T * self.s

    @cached_property
    def _stored(self) -> Array | None:
        """A in single precision, if that fits the memory budget."""
        n = len(self.s)
        if 4 * n * n > config().memory:
            return None
        A = np.empty((n, n), dtype=np.float32)
        self.gram.single().fill(A)
        if (self.s != 1.0).any():
            A *= self.s[:, None].astype(np.float32)
            A *= self.s.astype(np.float32)
        return A

    def _times_stored(self, P: Array) -> Array:
        """A p for every row p, to single precision; rows are scaled to a largest entry of 1, so that none overflows."""
        size = np.abs(P).max(axis=1, keepdims=True, initial=0.0)
        size[size == 0.0] = 1.0
        columns = (P / size).T.astype(
            np.float32
        )  # a product with few columns reads A once, one with few rows copies it
        return np.asarray((self._stored @ columns).T * size, dtype=float)

    def _solve(self, Z: Array, alpha: float) -> Array:
        """One system per row of Z.  Ctrl-C ends it with what was found."""
        condition = Preconditioner.of(self.gram, self.s, alpha)
        goal = _RESIDUAL * np.abs(Z).max(axis=1, initial=0.0)
        X, R = np.zeros_like(Z), Z
        with until_interrupted():
            for _ in range(_REFINEMENTS if self._stored is not None else 0):
                before = np.abs(R).max(axis=1)
                if (before <= goal).all():
                    break
                _iterate(X, R, np.maximum(goal, _GAIN * before), alpha, self._times_stored, condition)
                R = Z - self._times(X) - alpha * X
                if (np.abs(R).max(axis=1) > np.maximum(goal, 0.5 * before)).any():  # single precision is not enough
                    break
            _iterate(X, R, goal, alpha, self._times, condition)
        return X


def _iterate(
    X: Array, R: Array, goal: Array, alpha: float, times: Callable[[Array], Array], condition: Preconditioner
) -> None:
    """Add what solves for R to X, until the largest entry of every residual is at most its goal."""
    state = Iteration(R, X, dot=row_inner)
    for _ in range(_MOST):
        if (np.abs(state.R).max(axis=1) <= goal).all():
            break
        state.aim(condition(state.R))
        if not np.any(state.step(times(state.P) + alpha * state.P, state.P)):
            break


@dataclass(frozen=True, eq=False)
class Preconditioner:
    """M^-1 r = (r - W'W r) / m for rows r.  W = C^-1 L', C the factor of L'L + m I.

    W is in single precision: it is read twice in every iteration, and an M that is a little different still serves.
    """

    W: Array
    m: float

    @classmethod
    def of(cls, gram: Gram, s: Array, alpha: float) -> Preconditioner:
        """As many columns as pay, within the limits above."""
        n = len(s)
        found = partial_factor(
            lambda some: gram.rows(some) * (s[some, None] * s), np.asarray(gram.diag(), dtype=float) * s**2,
            min(n // _ITEMS_PER_COLUMN, _COLUMNS), _TRACE_LEFT * alpha,
        )  # fmt: skip
        L, m = found.L, alpha + float(found.left[-1]) / n
        G = L.T @ L
        G.flat[:: len(G) + 1] += m
        return cls(factorise(G).half(L.T).astype(np.float32), m)

    def __call__(self, R: Array) -> Array:
        """M^-1 r of every row."""
        columns = R.T.astype(np.float32)  # a product with few columns reads W once, one with few rows copies it
        return np.asarray((R - (self.W.T @ (self.W @ columns)).T) / self.m)
