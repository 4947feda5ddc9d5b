"""The functions a relevance vector machine chooses from: phi_j = k(., x_j) for every item, and perhaps a constant.

The matrix Phi = [K, 1] is stored when it is small; of a larger one only the columns in use are stored, and products
are streamed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mercer.config import config
from mercer.engine.pool import run
from mercer.engine.tiles import cuts
from mercer.solvers.rvm.row_cache import RowCache
from mercer.typing import Array, Gram

_GRAM_SHARE = 0.6  # share of the memory budget up to which a Gram is stored
_ROWS = 256  # rows of one task
_TINY = 1e-300


class Basis:
    """Phi (items, N): columns of a symmetric Gram, and a last column of ones when there is an intercept.

    `some` are the positions of the items whose functions are offered; None: all.  `n` functions belong to items.
    Columns of Phi that were used are kept as rows of `cache`.
    """

    def __init__(self, gram: Gram, some: Array | None = None, *, bias: bool = True) -> None:
        self._items = len(gram)
        self._some = np.arange(self._items) if some is None else some
        self.n, self.bias = len(self._some), bias
        kept = 8 * self.n * self._items <= _GRAM_SHARE * config().memory
        self.K = None
        if kept:
            self.K = np.asarray(gram.dense() if some is None else gram.rows(self._some), dtype=float)
        self._gram, self._diag = gram, np.asarray(gram.diag(), dtype=float)[self._some]
        self.cache = RowCache(self._functions, self._items)

    def __len__(self) -> int:
        return self.n + self.bias

    def _functions(self, index: Array) -> Array:
        """The columns `index` of Phi, as rows."""
        items = index < self.n
        out = np.ones((len(index), self._items))
        own = index[items]
        out[items] = self.K[own] if self.K is not None else self._gram.rows(self._some[own])
        return out

    def project(self, V: Array) -> Array:
        """Phi' V."""
        out = np.empty((len(self), V.shape[1]))
        if self.K is None and self.n == self._items:
            out[: self.n] = self._gram @ V
        else:
            self._by_rows(out, lambda rows: rows @ V)
        out[self.n :] = V.sum(axis=0)
        return out

    def squares(self, V: Array) -> Array:
        """(Phi o Phi)' V, with squares entry by entry."""
        out = np.empty((len(self), V.shape[1]))
        self._by_rows(out, lambda rows: (rows * rows) @ V)
        out[self.n :] = V.sum(axis=0)
        return out

    def _by_rows(self, out: Array, value: Callable[[Array], Array]) -> None:
        """out[r] = value(functions r as rows), a few at a time."""

        def piece(r: slice) -> None:
            out[r] = value(self._functions(np.arange(self.n)[r]) if self.K is None else self.K[r])

        run(piece, cuts(self.n, _ROWS))

    def likeness(self, j: int) -> Array:
        """k(x_i, x_j)^2 / (k(x_i, x_i) k(x_j, x_j)), at most 1: how similar phi_i is to phi_j."""
        out = np.zeros(len(self))
        if j < self.n:
            size = np.maximum(np.abs(self._diag) * abs(self._diag[j]), _TINY)
            values = self.cache.rows(np.array([j]))[0][self._some]
            out[: self.n] = np.minimum(values**2 / size, 1.0)
        out[j] = 1.0
        return out
