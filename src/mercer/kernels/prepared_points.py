"""Lists of points made ready for a kernel: one array of points, and arrays with a number or more for every point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.items import PointLists
from mercer.items.point_lists import chosen
from mercer.kernels.prepared_rows import same_width, typed
from mercer.typing import Array, Index


@dataclass(eq=False)
class Points:
    """`at` has a row for every point, and so has every array of `more`; list i is rows ends[i] to ends[i + 1] - 1."""

    at: Array
    ends: Array
    more: tuple[Array, ...] = ()
    frame: Any = None

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, index: Index) -> Self:
        rows, ends = chosen(self.ends, index)
        return type(self)(self.at[rows], ends, tuple(part[rows] for part in self.more), self.frame)

    @property
    def lengths(self) -> Array:
        return np.diff(self.ends)

    def arrays(self, *more: int) -> tuple[Array, ...]:
        """The points, the ends, and these of the other arrays, as the compiled loops want them."""
        return typed(self.at, float), typed(self.ends, np.intp), *(typed(self.more[k], float) for k in more)


def require_points(owner: str, X: PointLists) -> None:
    """Refuse lists without a point, for which the kernel is not defined."""
    empty = np.flatnonzero(X.lengths == 0)
    if empty.size:
        raise bad(owner, "X", "lists of at least one point", f"an empty list in row {empty[0]}", "Drop such items.")


def same_points(A: Points, B: Points) -> None:
    """Refuse to compare points of different width."""
    if len(A) and len(B):
        same_width(A.at.shape[1], B.at.shape[1])
