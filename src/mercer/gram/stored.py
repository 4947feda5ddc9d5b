"""The stored Gram: a matrix the user has computed, behind the methods of a lazy one.

`sub` and `part` are views: they remember positions and take entries when asked, so that the problems of a fit (pairs
of classes, folds, active sets) share one matrix.  As K is symmetric, rows are read instead of columns where possible.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mercer.engine.pool import run
from mercer.engine.tiles import cuts, lower_tiles
from mercer.errors import bad
from mercer.kernels.checked_values import require_finite
from mercer.native import rows as loops
from mercer.typing import Array

_CHUNK = 256  # rows that are copied at a time
_COLUMNS = 2048  # numbers that stay in the first-level cache while rows are added to them
_LOOPS = (np.float32, np.float64, np.complex64, np.complex128)  # number types of the compiled loop
_FEW = 0.25  # up to this share of the columns, they are copied; above it all are used, with zeros for the others


def places(index: Any, n: int) -> Array:
    """The positions among n that a list, a slice or a mask names."""
    return np.atleast_1d(np.arange(n)[index])


class StoredGram:
    """Rows I and columns J of a symmetric (or Hermitian) matrix K given as an array; None stands for all.

    Where K is known to be the matrix XX' of inner products of rows, it may remember X.
    """

    def __init__(self, K: Any, *, tol: float = 1e-8) -> None:
        K = np.asarray(K)
        if not K.flags.aligned or min(K.strides, default=0) < 0:
            K = K.copy()  # native loops need aligned numbers and no negative strides
        if K.ndim != 2 or K.shape[0] != K.shape[1]:
            raise bad("StoredGram", "K", "a square matrix", f"shape {K.shape}", "Pass k(X, X) of the training items.")
        require_finite("StoredGram", K, "Check the items the Gram was made from.")
        skew, size = _asymmetry(K)
        if skew > tol * size:
            raise bad("StoredGram", "K", "symmetric", f"entries that differ by {skew:.3g}",
                      "Use (K + K.T) / 2 if the asymmetry is noise.")  # fmt: skip
        self._set(K, None, None)

    def _set(self, K: Array, I: Array | None, J: Array | None, X: Any = None) -> None:
        self.K, self.I, self.J, self.X = K, I, J, X

    @classmethod
    def of(cls, K: Array, I: Array | None = None, J: Array | None = None, *, X: Any = None) -> Self:
        """A view of a matrix that has been checked already; X if it is known to be XX'."""
        new = cls.__new__(cls)
        new._set(K, I, J, X)
        return new

    @property
    def linear_rows(self) -> Any:
        """The rows X if this is known to be the matrix XX' of inner products of rows; else None."""
        return None if self.X is None or self.I is not self.J else self.X if self.I is None else self.X[self.I]

    def __len__(self) -> int:
        return len(self.K) if self.I is None else len(self.I)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.K.shape[1] if self.J is None else len(self.J)

    def dense(self) -> Array:
        """Every entry, in one array: the matrix itself when nothing was left out."""
        return self._entries(self.I)

    def fill(self, out: Array) -> None:
        """Write every entry into `out`."""
        out[...] = self.dense()

    def diag(self) -> Array:
        """K_ii."""
        return np.asarray(np.diagonal(self.K) if self.I is None else np.diagonal(self.K)[self.I])

    def rows(self, index: Array) -> Array:
        """K[index, :]."""
        return self._entries(chosen(self.I, places(index, len(self))))

    def sub(self, index: Array) -> StoredGram:
        """K[index, index]."""
        I = chosen(self.I, places(index, len(self)))
        return StoredGram.of(self.K, I, I, X=self.X)

    def part(self, I: Array | None, J: Array | None) -> StoredGram:
        """K[I, :][:, J]; None stands for all."""
        return StoredGram.of(self.K, chosen(self.I, I), chosen(self.J, J))

    def values(self, I: Array, J: Array) -> Array:
        """K[I, J] as an array."""
        return self.part(I, J).dense()

    def times(self, I: Array, J: Array, v: Array) -> Array:
        """K[I, J] @ v."""
        return self.part(I, J) @ v

    def single(self) -> StoredGram:
        """The matrix as it is: it is stored already."""
        return self

    def __matmul__(self, V: Array) -> Array:
        """K @ V in double precision, without a copy of K."""
        V = np.asarray(V)
        columns = V if V.ndim == 2 else V[:, None]
        out = np.zeros((len(self), columns.shape[1]), dtype=np.result_type(self.K, V, float))
        by_rows = self.I is None and self.J is not None and self._has_rows(columns)
        (self._add_rows if by_rows else self._add_chunks)(columns, out)
        return out.reshape(len(self), *V.shape[1:])

    def _add_chunks(self, V: Array, out: Array) -> None:
        """out += K[I, J] @ V by chunks of rows."""
        if self.J is not None and len(self.J) > _FEW * len(self.K):
            wide = np.zeros((len(self.K), V.shape[1]), dtype=V.dtype)
            np.add.at(wide, self.J, V)  # an item may be listed twice
            V, entries = wide, StoredGram.of(self.K)._entries
        else:
            entries = self._entries
        rows = np.arange(len(self.K)) if self.I is None else self.I

        def add(r: slice) -> None:
            out[r] += entries(slice(rows[r.start], rows[r.stop - 1] + 1) if self.I is None else rows[r]) @ V

        run(add, cuts(len(self), _CHUNK))

    def _has_rows(self, V: Array) -> bool:
        """Whether the compiled loop can read the rows of K, and multiply them by V."""
        K = self.K
        contiguous = K.dtype in _LOOPS and K.strides[1] == K.itemsize
        return contiguous and (np.iscomplexobj(K) or not np.iscomplexobj(V))

    def _add_rows(self, V: Array, out: Array) -> None:
        """out += K[:, J] @ V by rows J of K, for it is symmetric."""
        J, W = np.ascontiguousarray(self.J), np.ascontiguousarray(V.T.conj(), dtype=out.dtype)

        def add(c: slice) -> None:
            for k, w in enumerate(W):
                one = np.zeros(c.stop - c.start, dtype=out.dtype)
                loops.add_rows(self.K[:, c], J, w, one)
                out[c, k] += one.conj()

        run(add, cuts(len(self), _COLUMNS))

    def _entries(self, I: Any) -> Array:
        if isinstance(I, slice) or I is None or self.J is None:
            K = self.K if I is None else self.K[I]
            return np.asarray(K if self.J is None else K[:, self.J])
        return np.asarray(self.K[np.ix_(I, self.J)])


def _asymmetry(K: Array) -> tuple[float, float]:
    """The largest |K_ij - conj K_ji| and the largest |K_ij|, by tiles that are read while they are in cache."""
    tiles = lower_tiles(len(K))
    found = np.zeros((len(tiles), 2))

    def look(i: int) -> None:
        r, c = tiles[i]
        T, mirrored = K[r, c], K[c, r].conj().T
        found[i] = np.abs(T - mirrored).max(), max(np.abs(T).max(), np.abs(mirrored).max())

    run(look, range(len(tiles)))
    skew, size = found.max(axis=0, initial=0.0)
    return float(skew), float(size)


def chosen(before: Array | None, index: Array | None) -> Array | None:
    """before[index]: positions in the data after a second choice; None stands for all."""
    if index is None or before is None:
        return before if index is None else np.asarray(index, dtype=np.intp)
    return np.asarray(before[index])
