"""Sums of a radial window over points by a tree of boxes: native/loops/window_tree.h has the method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.engine.pool import run
from mercer.native import window_tree
from mercer.typing import Array
from mercer.windows import Window, compact, unbounded

LEAF = 32  # points of a leaf for windows that end: fewer make more boxes to look at, more make more points
WIDE_LEAF = 128  # for windows that do not, where most leaves count
_QUERIES = 512  # of one task
_NOBODY = np.empty(0, dtype=np.intp)
_PROFILES = (
    unbounded.Gaussian,
    unbounded.Exponential,
    compact.Cosine,
    compact.Boxcar,
    compact.Triangular,
    compact.Epanechnikov,
    compact.Biweight,
    compact.Triweight,
    compact.TriCube,
)  # in the order of `Profile` in window_tree_types.h


def in_tree(window: Window) -> bool:
    """Whether the compiled sums know the window."""
    return type(window) in _PROFILES


@dataclass(frozen=True, eq=False)
class PointTree:
    """A balanced tree: node i has the children 2 i + 1 and 2 i + 2, and the points from start_i to below end_i."""

    points: Array  # (D, n), in the order of the tree
    weight: Array
    inverse: Array  # the inverse squared factor of every point; empty if all are 1
    start: Array
    end: Array
    low: Array
    high: Array
    facts: Array
    place: Array  # of every point in the tree

    @classmethod
    def grow(cls, rows: Array, weight: Array, inverse: Array | None, leaf: int = LEAF) -> PointTree:
        """The tree of so many rows."""
        n, D = rows.shape
        nodes = 2 ** (max(n // leaf, 1).bit_length()) - 1
        X, order = rows.copy(), np.arange(n)
        start, end = np.empty(nodes, dtype=np.intp), np.empty(nodes, dtype=np.intp)
        low, high, facts = np.empty((nodes, D)), np.empty((nodes, D)), np.empty((nodes, 5 + D))
        window_tree.grow_tree(X, order, start, end, low, high)
        points, weight = np.ascontiguousarray(X.T), np.ascontiguousarray(weight[order])
        inverse = np.empty(0) if inverse is None else np.ascontiguousarray(inverse[order])
        window_tree.node_facts(points, weight, inverse, start, end, low, high, facts)
        place = np.empty(n, dtype=np.intp)
        place[order] = np.arange(n)
        return cls(points, weight, inverse, start, end, low, high, facts, place)

    def log_sums(
        self, Q: Array, window: Window, rtol: float, atol: float, skip: Array | None = None
    ) -> tuple[Array, int, int]:
        """log sum_i v_i f(b_i |q - x_i|^2) for every row q of Q; the values of f and the nodes that this took.

        `skip` names the point that each query leaves out.
        """
        logs, counts = np.empty(len(Q)), []
        out = _NOBODY if skip is None else self.place[skip]
        profile = _PROFILES.index(type(window))

        def some(part: slice) -> None:
            counts.append(
                window_tree.tree_sums(
                    self.points, self.weight, self.inverse, self.start, self.end, self.low, self.high, self.facts,
                    Q[part], profile, rtol, atol, out[part], logs[part],
                )
            )  # fmt: skip

        run(some, [slice(i, min(i + _QUERIES, len(Q))) for i in range(0, len(Q), _QUERIES)])
        return logs, sum(values for values, _ in counts), sum(nodes for _, nodes in counts)
