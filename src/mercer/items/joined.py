"""Two datasets of one kind as one, for machines that learn from more items after they were fitted."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from mercer.errors import wrong_kind
from mercer.items import Graphs, Items, PointLists, Table
from mercer.items.vectors import is_sparse

T = TypeVar("T", bound=Items)


def joined(A: T, B: Items) -> T:
    """The items of A followed by those of B."""
    if type(A) is not type(B) or (isinstance(A, Table) and isinstance(B, Table) and list(A.columns) != list(B.columns)):
        raise wrong_kind("joined", f"{A.kind} like those before", B.kind, "Pass items of the same kind and columns.")
    if isinstance(A, Table) and isinstance(B, Table):
        return type(A)({name: _together(A.columns[name], B.columns[name]) for name in A.columns})
    if isinstance(A, PointLists) and isinstance(B, PointLists):
        return A.followed_by(B)
    if isinstance(A, Graphs) and isinstance(B, Graphs):
        return A.followed_by(B)
    return type(A)(_together(A.values, B.values))  # type: ignore[attr-defined, call-arg]


def _together(a: Any, b: Any) -> Any:
    if is_sparse(a) or is_sparse(b):
        from scipy.sparse import vstack

        return vstack([a, b], format="csr")
    return np.concatenate([a, b]) if isinstance(a, np.ndarray) else a + b
