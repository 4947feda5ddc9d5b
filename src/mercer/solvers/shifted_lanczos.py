"""Ridge problems that differ in alpha and in who takes part, from products with one matrix (M10).

    (A + alpha I) c = z,     A = P S K S P         for every alpha, and for every column: a fold, an output

S = diag(s) holds the square roots of the weights, zero for items that take no part, and P removes the direction s where
there is an intercept.  Lanczos's basis Q of A and z does not depend on alpha: with A Q = Q T + ... the solution is
c = Q y, (T + alpha I) y = |z| e_1, for all alphas at the price of one; and the products of all columns with K are one
matrix product.  What K makes of the basis on items that take no part is what predicts them.

With r the residual, |r|^2 bounds how far the ridge objective is from its optimum (solvers/ridge.py), and both are known
from two-term recurrences; a basis is extended until all alphas are within `tol` of it, relatively.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mercer.typing import Array

_EXACT = 1e-13  # of the largest |A q|: what may be left of a product that the basis holds
_TWICE = 0.1  # of |A q|: when less is left, it is orthogonal to the basis only after a second projection


@dataclass(frozen=True, eq=False)
class Column:
    """One target z on items with roots of weights s, whose solution is to be evaluated on the items `seen`."""

    s: Array
    target: Array
    seen: Array
    intercept: bool = False

    @property
    def z(self) -> Array:
        return self.project(self.s * self.target)

    def project(self, w: Array) -> Array:
        """w without its part along s, where there is an intercept."""
        return w - self.s * (self.s @ w / (self.s @ self.s)) if self.intercept else w


class Basis:
    """Lanczos's basis of one column, and for every alpha how far its solution is."""

    def __init__(self, column: Column, alphas: Array) -> None:
        self.column, self.alphas = column, np.asarray(alphas, dtype=float)
        z = column.z
        self.size, self.exhausted = float(np.linalg.norm(z)), False
        self._largest, self._dimension = 0.0, int(np.count_nonzero(column.s)) - column.intercept
        self._q = z / (self.size or 1.0)
        self._Q = np.empty((32, len(z)))
        self._seen = np.empty((32, len(column.seen)))
        self.diagonal: list[float] = []
        self.beside: list[float] = []
        self.offset: list[float] = []
        self._pivot = self._last = np.ones(len(self.alphas))
        self.form, self.residual = np.zeros(len(self.alphas)), np.full(len(self.alphas), self.size)

    def __len__(self) -> int:
        return len(self.diagonal)

    @property
    def gaps(self) -> Array:
        """For every alpha a bound on (objective - its minimum) / objective; the objective is alpha z'c."""
        objective = self.alphas * self.size**2 * self.form
        known = objective > 0.0
        return np.asarray(np.divide(self.residual**2, objective, out=np.full(len(known), np.inf), where=known))

    @property
    def next(self) -> Array:
        """What K is to be multiplied with."""
        return self.column.s * self._q

    def extend(self, product: Array) -> None:
        """Take in K times `next`."""
        m, column = len(self), self.column
        if m == len(self._Q):
            self._Q = np.concatenate([self._Q, np.empty_like(self._Q)])
            self._seen = np.concatenate([self._seen, np.empty_like(self._seen)])
        self._Q[m], self._seen[m] = self._q, product[column.seen]
        w = column.s * product
        self.offset.append(float(column.s @ w))
        w = column.project(w)
        whole, Q = float(np.linalg.norm(w)), self._Q[: m + 1]
        self._largest = max(self._largest, whole)
        self.diagonal.append(float(self._q @ w))
        for _ in range(2):  # against all vectors: rounding would bring old ones back
            w -= Q.T @ (Q @ w)
            beta = float(np.linalg.norm(w))
            if beta > _TWICE * whole:
                break
        self.exhausted = beta <= _EXACT * self._largest or m + 1 == self._dimension
        self._judge(beta)
        self._q = w / (beta or 1.0)

    def _judge(self, beta: float) -> None:
        """The residuals |z| beta |y_m| and the forms e_1'(T + alpha)^-1 e_1 with one more row of T."""
        before = self.beside[-1] if self.beside else 0.0
        pivot = self.diagonal[-1] + self.alphas - (before**2 / self._pivot if self.beside else 0.0)
        last = -self._last * before / self._pivot if self.beside else np.ones(len(self.alphas))
        self._pivot, self._last = np.maximum(pivot, self.alphas), last  # A has no negative eigenvalues
        self.form = self.form + last**2 / self._pivot
        self.residual = self.size * beta * np.abs(last / self._pivot)
        self.beside.append(beta)

    def values(self) -> Array:
        """f on the items `seen`, one column for every alpha."""
        from scipy.linalg import solve_banded

        m, column = len(self), self.column
        bands = np.zeros((3, m))
        bands[0, 1:] = bands[2, :-1] = self.beside[: m - 1]
        right = np.zeros(m)
        right[0] = self.size
        Y = []
        for alpha in self.alphas:
            bands[1] = np.array(self.diagonal) + alpha
            Y.append(solve_banded((1, 1), bands, right))
        F = self._seen[:m].T @ np.column_stack(Y)
        if not column.intercept:
            return np.asarray(F)
        level = column.s @ (column.s * column.target)
        return np.asarray(F + (level - np.array(self.offset) @ np.column_stack(Y)) / (column.s @ column.s))


def solve_shifted(
    K: Array, columns: Sequence[Column], alphas: Array, *, tol: float, most: int, go_on: Callable[[], bool]
) -> list[Basis]:
    """Bases of all columns, extended until the gaps are within tol, or by `most` vectors."""
    bases = [Basis(column, alphas) for column in columns]
    for _ in range(most):
        open_ = [basis for basis in bases if basis.size and not basis.exhausted and basis.gaps.max() > tol]
        if not open_ or not go_on():
            break
        V = np.stack([basis.next for basis in open_])
        for basis, product in zip(open_, V @ K, strict=True):
            basis.extend(product)
    return bases
