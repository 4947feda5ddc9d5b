"""Rows: vectors made ready for inner products and distances, and the two pair statistics built on them.

    dot(A, B)_ij     = <a_i, b_j>             one matrix product
    sqdist(A, B)_ij  = |a_i - b_j|^2          the same, with near pairs computed directly

Rows are measured from a common centre (the `frame`): of data far from the origin, |a|^2 + |b|^2 - 2 <a, b> would lose
all digits.  When several kernels of one expression use the same rows, a tile's statistic is computed once: the slices
made for that tile keep it in their `memo`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.items.vectors import Vectors, is_sparse
from mercer.native import distance, sparse
from mercer.typing import Array, Index

ROWS_IN_POOL = "rows in pool"  # pool key of a function Rows -> Rows, applied to all rows before they are shared
_SAMPLE = 4096  # about so many rows are enough to find a centre
_FAR = 4.0  # standard deviations from the origin up to which a column is not centred: it loses few digits
_NARROW = 256  # up to this many columns a tile of sparse rows is a matrix product
_LONG = 1e6  # squared norm above which squares of differences are not computed from products
_DIRECT = 4  # up to this many columns, direct differences cost no more than a matrix product


@dataclass(frozen=True, eq=False)
class Centre:
    """The point distances are measured from; None is the origin."""

    at: Array | None


ORIGIN = Centre(None)


@dataclass(eq=False)
class Rows:
    """Row vectors with squared norms; `shared` when more than one kernel of an expression reads them."""

    values: Any
    sqnorm: Array
    frame: Centre
    shared: bool = False
    memo: dict[Any, Array] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.sqnorm)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(self.values[index], self.sqnorm[index], self.frame, self.shared)

    @property
    def dtype(self) -> np.dtype:
        found: np.dtype = self.values.dtype
        return found

    @property
    def sparse(self) -> bool:
        return is_sparse(self.values)

    def known(self, name: str, B: Rows) -> Array | None:
        """A statistic of these rows and those of B, if it has been computed already."""
        return self.memo.get((name, id(B)))


def rows(values: Any, frame: Centre) -> Rows:
    """Rows of a dense array or CSR matrix, norms summed in float64; refuses norms that the number type cannot hold."""
    with np.errstate(over="ignore"):
        sqnorm = _square_norms(values).astype(values.real.dtype)
    if not np.isfinite(sqnorm).all():
        raise bad("inner products", "|x|^2", f"within the range of {sqnorm.dtype}",
                  f"an overflow in row {int(np.argmin(np.isfinite(sqnorm)))}",
                  "Scale the columns, lengthen the lengthscale, or pass float64.")  # fmt: skip
    return Rows(values, sqnorm, frame)


def _square_norms(values: Any) -> Array:
    if is_sparse(values):
        return np.asarray(abs(values).astype(np.float64).power(2).sum(axis=1)).ravel()
    parts = (values.real, values.imag) if np.iscomplexobj(values) else (values,)
    return np.asarray(sum(np.einsum("ij,ij->i", p, p, dtype=np.float64) for p in parts))


def real(X: Vectors, pool: dict[Any, Any]) -> Vectors:
    """Complex rows as real ones of twice the width, (re, im), which have the same distances; real rows as they are."""
    if X.values.dtype.kind != "c":
        return X
    if ("real", id(X)) not in pool:
        pool["real", id(X)] = Vectors(side_by_side(X.values.real, X.values.imag))
        pool["alive", id(X)] = X
    found: Vectors = pool["real", id(X)]
    return found


def real_only(owner: str, X: Vectors) -> None:
    """Refuse complex vectors where the kernel has no meaning for them."""
    if X.dtype.kind == "c":
        raise bad(owner, "X", "real", "complex numbers", "Use real and imaginary parts as columns of their own.")


def side_by_side(left: Any, right: Any) -> Any:
    """The columns of two dense or sparse matrices in one."""
    if not (is_sparse(left) or is_sparse(right)):
        return np.hstack([left, right])
    from scipy.sparse import hstack

    return hstack([left, right], format="csr")


def shared_rows(X: Vectors, pool: dict[Any, Any]) -> Rows:
    """The rows of X as they are, made once per expression."""
    return _pooled(("rows", id(X)), X, pool, lambda: rows(X.values, ORIGIN))


def shared_differences(X: Vectors, frame: Centre, lengthscale: Array | None, pool: dict[Any, Any]) -> Rows:
    """Rows for distances, from this centre and in these lengthscales; made once per expression."""
    if frame.at is None and lengthscale is None:
        return shared_rows(X, pool)
    key = ("differences", id(X), frame.at is None, None if lengthscale is None else lengthscale.tobytes())
    scale = None if lengthscale is None else 1.0 / lengthscale
    return _pooled(key, X, pool, lambda: rows(centred(X, frame, scale), frame))


def _pooled(key: Any, X: Vectors, pool: dict[Any, Any], make: Callable[[], Rows]) -> Rows:
    """The rows of X under this key, made if they are not in the pool.

    A function in the pool under ROWS_IN_POOL replaces new rows by its own, which a search uses to share pair statistics
    between many kernels (selection/shared_grams.py).
    """
    if key in pool:
        pool[key].shared = True
    else:
        made = make()
        pool[key] = pool[ROWS_IN_POOL](made) if ROWS_IN_POOL in pool else made
        pool["alive", id(X)] = X  # so that its id is not given to another object
    found: Rows = pool[key]
    return found


def centre(X: Vectors, pool: dict[Any, Any]) -> Centre:
    """A point near the data; the origin if that is near enough.  Found once per expression."""
    if ("centre", id(X)) not in pool:
        pool["centre", id(X)] = _find_centre(X)
        pool["alive", id(X)] = X
    found: Centre = pool["centre", id(X)]
    return found


def _find_centre(X: Vectors) -> Centre:
    """Per column the mean, if it is far from 0, rounded to a multiple of a power of two near the spread.

    Such a number has few binary digits, so subtracting it from data around it is exact: distances between near
    points keep every digit the data have.
    """
    V = X.values
    if X.sparse or not len(V):
        return ORIGIN
    V = V[:: len(V) // _SAMPLE + 1]
    with np.errstate(over="ignore", invalid="ignore"):
        mean, spread = V.mean(axis=0, dtype=np.float64), V.std(axis=0, dtype=np.float64)
        step = np.where(spread > 0.0, np.ldexp(1.0, np.frexp(spread)[1]), 0.0)
        step = np.maximum(step, np.spacing(abs(mean)))
        at = np.where(abs(mean) > _FAR * spread, np.rint(mean / step) * step, 0.0)
    return Centre(at) if at.any() else ORIGIN


def centred(X: Vectors, frame: Centre, scale: Array | None) -> Any:
    """(x - centre) * scale, computed in double precision and only then rounded."""
    V = X.values
    if frame.at is not None:
        same_width(len(frame.at), X.width)
        V = (V.toarray() if is_sparse(V) else V) - frame.at
    if scale is not None:
        V = V.multiply(scale).tocsr() if is_sparse(V) else V * scale
    with np.errstate(over="ignore"):  # `rows` finds an overflow and says so
        return V.astype(X.dtype, copy=False)


def same_width(p: int, q: int) -> None:
    """Refuse to compare rows of different length."""
    if p != q:
        raise bad("k(X, Y)", "Y", f"as many columns wide as X ({p})", f"{q} columns", "Pass the same columns in both.")


def dot(A: Rows, B: Rows) -> tuple[Array, bool]:
    """<a, b*> for all pairs, and whether the tile is the caller's to overwrite."""
    if (tile := A.known("dot", B)) is not None:
        return tile, False
    same_width(A.values.shape[1], B.values.shape[1])
    tile = _sparse_dot(A, B) if _stay_sparse(A, B) else _array(A) @ _array(B).conj().T
    return _keep(A, B, "dot", tile)


