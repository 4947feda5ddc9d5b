"""Lists of points: each item holds any number of vectors of one width.

A kernel decides what a list means: a sequence (a time series, a path), whose order counts, or a set of points, whose
order does not.  All points lie in one array, list after list, so that a thousand short lists cost one array.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from mercer.errors import bad, wrong_kind
from mercer.items.items import Items
from mercer.items.symbols import is_frame
from mercer.typing import Array, Index

_CURE = "Pass a list of arrays of shape (points, width), e.g. [[[0, 1], [2, 3]], [[4, 5]]]."


@dataclass(frozen=True, eq=False)
class PointLists(Items):
    """n lists of points: list i is rows ends[i] to ends[i + 1] - 1 of `points`."""

    points: Array
    ends: Array
    kind: ClassVar[str] = "lists of points"

    @classmethod
    def check(cls, X: Any, owner: str) -> Self:
        if isinstance(X, cls):
            return X
        return cls.of([_points(value, owner, row) for row, value in enumerate(_lists(X, owner))], owner)

    @classmethod
    def of(cls, lists: list[Array], owner: str) -> Self:
        """From one (points, width) array per item; an empty list has any width."""
        widths = [V.shape[1] for V in lists if len(V)]
        odd = next((row for row, V in enumerate(lists) if len(V) and V.shape[1] != widths[0]), None)
        if odd is not None:
            got = f"{widths[0]} and, in row {odd}, {lists[odd].shape[1]} numbers"
            raise bad(owner, "X", "points of one width", got, "Give every point the same coordinates.")
        width = widths[0] if widths else 1
        points = np.concatenate([np.empty((0, width)), *(V.reshape(len(V), width) for V in lists)])
        return cls(points, np.cumsum([0, *map(len, lists)], dtype=np.intp))

    @property
    def width(self) -> int:
        return int(self.points.shape[1])

    @cached_property
    def lengths(self) -> Array:
        """The number of points of every list."""
        return np.diff(self.ends)

    @property
    def values(self) -> list[Array]:
        """One (points, width) array per item, for functions of the user."""
        return [self.points[a:b] for a, b in zip(self.ends[:-1], self.ends[1:], strict=True)]

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, index: Index) -> Self:
        rows, ends = chosen(self.ends, index)
        return type(self)(self.points[rows], ends)

    def followed_by(self, other: PointLists) -> Self:
        """These items and then those of another dataset."""
        return type(self).of([*self.values, *other.values], "joined")

    def pieces(self) -> Iterable[bytes]:
        points = self.points + 0.0  # -0.0 becomes 0.0: equal numbers, equal bytes
        yield f"{len(self)} lists of {self.width} columns".encode()
        yield self.ends.astype("<i8").tobytes()
        yield points.astype("<f8").tobytes()

    def keys(self) -> list[bytes]:
        return [V.shape[0].to_bytes(8, "little") + (V + 0.0).tobytes() for V in self.values]


def chosen(ends: Array, index: Index) -> tuple[Index, Array]:
    """Which rows the lists at `index` have in the array of all points, and where they end in an array of these rows."""
    if isinstance(index, slice) and index.step in (None, 1):
        kept = ends[:-1][index]
        if not len(kept):
            return slice(0, 0), np.zeros(1, dtype=np.intp)
        first = index.indices(len(ends) - 1)[0]
        some = ends[first : first + len(kept) + 1]
        return slice(int(some[0]), int(some[-1])), np.ascontiguousarray(some - some[0])
    starts, lengths = ends[:-1][index], np.diff(ends)[index]
    new = np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)
    return np.repeat(starts - new[:-1], lengths) + np.arange(new[-1]), new


def _lists(X: Any, owner: str) -> list[Any]:
    if isinstance(X, Items):
        raise wrong_kind(
            owner, "lists of points", X.kind, "Use a kernel for that kind of item, or map the items first."
        )
    if isinstance(X, (str, bytes)):
        raise wrong_kind(owner, "lists of points", f"one {type(X).__name__}", "Put it in a list, even for one item.")
    if isinstance(X, np.ndarray) and X.ndim == 2:
        cure = "Write X[:, :, None] for one series of numbers per row, X[:, None, :] for one point per row."
        raise wrong_kind(owner, "lists of points", f"ndarray of shape {X.shape}", cure)
    if isinstance(X, (dict, set, frozenset)) or not hasattr(X, "__len__") or is_frame(X):
        raise wrong_kind(owner, "lists of points", type(X).__name__, _CURE)
    for name in ("to_list", "to_pylist"):  # a column of pandas, polars, pyarrow
        if hasattr(X, name):
            return list(getattr(X, name)())
    return list(X)


def _points(value: Any, owner: str, row: int) -> Array:
    """One item as a (points, width) array of finite numbers; a list of numbers is one of points of width 1."""
    try:
        V = np.asarray(value)
        V = V if V.dtype.kind in "fiub" else V.astype(np.float64) if V.dtype == object and V.size else V
    except (TypeError, ValueError):  # points of several widths, or no numbers
        raise _refused(value, owner, row) from None
    if V.size == 0 and V.ndim:
        return np.empty((0, 1))
    if V.dtype.kind not in "fiub" or V.ndim not in (1, 2):
        raise _refused(value, owner, row)
    V = np.asarray(V.reshape(len(V), -1), dtype=np.float64)
    if not np.isfinite(V).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(V))[0])
        raise bad(owner, "X", "finite numbers", f"{V[at]} in row {row}, point {at[0]}",
                  "Drop, impute or clip such points first.")  # fmt: skip
    return V


def _refused(value: Any, owner: str, row: int) -> Exception:
    widths = {np.size(point) for point in value} if isinstance(value, (list, tuple)) else set()
    if len(widths) > 1:
        return bad(owner, "X", "points of one width", f"{sorted(widths)} numbers in row {row}",
                   "Give every point the same coordinates.")  # fmt: skip
    return wrong_kind(owner, "lists of points", f"{type(value).__name__} in row {row}", _CURE)
