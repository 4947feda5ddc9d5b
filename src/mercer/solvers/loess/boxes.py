"""The tree of boxes whose vertices are the centres of local fits (Cleveland & Grosse, 1991).

The root holds all points, with a margin of 0.5 %.  A box with more than `most` points is cut at the median of the
column in which its points reach furthest.  So boxes are small where points are dense.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.typing import Array

_MARGIN = 0.005  # of the range of a column, on both sides


@dataclass(frozen=True, eq=False)
class Boxes:
    """Box 0 is the root.  axis is -1 for a leaf; points with x[axis] <= cut are below.

    corners (boxes, 2^d): places in `vertices` (m, d), the first column the quickest to change.
    """

    axis: Array
    cut: Array
    below: Array
    above: Array
    parent: Array
    corners: Array
    vertices: Array

    def arrays(self) -> tuple[Array, ...]:
        """All of it, as the compiled loops take it."""
        return self.axis, self.cut, self.below, self.above, self.parent, self.corners, self.vertices

    @property
    def lower(self) -> Array:
        """The lower limits of the root."""
        return np.asarray(self.vertices[self.corners[0, 0]])

    @property
    def upper(self) -> Array:
        """The upper limits of the root."""
        return np.asarray(self.vertices[self.corners[0, -1]])


def grow(Xt: Array, most: int) -> Boxes:
    """Boxes of at most so many points; a single row of Xt ascends."""
    tree = _Growing(Xt)
    rows = _Range(Xt[0], 0, Xt.shape[1]) if len(Xt) == 1 else _Rows(Xt, np.arange(Xt.shape[1]))
    waiting: list[_Range | _Rows] = [rows]
    for p, rows in enumerate(waiting):  # grows as boxes are cut
        if len(rows) <= most or len(rows) == 0:
            continue
        k = rows.widest()
        cut, low, high = rows.halves(k)
        if tree.lies_inside(p, k, cut):
            tree.cut(p, k, cut)
            waiting += [low, high]
    return tree.boxes()


class _Growing:
    """Lists that become the arrays of a tree."""

    def __init__(self, Xt: Array) -> None:
        low, high = Xt.min(axis=1), Xt.max(axis=1)
        size = np.maximum(np.abs(low), np.abs(high))
        margin = _MARGIN * np.maximum(high - low, 1e-10 * size + 1e-30)
        ends = list(zip((low - margin).tolist(), (high + margin).tolist(), strict=True))
        self.vertices = [tuple(ends[k][v >> k & 1] for k in range(len(Xt))) for v in range(1 << len(Xt))]
        self.known = {vertex: place for place, vertex in enumerate(self.vertices)}
        self.corners = [list(range(1 << len(Xt)))]
        self.axis, self.place, self.below, self.above, self.parent = [-1], [0.0], [-1], [-1], [-1]

    def lies_inside(self, p: int, k: int, cut: float) -> bool:
        """Whether a cut lies between the limits of a box, not on one of them."""
        corners = self.corners[p]
        return cut not in (self.vertices[corners[0]][k], self.vertices[corners[-1]][k])

    def cut(self, p: int, k: int, place: float) -> None:
        """Cut box p: its children share the vertices on the cut."""
        low, high = list(self.corners[p]), list(self.corners[p])
        for v in range(len(low)):
            if not v >> k & 1:
                vertex = self._vertex(self.vertices[low[v]], k, place)
                low[v | 1 << k], high[v] = vertex, vertex
        self.axis[p], self.place[p], self.below[p], self.above[p] = k, place, len(self.axis), len(self.axis) + 1
        for corners in (low, high):
            self.corners.append(corners)
            self.axis.append(-1)
            self.place.append(0.0)
            self.below.append(-1)
            self.above.append(-1)
            self.parent.append(p)

    def _vertex(self, other: tuple[float, ...], k: int, place: float) -> int:
        """The number of the vertex like another one but for column k."""
        vertex = (*other[:k], place, *other[k + 1 :])
        if vertex not in self.known:
            self.known[vertex] = len(self.vertices)
            self.vertices.append(vertex)
        return self.known[vertex]

    def boxes(self) -> Boxes:
        whole = (np.array(values, dtype=np.intp) for values in (self.axis, self.below, self.above, self.parent))
        axis, below, above, parent = whole
        corners = np.array(self.corners, dtype=np.intp)
        return Boxes(axis, np.array(self.place), below, above, parent, corners, np.array(self.vertices))


@dataclass(frozen=True, eq=False)
class _Range:
    """The points of a box in one column: from `start` to below `stop` of ascending x."""

    x: Array
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start

    def widest(self) -> int:
        return 0

    def halves(self, k: int) -> tuple[float, _Range, _Range]:
        """The cut, and the points up to it and beyond."""
        m = _without_ties(self.x, self.start, self.stop - 1)
        return float(self.x[m]), _Range(self.x, self.start, m + 1), _Range(self.x, m + 1, self.stop)


@dataclass(frozen=True, eq=False)
class _Rows:
    """The points of a box in several columns, by their positions."""

    Xt: Array
    index: Array

    def __len__(self) -> int:
        return len(self.index)

    def widest(self) -> int:
        return int(np.argmax([np.ptp(row[self.index]) for row in self.Xt]))

    def halves(self, k: int) -> tuple[float, _Rows, _Rows]:
        """The cut at the median of column k, and the points up to it and beyond."""
        x, m = self.Xt[k][self.index], (len(self.index) - 1) // 2
        order = np.argpartition(x, m)
        if m + 1 < len(x) and x[order[m + 1 :]].min() == x[order[m]]:
            order = np.argsort(x, kind="stable")
            m = _without_ties(x[order], 0, len(x) - 1)
        index = self.index[order]
        return float(x[order[m]]), _Rows(self.Xt, index[: m + 1]), _Rows(self.Xt, index[m + 1 :])


def _without_ties(x: Array, first: int, last: int) -> int:
    """The place nearest to the middle of first, ..., last behind which ascending x changes; the middle if none.

    Looks at the middle, then one to the right, one to the left, two to the right, ... as the original does.
    """
    middle = (first + last) // 2
    offset = 0
    while first <= middle + offset < last:
        if x[middle + offset] != x[middle + offset + 1]:
            return middle + offset
        offset = -offset if offset > 0 else 1 - offset
    return middle