def sqdist(A: Rows, B: Rows) -> tuple[Array, bool]:
    """|a - b|^2 for all pairs, never negative, and whether the tile is the caller's to overwrite."""
    if (tile := A.known("sqdist", B)) is not None:
        return tile, False
    same_width(A.values.shape[1], B.values.shape[1])
    if _stay_sparse(A, B):
        tile = _sparse_sqdist(A, B)
    elif A.values.shape[1] <= _DIRECT:
        tile = _direct(A, B)
    else:
        tile = _from_dots(A, B)
    return _keep(A, B, "sqdist", tile)


def _stay_sparse(A: Rows, B: Rows) -> bool:
    """Whether a tile is computed from sparse rows; rows of few columns are faster as dense arrays."""
    return (A.sparse or B.sparse) and A.values.shape[1] > _NARROW


def _array(A: Rows) -> Array:
    """The rows of a tile as an array."""
    return np.ascontiguousarray(A.values.toarray()) if A.sparse else A.values


def own(statistic: tuple[Array, bool]) -> Array:
    """A tile that may be overwritten: the statistic itself, or a copy where others still need it."""
    tile, owned = statistic
    return tile if owned else tile.copy()


def _keep(A: Rows, B: Rows, name: str, tile: Array) -> tuple[Array, bool]:
    if A.shared:
        A.memo[name, id(B)] = tile
        A.memo["alive", id(B)] = B  # type: ignore[assignment]  # so that its id is not given to another object
    return tile, not A.shared


