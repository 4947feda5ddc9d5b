"""The lazy Gram: a kernel matrix that is never stored.

    K = LazyGram(kernel, X)
    K @ v                 streamed product, each tile computed once
    K.rows([3, 7])        a few rows
    K.nearest(5)          neighbours by kernel distance
    K.vjp(W)              the gradient of sum W * K in the hyper-parameters

Tiles are made on all cores, used while they are in cache, and dropped.  What is kept is O(n).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np

from mercer.engine import fill
from mercer.engine.fill import Block
from mercer.engine.pool import run
from mercer.engine.tiles import all_tiles, cuts, lower_tiles
from mercer.errors import bad
from mercer.gram.nearest_rows import are_dense_rows, nearest_rows
from mercer.gram.single_precision import in_single
from mercer.gram.smallest_entries import smallest_entries
from mercer.gram.stored import chosen, places
from mercer.items.vectors import is_sparse
from mercer.kernels.base import Kernel, gram_of, prepare_pair
from mercer.kernels.checked_values import diagonal, tile
from mercer.kernels.dot import Linear
from mercer.kernels.prepared_rows import Rows
from mercer.kernels.radial import NativeShape
from mercer.native import row_kernel
from mercer.typing import Array

_ONE_TILE = 2**18  # entries that one thread computes at once: cutting them up would cost more
_PANEL = 2**21  # entries of a panel of a native product, between two looks at an interrupt


class LazyGram:
    """K_ij = k(x_i, y_j), evaluated tile by tile when asked for."""

    I: Array | None = None  # positions of A in the data, for error messages; None stands for all
    J: Array | None = None

    def __init__(self, kernel: Kernel, X: Any, Y: Any = None) -> None:
        self._set(kernel, *prepare_pair(kernel, X, Y))

    @classmethod
    def of(cls, kernel: Kernel, A: Any, B: Any = None, *, dtype: np.dtype | None = None) -> Self:
        """The Gram of data the kernel has already prepared; `dtype` if it is known already."""
        new = cls.__new__(cls)
        new._set(kernel, A, A if B is None else B)
        if dtype is not None:
            new.__dict__["dtype"] = dtype  # where cached_property keeps it
        return new

    def _set(self, kernel: Kernel, A: Any, B: Any) -> None:
        self.kernel, self.A, self.B = kernel, A, B

    def _placed(self, I: Array | None, J: Array | None) -> Self:
        """This Gram, made of rows I and columns J of the data."""
        self.I, self.J = I, J
        return self

    def _where(self, i: int, j: int) -> tuple[int, int]:
        """The positions in the data of row i and column j."""
        return (i if self.I is None else int(self.I[i]), j if self.J is None else int(self.J[j]))

    def _tile(self, r: Any, c: Any) -> Array:
        """K[r, c] for slices or positions, from one call of the kernel."""
        n, m = self.shape
        return tile(self.kernel, self.A[r], self.B[c],
                    lambda i, j: self._where(int(places(r, n)[i]), int(places(c, m)[j])))  # fmt: skip

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.A), len(self.B)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def symmetric(self) -> bool:
        """Whether this is k(X, X)."""
        return self.A is self.B

    @cached_property
    def dtype(self) -> np.dtype:
        return np.dtype(self._tile(slice(0, 1), slice(0, 1)).dtype) if min(self.shape) else np.dtype(float)

    def __repr__(self) -> str:
        return f"LazyGram({self.kernel!r}, {self.shape[0]} x {self.shape[1]})"

    def block(self, r: slice, c: slice) -> Array:
        """The tile of rows r and columns c."""
        return self._tile(r, c)

    def dense(self) -> Array:
        """Every entry, in one array."""
        return gram_of(self.kernel, self.A, self.B, self.dtype, where=self._where)

    def fill(self, out: Array) -> None:
        """Write every entry into `out`."""
        gram_of(self.kernel, self.A, self.B, out=out, where=self._where)

    @property
    def linear_rows(self) -> Any:
        """The rows X if this is the matrix XX' of inner products of rows; else None."""
        return self.A.values if isinstance(self.kernel, Linear) and self.symmetric else None

    @property
    def native_rows(self) -> tuple[NativeShape, Array, Array] | None:
        """(f, rows, squared norms) if k(x, y) = f(|x - y|^2) on dense rows, with an f that native loops know."""
        shape = getattr(self.kernel, "native_shape", None)
        if shape is None or not isinstance(self.A, Rows) or is_sparse(self.A.values):
            return None
        return shape, self.A.values, self.A.sqnorm

    def diag(self) -> Array:
        """k(x_i, x_i)."""
        self._require_square("diag")
        return diagonal(self.kernel, self.A, self._where)

    def row_diag(self) -> Array:
        """k(x, x) of the items x of the rows."""
        return np.array(diagonal(self.kernel, self.A), dtype=float)

    def row_gram(self) -> Array:
        """k(x, x') between the items of the rows."""
        return np.asarray(gram_of(self.kernel, self.A, self.A), dtype=float)

    def rows(self, index: Array) -> Array:
        """K[index, :] as an array."""
        index = places(index, len(self))
        return gram_of(self.kernel, self.A[index], self.B, where=lambda i, j: self._where(int(index[i]), j))

    def sub(self, index: Array) -> LazyGram:
        """K[index, index], still lazy."""
        self._require_square("sub")
        index = places(index, len(self))
        found = LazyGram.of(self.kernel, self.A[index], dtype=self.dtype)
        found._placed(chosen(self.I, index), chosen(self.J, index))
        if "_single" in self.__dict__:  # rounded already: rows are only chosen
            found.__dict__["_single"] = self._single.sub(index)
        return found

    def part(self, I: Array | None, J: Array | None) -> LazyGram:
        """K[I, :][:, J], still lazy; None stands for all."""
        A = self.A if I is None else self.A[np.asarray(I, dtype=np.intp)]
        B = A if J is I and self.symmetric else self.B if J is None else self.B[np.asarray(J, dtype=np.intp)]
        return LazyGram.of(self.kernel, A, B, dtype=self.dtype)._placed(chosen(self.I, I), chosen(self.J, J))

    def single(self) -> LazyGram:
        """The same Gram from data rounded to single precision."""
        return self._single

    @cached_property
    def _single(self) -> LazyGram:
        A = in_single(self.A)
        return LazyGram.of(self.kernel, A, A if self.symmetric else in_single(self.B))._placed(self.I, self.J)

    def values(self, I: Array, J: Array) -> Array:
        """K[I, J] as an array."""
        if len(I) * len(J) <= _ONE_TILE:
            return self._tile(I, J)
        return self.part(I, J).dense()

    def times(self, I: Array, J: Array, v: Array) -> Array:
        """K[I, J] @ v."""
        rows = self.native_rows if self.symmetric else None
        if rows is not None:
            return _native_times(*rows, I, J, v)
        if len(I) * len(J) <= _ONE_TILE:
            return np.asarray(self._tile(I, J) @ v.astype(self.dtype, copy=False))
        return self.part(I, J) @ v

    def __matmul__(self, V: Array) -> Array:
        """K @ V without K; sums are in double precision whatever the type of the tiles."""
        V = np.asarray(V)
        if V.ndim not in (1, 2) or len(V) != self.shape[1]:
            raise bad("LazyGram", "V in K @ V", f"{self.shape[1]} long", f"shape {V.shape}", "Give one entry per item.")
        wide = np.result_type(self.dtype, np.complex64) if np.iscomplexobj(V) else self.dtype
        columns = (V if V.ndim == 2 else V[:, None]).astype(wide, copy=False)
        if self.symmetric:
            out = fill.product(self.block, len(self), columns)
        else:
            out = fill.cross_product(self.block, self.shape, columns)
        return out.reshape(len(self), *V.shape[1:])

    def vjp(self, W: Array, *, mirrored: bool = False) -> Array:
        """d/dtheta of sum_ij W_ij K_ij, streamed: no gradient tensor, and half the tiles when symmetric.

        With `mirrored` W is symmetric, and only its tiles on and under the diagonal are read.
        """
        W = np.asarray(W)
        if W.shape != self.shape:
            raise bad("LazyGram", "W in vjp", f"of shape {self.shape}", W.shape, "Give one weight per entry of K.")
        tiles = lower_tiles(len(self)) if self.symmetric else all_tiles(*self.shape)
        terms = np.zeros((len(tiles), self.kernel.theta.size))
        if not terms.size:  # no item, or no free hyper-parameter
            return np.zeros(terms.shape[1])

        def term(i: int) -> None:
            r, c = tiles[i]
            weights = W[r, c]
            if self.symmetric and r != c:
                weights = 2.0 * weights if mirrored else weights + W[c, r].T
            terms[i] = self.kernel.vjp(self.A[r], self.B[c], np.ascontiguousarray(weights))

        run(term, range(len(tiles)))
        return np.asarray(terms.sum(axis=0))

    def jvp_products(self, V: Array) -> list[Array] | None:
        """(dK/dtheta_j) V for every j, streamed; None if the kernel has no formula for them."""
        kernel, A, B = self.kernel, self.A, self.B
        if not kernel.slots():
            return []
        few = kernel.jvp_products(A[:1], B[:1], V[:1])
        if few is None:
            return None
        out = np.zeros((len(few), len(self), V.shape[1]))

        def add(r: slice, c: slice) -> None:
            out[:, r] += np.asarray(kernel.jvp_products(A[r], B[c], V[c]))

        fill.fold_rows(add, self.shape)
        return list(out[1:])

    def top(self, count: int) -> tuple[Array, Array]:
        """(index, value) of the `count` largest entries of every row, largest first, ties by position."""
        if self.dtype.kind == "c":
            raise bad("LazyGram", "K in top", "real", "complex values, which have no order", "Use nearest(count).")
        index, lowest = self._select(count, lambda r, c: -self.block(r, c))
        return index, -lowest

    def nearest(self, count: int) -> tuple[Array, Array]:
        """(index, squared distance) of the `count` columns nearest to every row, d^2 = k(x,x) + k(y,y) - 2 k(x,y).

        Where d^2 grows with |x - y|^2 the order is that of |x - y|^2, also between items so far apart that k = 0.
        """
        if are_dense_rows(self.A, self.B) and self.kernel.distance_of_rows(np.zeros((1, 1))) is not None:
            self._require_count(count)
            index, s = nearest_rows(self.A, self.B, count)
            return index, np.asarray(self.kernel.distance_of_rows(s))
        a, b = diagonal(self.kernel, self.A), diagonal(self.kernel, self.B)

        def distances(r: slice, c: slice) -> Array:
            D = self.block(r, c).real
            D *= -2.0
            D += a[r, None].real
            D += b[c].real
            if self.symmetric and r == c:
                np.fill_diagonal(D, 0.0)
            return np.asarray(np.maximum(D, 0.0, out=D))

        return self._select(count, distances)

    def _select(self, count: int, block: Block) -> tuple[Array, Array]:
        """The `count` smallest entries of every row of a streamed matrix, ascending, ties by position."""
        self._require_count(count)
        return smallest_entries(block, self.shape, count)

    def _require_count(self, count: int) -> None:
        m = self.shape[1]
        if not 1 <= count <= m:
            raise bad("LazyGram", "count", f"between 1 and the number of columns ({m})", count, "Ask for fewer.")

    def _require_square(self, what: str) -> None:
        if not self.symmetric:
            raise bad("LazyGram", what, "asked of k(X, X)", f"a {self.shape[0]} x {self.shape[1]} cross Gram",
                      "Leave Y out.")  # fmt: skip


def _native_times(shape: NativeShape, X: Array, norms: Array, I: Array, J: Array, v: Array) -> Array:
    """K[I, J] @ v for a kernel that native loops know, a panel of rows for each thread."""
    I, J, v = np.ascontiguousarray(I, dtype=np.intp), np.ascontiguousarray(J, dtype=np.intp), np.ascontiguousarray(v)
    out = np.empty(len(I))
    panel = max(512, _PANEL // max(len(J), 1))

    def work(r: slice) -> None:
        row_kernel.product(X, norms, shape.function, shape.c, shape.coefficients, I[r], J, v, out[r])

    run(work, cuts(len(I), panel))
    return out
