"""Kernels over subsets of columns: all subsets at once, or those of one size, without listing them.

    AllSubsets   prod_k (1 + x_k y_k)                       every subset of the columns is a feature
    ANOVA        sum_{i1 < ... < id} prod_j x_ij y_ij       every subset of d columns is one

Both take one pass over the columns.  The factors x_k y_k of ANOVA may be replaced by any kernel on single columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import combinations, pairwise
from typing import Any, Self

import numpy as np

from mercer.engine.fill import over_tiles, require_memory
from mercer.engine.tiles import Tile, cuts
from mercer.errors import bad
from mercer.items import Anything, Vectors
from mercer.kernels import maps
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.checked_values import require_finite
from mercer.kernels.composite import Parts
from mercer.kernels.function_of_kernel import is_count
from mercer.kernels.prepared_rows import as_csr, compressed, real_only, same_width, typed
from mercer.native import subsets
from mercer.typing import Array

_SCRATCH = 2**23  # numbers in the tables of one reverse sweep: 64 MiB


@kernel
class AllSubsets(Kernel):
    """k(x, y) = prod_k (1 + x_k y_k*), the sum over all subsets of columns of the product of their entries."""

    psd = True
    psd_reason = "an inner product of features: the products of all subsets of columns"
    finite = True  # it looks by itself, for its error names another way

    def block(self, A: Vectors, B: Vectors) -> Array:
        return self._finite(_products(A, B, subsets.all_subsets, subsets.sparse_all_subsets))

    def diag(self, A: Vectors) -> Array:
        return self._finite(_by_pieces(A, lambda V: np.prod(1.0 + abs(V) ** 2, axis=1)))

    def _finite(self, out: Array) -> Array:
        return require_finite("AllSubsets", out, "Use k.log(X, Y), which gives sign and logarithm.")

    def log(self, X: Any, Y: Any = None) -> tuple[Array, Array]:
        """(sign, log|k|) of k(X, Y), where k itself would overflow; log 0 is -inf."""
        A = Vectors.check(X, "AllSubsets")
        B = A if Y is None else Vectors.check(Y, "AllSubsets")
        real_only("AllSubsets.log", A)
        real_only("AllSubsets.log", B)
        same_width(A.width, B.width)
        n, m = len(A), len(B)
        require_memory(f"AllSubsets.log of shape {n} x {m}", 16 * n * m, "Ask for fewer rows at a time.")
        sign, log = np.empty((n, m)), np.empty((n, m))

        def fill(tile: Tile) -> None:
            sign[tile], log[tile] = _sign_and_log(A[tile[0]], B[tile[1]])

        over_tiles(fill, (n, m))
        return sign, log

    def feature_map(self, X: Any) -> Array:
        """All 2^D products, the subsets in the order of binary counting: {}, {1}, {2}, {1, 2}, {3}, ..."""
        V = maps.dense(X, "AllSubsets")
        maps.guard("AllSubsets", len(V), 2 ** V.shape[1])
        phi = np.ones((len(V), 1), dtype=V.dtype)
        for column in V.T:
            phi = np.hstack([phi, phi * column[:, None]])
        return phi

    def dimension(self, D: int) -> int | None:
        return int(2**D)


@kernel
class ANOVA(Kernel):
    """k(x, y) = sum over the subsets of `degree` columns of prod_k b_k(x_k, y_k), with b_k(x, y) = x y* by default.

    `base` is a kernel for all columns, or a tuple with one kernel per column.
    """

    degree: int = 2
    base: Kernel | tuple[Kernel, ...] | None = None

    psd_reason = "a sum of products of kernels on single columns"
    finite = True  # it looks by itself

    def __post_init__(self) -> None:
        if not is_count(self.degree):
            raise bad("ANOVA", "degree", "an integer >= 0", self.degree, "It is the number of columns in a subset.")
        if not all(isinstance(k, Kernel) and k.items in (Vectors, Anything) for k in self.children):
            raise bad("ANOVA", "base", "a kernel on vectors, or a tuple of them", repr(self.base), "Try RBF(1.0).")

    @property
    def children(self) -> tuple[Kernel, ...]:
        if self.base is None:
            return ()
        return self.base if isinstance(self.base, tuple) else (self.base,)

    def with_children(self, children: tuple[Kernel, ...]) -> Self:
        return type(self)(self.degree, children if isinstance(self.base, tuple) else children[0])

    @property
    def psd(self) -> bool | None:  # type: ignore[override]
        return True if all(k.psd is True for k in self.children) else None

    @property
    def learned(self) -> bool:  # type: ignore[override]
        return any(k.learned for k in self.children)

    @property
    def stationary(self) -> bool:  # type: ignore[override]
        return self.base is not None and all(k.stationary for k in self.children)

    def prepare_in(self, X: Vectors, frame: Any, pool: Pool) -> Any:
        if self.base is None:
            return X
        frames = frame or (None,) * X.width
        same_width(len(frames), X.width)
        columns = zip(self._bases(X.width), _columns(X), frames, strict=True)
        return Parts(tuple(k.prepare_in(k.check(column), f, {}) for k, column, f in columns))

    def _bases(self, width: int) -> tuple[Kernel, ...]:
        """The kernel of each column."""
        if not isinstance(self.base, tuple):
            return self.children * width
        if len(self.base) != width:
            raise bad("ANOVA", "base", f"one kernel, or one per column ({width})", f"{len(self.base)} kernels",
                      "Give as many kernels as X has columns.")  # fmt: skip
        return self.base

    def block(self, A: Any, B: Any) -> Array:
        if self.base is None:
            out = _products(A, B, subsets.anova, subsets.sparse_anova, self.degree)
        else:
            out = symmetric_polynomials(self._tiles(A, B), self.degree)[-1]
        return self._finite(out)

    def _tiles(self, A: Parts, B: Parts) -> Iterable[Array]:
        bases = self._bases(len(A.parts))
        return (k.block(a, b) for k, a, b in zip(bases, A.parts, B.parts, strict=True))

    def diag(self, A: Any) -> Array:
        if self.base is None:
            return self._finite(_by_pieces(A, lambda V: symmetric_polynomials((abs(V) ** 2).T, self.degree)[-1]))
        bases = self._bases(len(A.parts))
        diagonals = (k.diag(a) for k, a in zip(bases, A.parts, strict=True))
        return self._finite(symmetric_polynomials(diagonals, self.degree)[-1])

    def _finite(self, out: Array) -> Array:
        return require_finite("ANOVA", out, "Scale the data down, or lower the degree.")

    def vjp(self, A: Any, B: Any, W: Array) -> Array:
        pieces = [np.zeros(k.theta.size) for k in self.children]
        if self.base is not None:
            side = _SCRATCH // (len(A.parts) * (self.degree + 1) * max(len(B), 1))
            for rows in cuts(len(A), max(side, 1)):
                self._sweep_back(A[rows], B, W[rows], pieces)
        return np.concatenate([*pieces, np.empty(0)])

    def _sweep_back(self, A: Parts, B: Parts, W: Array, pieces: list[Array]) -> None:
        """Reverse mode through e_s <- e_s + b_k e_(s-1); adds the derivative in each kernel's theta to `pieces`."""
        tiles, before = list(self._tiles(A, B)), []
        e = _first_row(W.shape, self.degree)
        for T in tiles:
            before.append(e)
            e = _step(e, T)
        slopes = [np.zeros_like(W)] * self.degree + [W]  # of the result, in e_0, ..., e_degree
        for k in reversed(range(len(tiles))):
            in_tile = sum((s * f for s, f in zip(slopes[1:], before[k][:-1], strict=True)), start=np.zeros_like(W))
            slopes = [s + tiles[k] * above for s, above in pairwise(slopes)] + slopes[-1:]
            owner = k if isinstance(self.base, tuple) else 0
            pieces[owner] += self.children[owner].vjp(A.parts[k], B.parts[k], in_tile)

    def feature_map(self, X: Any) -> Array:
        """The products of all subsets of `degree` columns, in lexicographic order."""
        if self.base is not None:
            return super().feature_map(X)  # type: ignore[no-any-return]
        V = maps.dense(X, "ANOVA")
        maps.guard("ANOVA", len(V), math.comb(V.shape[1], self.degree))
        chosen = combinations(range(V.shape[1]), self.degree)
        columns = [np.prod(V[:, list(subset)], axis=1) for subset in chosen]
        return np.stack(columns, axis=1) if columns else np.empty((len(V), 0))

    def dimension(self, D: int) -> int | None:
        return math.comb(D, self.degree) if self.base is None else None