def _direct(A: Rows, B: Rows) -> Array:
    out = np.empty((len(A), len(B)), dtype=np.result_type(A.dtype, B.dtype))
    distance.direct(typed(_array(A), out.dtype), typed(_array(B).T, out.dtype), out)
    return out


def _from_dots(A: Rows, B: Rows) -> Array:
    G = own(dot(A, B))
    distance.from_dots(G, *(typed(V, G.dtype) for V in (A.sqnorm, B.sqnorm, _array(A), _array(B))))
    return G


def typed(V: Array, dtype: Any) -> Array:
    """V as a contiguous array of this number type, as the compiled loops want it; V itself where it is one."""
    return np.ascontiguousarray(V, dtype=dtype)


def as_csr(V: Any) -> Any:
    """V by compressed rows."""
    from scipy.sparse import csr_array

    return V if is_sparse(V) else csr_array(V)


def compressed(dtype: Any, *matrices: Any) -> list[Array]:
    """indptr, indices, data of each matrix: data of this number type, positions of one type for all matrices."""
    index = np.result_type(*(part for V in matrices for part in (V.indptr, V.indices)))
    parts = []
    for V in matrices:
        parts += [typed(V.indptr, index), typed(V.indices, index), typed(V.data, dtype)]
    return parts


def _sparse_dot(A: Rows, B: Rows) -> Array:
    a, b = as_csr(A.values), as_csr(B.values).conj().tocsc()
    out = np.empty((len(A), len(B)), dtype=np.result_type(a, b))
    sparse.dots(*compressed(out.dtype, a, b), out)
    return out


def _sparse_sqdist(A: Rows, B: Rows) -> Array:
    G = own(dot(A, B))
    norms = (typed(V, G.dtype) for V in (A.sqnorm, B.sqnorm))
    sparse.from_dots(G, *norms, *compressed(G.dtype, as_csr(A.values), as_csr(B.values)))
    return G


def squared_moments(A: Rows, B: Rows, M: Array) -> Array:
    """sum_ij M_ij (a_ik - b_jk)^2 for every column k; by products, unless rows are so long that digits would cancel."""
    if max(A.sqnorm.max(initial=0.0), B.sqnorm.max(initial=0.0)) > _LONG and not A.sparse:
        return np.asarray(squared_products(A, B, M, np.ones((len(B), 1))).sum(axis=(1, 2)))
    squares = weighted_squares(A, M.sum(axis=1)) + weighted_squares(B, M.sum(axis=0))
    return np.asarray(squares - 2.0 * product_moments(A, B, M))


def squared_products(A: Rows, B: Rows, M: Array, V: Array) -> Array:
    """sum_j M_ij (a_ik - b_jk)^2 V_jq for every column k, (columns, len(A), q), of dense rows."""
    out = np.zeros((len(A), V.shape[1] * A.values.shape[1]))
    distance.squared_products(*(typed(part, float) for part in (M, A.values, B.values.T, V.T)), out)
    return out.reshape(len(A), V.shape[1], -1).transpose(2, 0, 1)


def product_moments(A: Rows, B: Rows, M: Array) -> Array:
    """sum_ij M_ij a_ik b_jk for every column k: a matrix product, in double precision."""
    if A.sparse or B.sparse:
        a, b = as_csr(A.values).astype(np.float64), as_csr(B.values).astype(np.float64)
        return np.asarray(a.multiply(M @ b).sum(axis=0)).ravel()
    return np.asarray(np.einsum("ik,ik->k", A.values, M @ B.values.astype(np.float64, copy=False)))


def weighted_squares(A: Rows, w: Array) -> Array:
    """sum_i w_i a_ik^2 for every column k."""
    V = A.values.astype(np.float64)
    return np.asarray(w @ (V.power(2) if A.sparse else V * V)).ravel()
