"""Vectors: rows of a dense or compressed sparse matrix, real or complex.

float32 stays float32, other real numbers become float64.  The check refuses what would give nonsense later:
ragged lists, object arrays, NaN, infinity, no columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from mercer.errors import bad, wrong_kind
from mercer.items.items import Items
from mercer.typing import Array, Index


def is_sparse(X: Any) -> bool:
    """Whether X is a scipy sparse matrix or array (without importing scipy)."""
    return hasattr(X, "tocsr")


@dataclass(frozen=True, eq=False)
class Vectors(Items):
    """n rows of d numbers: an (n, d) array, or a CSR matrix with sorted indices."""

    values: Any
    kind: ClassVar[str] = "vectors"

    @classmethod
    def check(cls, X: Any, owner: str) -> Self:
        if isinstance(X, cls):
            return X
        if isinstance(X, Items):
            raise wrong_kind(owner, "vectors", X.kind, "Use a kernel for that kind of item, or map the items first.")
        return cls(_csr(X, owner) if is_sparse(X) else _dense(X, owner))

    @property
    def sparse(self) -> bool:
        return is_sparse(self.values)

    @property
    def width(self) -> int:
        return int(self.values.shape[1])

    @property
    def dtype(self) -> np.dtype:
        found: np.dtype = self.values.dtype
        return found

    def __len__(self) -> int:
        return int(self.values.shape[0])

    def __getitem__(self, index: Index) -> Self:
        return type(self)(self.values[index])

    def pieces(self) -> Iterable[bytes]:
        V = self.values
        yield f"{V.dtype}{V.shape}".encode()
        parts = (V.indptr, V.indices, V.data) if self.sparse else (V,)
        yield from (np.ascontiguousarray(part).tobytes() for part in parts)

    def keys(self) -> list[bytes]:
        V = self.values.toarray() if self.sparse else self.values
        V = np.ascontiguousarray(V, dtype=np.complex128 if V.dtype.kind == "c" else np.float64)
        V = V + 0.0  # -0.0 becomes 0.0: equal numbers, equal keys
        return [row.tobytes() for row in V]


def _dense(X: Any, owner: str) -> Array:
    """X as a C-contiguous (n, d) array of finite floats."""
    if not isinstance(X, (np.ndarray, list, tuple)) and (hasattr(X, "to_numpy") or hasattr(X, "__dataframe__")):
        import narwhals

        X = narwhals.from_native(X, allow_series=True).to_numpy()  # a table of numbers, from any library
    if isinstance(X, (str, bytes)) or not (hasattr(X, "__len__") or hasattr(X, "__array__")):
        raise wrong_kind(owner, "a 2-d array of numbers", type(X).__name__, "Pass one row per item.")
    V = X if isinstance(X, np.ndarray) else _from_list(X, owner)
    if V.dtype.kind not in "fiubc":
        V = _from_objects(V, owner)
    if V.ndim != 2:
        raise bad(owner, "X", "2-dimensional, one row per item", f"{V.ndim} dimension(s), shape {V.shape}",
                  "Use X.reshape(-1, 1) for one column, X.reshape(1, -1) for one item.")  # fmt: skip
    if V.shape[1] == 0:
        raise bad(owner, "X", "at least one column wide", f"shape {V.shape}", "Pass the features of each item.")
    V = np.ascontiguousarray(V, dtype=_working_dtype(V.dtype))
    V = V if V.flags.aligned else V.copy()  # native loops read whole numbers
    _refuse_non_finite(V, owner)
    return V


def _working_dtype(dtype: np.dtype) -> np.dtype:
    """float32, complex64 and complex128 as they are; every other number as float64."""
    return dtype if dtype in (np.float32, np.complex64, np.complex128) else np.dtype(np.float64)


def _from_list(X: Any, owner: str) -> Array:
    """A nested list as an array; ragged rows are named, never made an object array."""
    lengths = [len(row) if hasattr(row, "__len__") and not isinstance(row, (str, bytes)) else -1 for row in X]
    odd = next((i for i, length in enumerate(lengths) if length != lengths[0]), None)
    if odd is not None:
        raise bad(owner, "X", "rows of one length", f"{lengths[0]} entries in row 0 and {lengths[odd]} in row {odd}",
                  "Sets or sequences of varying length need a set or sequence kernel.")  # fmt: skip
    return np.asarray(X) if lengths else np.empty((0, 1))


def _from_objects(V: Array, owner: str) -> Array:
    """An object array only if every entry is a number."""
    if V.dtype == object:
        try:
            return V.astype(np.float64)
        except (TypeError, ValueError):
            pass
    first = next((v for v in V.ravel().tolist() if not isinstance(v, (int, float))), None)
    raise wrong_kind(owner, "an array of numbers", f"dtype {V.dtype} holding {first!r}",
                     "Encode text and categories first, or choose columns with On(columns, kernel).")  # fmt: skip


def _csr(X: Any, owner: str) -> Any:
    """X as a canonical CSR matrix of finite floats."""
    if len(X.shape) != 2 or X.shape[1] == 0:
        raise bad(owner, "X", "2-dimensional with at least one column", f"shape {X.shape}", "Pass one row per item.")
    V = X.tocsr()
    if V.indices.size and not 0 <= V.indices.min() <= V.indices.max() < V.shape[1]:
        found = f"columns from {V.indices.min()} to {V.indices.max()}"
        rule = f"a sparse matrix with columns from 0 to {V.shape[1] - 1}"
        raise bad(owner, "X", rule, found, "Its indices are damaged: build it again.")
    if V.dtype != _working_dtype(V.dtype):
        V = V.astype(np.float64)
    if not V.has_canonical_format:
        V = V.copy() if V is X else V
        V.sum_duplicates()
    _refuse_non_finite(V.data, owner)
    return V


def _refuse_non_finite(V: Array, owner: str) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        total = V.sum()  # one cheap pass that sees any NaN or infinity; it may also overflow, then look again
    if np.isfinite(total) or np.isfinite(V).all():
        return
    where = tuple(int(i) for i in np.argwhere(~np.isfinite(V))[0])
    place = f"row {where[0]}, column {where[1]}" if len(where) == 2 else f"stored entry {where[0]}"
    raise bad(owner, "X", "finite numbers", f"{V[where]} at {place}", "Drop, impute or clip such entries first.")
