"""Rows: vectors made ready for inner products and distances, and the two pair statistics built on them.

    dot(A, B)_ij     = <a_i, b_j>             one matrix product
    sqdist(A, B)_ij  = |a_i - b_j|^2          the same, with near pairs computed directly

Distances are taken from a common centre (the `frame`), for data far from the origin would lose all their digits
otherwise.  When several kernels of one expression use the same rows, a tile's statistic is computed once: the
slices made for that tile remember it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from mercer.items.vectors import Vectors, is_sparse
from mercer.typing import Array, Index

_FEW = 4  # up to this many columns, direct differences cost no more than a matrix product


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


def rows(values: Any, frame: Centre) -> Rows:
    """Rows of a dense array or CSR matrix, norms summed in float64."""
    if is_sparse(values):
        squares = abs(values).power(2).astype(np.float64).sum(axis=1)
        sqnorm = np.asarray(squares).ravel()
    else:
        parts = (values.real, values.imag) if np.iscomplexobj(values) else (values,)
        sqnorm = sum(np.einsum("ij,ij->i", p, p, dtype=np.float64) for p in parts)
    return Rows(values, sqnorm.astype(values.real.dtype), frame)


def shared_rows(X: Vectors, frame: Centre, lengthscale: Array | None, pool: dict[Any, Any]) -> Rows:
    """Rows for these data, this centre and these lengthscales; made once per expression."""
    key = ("rows", id(X), frame.at is None, None if lengthscale is None else lengthscale.tobytes())
    if key in pool:
        pool[key].shared = True
    else:
        pool[key] = rows(centred(X, frame, None if lengthscale is None else 1.0 / lengthscale), frame)
    found: Rows = pool[key]
    return found


def centre(X: Vectors, pool: dict[Any, Any]) -> Centre:
    """The mean when it is far from the origin compared with the spread, else the origin; found once per expression."""
    if ("centre", id(X)) not in pool:
        pool["centre", id(X)] = _find_centre(X)
    found: Centre = pool["centre", id(X)]
    return found


def _find_centre(X: Vectors) -> Centre:
    if X.sparse or not len(X):
        return ORIGIN
    wide = np.complex128 if np.iscomplexobj(X.values) else np.float64
    mean = X.values.mean(axis=0, dtype=wide)
    spread = X.values.var(axis=0, dtype=wide).real.sum()
    return Centre(mean) if (abs(mean) ** 2).sum() > spread else ORIGIN


def centred(X: Vectors, frame: Centre, scale: Array | None) -> Any:
    """(x - centre) * scale, computed in double precision and only then rounded; complex numbers as pairs of reals."""
    V = X.values
    if frame.at is not None:
        V = V - frame.at
    if scale is not None:
        V = V.multiply(scale).tocsr() if is_sparse(V) else V * scale
    V = V.astype(X.dtype, copy=False)
    if np.iscomplexobj(V) and not is_sparse(V):
        V = np.hstack([V.real, V.imag])
    return V


def dot(A: Rows, B: Rows) -> tuple[Array, bool]:
    """<a, b*> for all pairs, and whether the tile is the caller's to overwrite."""
    if (tile := A.memo.get(("dot", id(B)))) is not None:
        return tile, False
    tile = _sparse_dot(A, B) if is_sparse(A.values) or is_sparse(B.values) else A.values @ B.values.conj().T
    return _keep(A, B, "dot", tile)


def sqdist(A: Rows, B: Rows) -> tuple[Array, bool]:
    """|a - b|^2 for all pairs, never negative, and whether the tile is the caller's to overwrite."""
    if (tile := A.memo.get(("sqdist", id(B)))) is not None:
        return tile, False
    if is_sparse(A.values) or is_sparse(B.values):
        tile = _sparse_sqdist(A, B)
    elif A.values.shape[1] <= _FEW:
        tile = _direct(A, B)
    else:
        tile = _from_dots(A, B)
    return _keep(A, B, "sqdist", tile)


def _keep(A: Rows, B: Rows, name: str, tile: Array) -> tuple[Array, bool]:
    if A.shared:
        A.memo[name, id(B)] = tile
        A.memo["alive", id(B)] = B  # type: ignore[assignment]  # an id is only good while its object lives
    return tile, not A.shared


def _direct(A: Rows, B: Rows) -> Array:
    from mercer.compiled import distance

    out = np.empty((len(A), len(B)), dtype=A.dtype)
    distance.direct(A.values, np.ascontiguousarray(B.values.T), out)
    return out


def _from_dots(A: Rows, B: Rows) -> Array:
    from mercer.compiled import distance

    G, owned = dot(A, B)
    out = G if owned else np.empty_like(G)
    distance.from_dots(G, A.sqnorm, B.sqnorm, A.values, B.values, out)
    return out


def _as_csr(V: Any) -> Any:
    from scipy.sparse import csr_array

    return V if is_sparse(V) else csr_array(V)


def _sparse_dot(A: Rows, B: Rows) -> Array:
    from mercer.compiled import sparse

    a, b = _as_csr(A.values), _as_csr(B.values).conj().tocsc()
    out = np.empty((len(A), len(B)), dtype=np.result_type(a, b))
    sparse.dots(a.indptr, a.indices, a.data, b.indptr, b.indices, b.data, out)
    return out


def _sparse_sqdist(A: Rows, B: Rows) -> Array:
    from mercer.compiled import sparse

    G, owned = dot(A, B)
    out = G if owned else np.empty_like(G)
    a, b = _as_csr(A.values), _as_csr(B.values)
    sparse.from_dots(G, A.sqnorm, B.sqnorm, a.indptr, a.indices, a.data, b.indptr, b.indices, b.data, out)
    return out
