"""The pyramid match kernel of sets of points: how many can be paired, by the size of the cell that both lie in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.items import PointLists
from mercer.kernels.base import Pool, kernel
from mercer.kernels.function_of_kernel import is_count
from mercer.kernels.prepared_rows import ORIGIN, rows
from mercer.kernels.word_counts import Counting, Counts, counts
from mercer.typing import Array


@kernel
class PyramidMatch(Counting):
    """k(X, Y) = sum_l 2^-l (I_l - I_(l-1)), where I_l counts the pairs that can be matched in cells of side `side` 2^l.

    I_l = sum over cells of min(points of X, points of Y), for l = 0, ..., levels (Grauman and Darrell, 2005).  Cells
    start at `offset`, which should not be above any coordinate: cells below and above it never merge.  More levels than
    it takes to put all points into one cell change nothing.  An empty set has the value 0; k(X, X) is the number of
    points.
    """

    levels: int = 10
    side: float = 1.0
    offset: float = 0.0

    items = PointLists
    psd_reason = "a sum of histogram intersections with weights 2^-l - 2^-(l+1) and, of the last, 2^-levels"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_count(self.levels) or self.levels > _MOST:
            raise bad("PyramidMatch", "levels", f"an integer from 0 to {_MOST}", repr(self.levels),
                      "Cells double from level to level.")  # fmt: skip
        if not (np.isscalar(self.side) and np.isfinite(self.side) and self.side > 0.0):  # type: ignore[operator]
            raise bad("PyramidMatch", "side", "a positive number", repr(self.side), "It is that of the finest cells.")
        if not (np.isscalar(self.offset) and np.isfinite(self.offset)):
            raise bad("PyramidMatch", "offset", "a finite number", repr(self.offset), "It is where cells start.")

    def prepare_in(self, X: PointLists, frame: Any, pool: Pool) -> Counts:
        """A word for every level, cell and 1, ..., number of points in it: min(a, b) is the number of common words."""
        found = counts(self._words(X), frame)
        V = found.rows.values
        levels = np.array([int.from_bytes(word[:8], "little") for word in found.words], dtype=np.intp)
        V.data = np.sqrt(self._weights)[levels][V.indices]
        return Counts(rows(V, ORIGIN), found.words)

    @property
    def _weights(self) -> Array:
        steps = 0.5 ** np.arange(self.levels + 1)
        steps[:-1] -= steps[1:]
        return steps

    def _words(self, X: PointLists) -> Iterator[list[bytes]]:
        cells = np.floor((X.points - self.offset) / self.side)
        if cells.size and abs(cells).max() >= _LARGEST:
            raise bad("PyramidMatch", "side", f"at least a {_LARGEST:.0e}th of the largest coordinate", repr(self.side),
                      "Take larger cells, or scale the points.")  # fmt: skip
        fine = cells.astype(np.int64)
        levels = [_numbered(X.ends, fine >> level, level) for level in range(self.levels + 1)]
        for a, b in zip(X.ends[:-1], X.ends[1:], strict=True):
            yield [word.tobytes() for level in levels for word in level[a:b]]


_MOST = 62
_LARGEST = 2.0**62


def _numbered(ends: Array, cells: Array, level: int) -> Array:
    """(points, 2 + width): the level, the cell, and how many points of the set are in it up to this one."""
    lists = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    order = np.lexsort([*cells.T, lists])
    keys = np.column_stack([lists, cells])[order]
    new = np.ones(len(keys), dtype=bool)
    new[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    first = np.maximum.accumulate(np.where(new, np.arange(len(keys)), 0))
    number = np.empty(len(keys), dtype=np.int64)
    number[order] = np.arange(len(keys)) - first
    return np.column_stack([np.full(len(keys), level, dtype="<i8"), number, cells]).astype("<i8")