def symmetric_polynomials(factors: Iterable[Array], degree: int) -> list[Array]:
    """e_0, ..., e_degree of the factors, entry by entry, by e_s <- e_s + f e_(s-1)."""
    e: list[Array] = []
    with np.errstate(over="ignore", invalid="ignore"):
        for f in factors:
            e = _step(e or _first_row(f.shape, degree, f.dtype), f)
    return e


def _first_row(shape: tuple[int, ...], degree: int, dtype: Any = np.float64) -> list[Array]:
    return [np.ones(shape, dtype)] + [np.zeros(shape, dtype)] * degree


def _step(e: list[Array], f: Array) -> list[Array]:
    return e[:1] + [above + f * below for below, above in pairwise(e)]


def _columns(X: Vectors) -> Iterable[Vectors]:
    V = X.values.tocsc() if X.sparse else X.values
    for k in range(X.width):
        column = V[:, [k]]
        yield Vectors(np.ascontiguousarray(column.toarray() if X.sparse else column))


def _products(A: Vectors, B: Vectors, dense: Callable[..., None], sparse: Callable[..., None], *options: Any) -> Array:
    """A tile from the entries of A and the conjugate entries of B, by the loop for their form."""
    same_width(A.width, B.width)
    out = np.empty((len(A), len(B)), dtype=np.result_type(A.dtype, B.dtype))
    if A.sparse or B.sparse:
        a, b = as_csr(A.values), as_csr(B.values).conj().tocsc()
        sparse(*compressed(out.dtype, a, b), *options, out)
    else:
        dense(typed(A.values, out.dtype), typed(B.values.conj().T, out.dtype), *options, out)
    return out


def _by_pieces(A: Vectors, function: Callable[[Array], Array]) -> Array:
    """A function of dense rows, a few hundred at a time where the rows are sparse."""
    pieces = [A[r].values for r in cuts(len(A))]
    with np.errstate(over="ignore", invalid="ignore"):
        done = [function(V.toarray() if A.sparse else V) for V in pieces]
    return np.concatenate([*done, np.empty(0, dtype=np.float32)])


def _sign_and_log(A: Vectors, B: Vectors) -> tuple[Array, Array]:
    X, Y = (V.values.toarray() if V.sparse else V.values for V in (A, B))
    product, exponent = np.empty((len(X), len(Y))), np.empty((len(X), len(Y)), dtype=np.int64)
    subsets.scaled_all_subsets(typed(X, float), typed(Y.T, float), product, exponent)
    with np.errstate(divide="ignore"):
        return np.sign(product), np.log(abs(product)) + math.log(2.0) * exponent
