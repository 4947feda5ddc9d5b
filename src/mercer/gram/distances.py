"""Distances of items, tile by tile: nothing is stored unless `dense` is asked for.

    D = kernel_distances(gram, squared=True)    d^2(x, y) = k(x, x) + k(y, y) - 2 Re k(x, y), or d
    D = given_dissimilarities(gram)             the entries of the matrix themselves, where these are dissimilarities
    D.rows([3, 7])                              two rows
    D.nearest([3, 7])                           which of two columns is the nearest to every row, and how near
    D.dense()                                   every entry, within the memory budget

Squares below zero, from rounding or an indefinite kernel, are 0; so is the distance of an item to itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.engine import fill
from mercer.engine.pool import run
from mercer.engine.tiles import cuts
from mercer.gram.lazy import LazyGram
from mercer.gram.stored import StoredGram, places
from mercer.kernels.checked_values import diagonal
from mercer.kernels.dot import Linear
from mercer.kernels.prepared_rows import own, sqdist
from mercer.typing import Array

_ONE_TILE = 2**18  # entries that one thread computes at once
_LEAST_ROWS = 64  # of a piece of a streamed pass

TileOf = Callable[[Any, Any], Array]


@dataclass(frozen=True, eq=False)
class Distances:
    """D_ij for n rows and m columns; `tile(I, J)` makes the entries of slices or arrays of positions."""

    tile: TileOf
    shape: tuple[int, int]
    dtype: np.dtype
    symmetric: bool
    stored: Array | None = None  # all of it, where it is an array already

    @classmethod
    def of_array(cls, D: Array, *, symmetric: bool) -> Self:
        """Distances that are all in memory."""
        return cls(lambda r, c: _at(D, r, c), (len(D), D.shape[1]), D.dtype, symmetric, D)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def size(self) -> int:
        """Bytes of the whole matrix; 0 where it is stored already."""
        return 0 if self.stored is not None else self.shape[0] * self.shape[1] * self.dtype.itemsize

    def dense(self, cure: str = "Raise it with mercer.configure(memory=...).") -> Array:
        """Every entry, in one array."""
        if self.stored is not None:
            return self.stored
        n, m = self.shape
        fill.require_memory(f"A matrix of distances of shape {n} x {m}", self.size, cure)
        out = np.empty(self.shape, dtype=self.dtype)
        return fill.dense(self.tile, self.shape, self.dtype, symmetric=self.symmetric, what="Distances", out=out)

    def part(self, I: Array, J: Array | None = None) -> Distances:
        """D[I, :][:, J]; without J all columns, and with J = I the distances of these items among each other."""
        rows = places(I, len(self))
        columns = rows if J is I else np.arange(self.shape[1]) if J is None else places(J, self.shape[1])
        symmetric = self.symmetric and columns is rows
        return Distances(lambda r, c: self.tile(rows[r], columns[c]), (len(rows), len(columns)), self.dtype, symmetric)

    def rows(self, index: Array) -> Array:
        """D[index, :] as an array."""
        if self.stored is not None:
            return np.asarray(self.stored[index])
        return self.part(np.asarray(index)).dense()

    def values(self, I: Array, J: Array) -> Array:
        """D[I, J] as an array."""
        if len(I) * len(J) <= _ONE_TILE:
            return self.tile(I, J)
        return self.part(I, J).dense()

    def columns(self, index: Array) -> Array:
        """D[:, index] as an array."""
        every = np.arange(self.shape[0])
        return self.values(every, np.asarray(index))

    def nearest(self, index: Array) -> tuple[Array, Array]:
        """For every row the place in `index` of the nearest of these columns, the first of equals, and its distance."""
        index = np.asarray(index, dtype=np.intp)
        label, least = np.empty(len(self), dtype=np.intp), np.empty(len(self))

        def panel(r: slice) -> None:
            T = self.tile(r, index)
            label[r] = T.argmin(axis=1)
            least[r] = T[np.arange(len(T)), label[r]]

        run(panel, self.panels(len(index)))
        return label, least

    def panels(self, width: int) -> list[slice]:
        """Pieces of the rows whose tiles with so many columns are a good piece of work for one thread."""
        return cuts(len(self), max(_LEAST_ROWS, _ONE_TILE // max(width, 1)))


def kernel_distances(gram: Any, *, squared: bool, diagonals: tuple[Array, Array] | None = None) -> Distances:
    """The distances behind a Gram k(X, X) or k(X, Y).

    `gram` is lazy or stored, or has `block` and `shape` only; k(x, x) of its rows and columns must then be given.
    """
    tile, symmetric = _entries(gram), _is_symmetric(gram)
    if isinstance(gram, LazyGram) and isinstance(gram.kernel, Linear) and gram.A.values.dtype.kind == "f":
        square, dtype = _between_rows(gram), np.dtype(gram.A.sqnorm.dtype)
    else:
        a, b = _diagonals(gram, symmetric) if diagonals is None else diagonals
        dtype = _single_or_double(gram)
        square = _from_kernel(tile, a.real.astype(dtype), b.real.astype(dtype))
    made = square if squared else _rooted(square)
    return Distances(_zero_to_itself(made, gram.shape) if symmetric else made, gram.shape, dtype, symmetric)


def given_dissimilarities(gram: Any) -> Distances:
    """The entries of a matrix as dissimilarities; of a stored one a view where its numbers can be read as they are."""
    dtype = _single_or_double(gram)
    if isinstance(gram, StoredGram):
        stored = np.ascontiguousarray(gram.dense(), dtype=dtype)
        return Distances.of_array(stored, symmetric=True)
    tile = _entries(gram)
    symmetric = _is_symmetric(gram)
    return Distances(_zero_to_itself(tile, gram.shape) if symmetric else tile, gram.shape, dtype, symmetric)


def _is_symmetric(gram: Any) -> bool:
    return isinstance(gram, StoredGram) or bool(getattr(gram, "symmetric", False))


def _single_or_double(gram: Any) -> np.dtype:
    found = gram.K.dtype if isinstance(gram, StoredGram) else getattr(gram, "dtype", np.dtype(float))
    return np.dtype(np.float32 if found in (np.float16, np.float32, np.complex64) else np.float64)


def _entries(gram: Any) -> TileOf:
    """K[r, c] for slices or positions."""
    if isinstance(gram, StoredGram):
        K = gram.dense()
        return lambda r, c: _at(K, r, c)
    block: TileOf = gram.block
    return block


def _at(K: Array, r: Any, c: Any) -> Array:
    if isinstance(r, slice) or isinstance(c, slice):
        return np.asarray(K[r, c])
    return np.asarray(K[np.ix_(r, c)])


def _diagonals(gram: Any, symmetric: bool) -> tuple[Array, Array]:
    """k(x, x) of rows and columns."""
    if symmetric:
        a = gram.diag()
        return a, a
    return diagonal(gram.kernel, gram.A), diagonal(gram.kernel, gram.B)


def _from_kernel(tile: TileOf, a: Array, b: Array) -> TileOf:
    """a_i + b_j - 2 Re K_ij, not below zero."""

    def square(r: Any, c: Any) -> Array:
        D = np.multiply(tile(r, c).real, -2.0, dtype=a.dtype)
        D += a[r, None]
        D += b[c]
        return np.asarray(np.maximum(D, 0.0, out=D))

    return square


def _between_rows(gram: LazyGram) -> TileOf:
    """|x - y|^2, which for near rows has more digits than inner products do."""
    return lambda r, c: np.asarray(own(sqdist(gram.A[r], gram.B[c])))


def _rooted(square: TileOf) -> TileOf:
    """The roots of a tile."""

    def root(r: Any, c: Any) -> Array:
        D = square(r, c)
        return np.asarray(np.sqrt(D, out=D))

    return root


def _zero_to_itself(tile: TileOf, shape: tuple[int, int]) -> TileOf:
    """The tile with 0 where row and column are the same item."""

    def made(r: Any, c: Any) -> Array:
        D = tile(r, c)
        if isinstance(r, slice) and isinstance(c, slice):
            low, high = max(r.start, c.start), min(r.stop, c.stop)
            both = np.arange(low, max(low, high))
            i, j = both - r.start, both - c.start
        else:
            _, i, j = np.intersect1d(places(r, shape[0]), places(c, shape[1]), return_indices=True)
        D[i, j] = 0.0
        return D

    return made
