"""Pairs of nodes of two graphs, by their labels and their distance (Borgwardt and Kriegel, 2005)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.items import Graphs
from mercer.kernels.base import Pool, kernel
from mercer.kernels.graphs.form import node_hashes
from mercer.kernels.graphs.histograms import HistogramKernel, Histograms, together
from mercer.native import graph_paths
from mercer.typing import Array

_ROOM = 1 << 16  # features of several graphs that are counted at a time


@kernel
class ShortestPath(HistogramKernel):
    """k(x, y) = the number of pairs of pairs of nodes, one pair in x and one in y, of equal labels and distance.

    The distance of two nodes is the number of edges of the shortest path; pairs without a path do not count, nor does a
    node with itself.  Labels of edges are not used.

    labelled    whether labels of nodes must agree; False compares distances only
    ordered     whether (u, v) and (v, u) are two pairs; in directed graphs they always are
    """

    labelled: bool = True
    ordered: bool = False

    psd_reason = "an inner product of features: how many pairs of nodes have each pair of labels and distance"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("labelled", "ordered"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise bad("ShortestPath", name, "True or False", repr(getattr(self, name)), "Choose one.")

    def prepare_in(self, X: Graphs, frame: Any, pool: Pool) -> Histograms:
        return together(X, _counts(X, node_hashes(X, self.labelled), self.ordered or X.directed))


def _counts(X: Graphs, labels: Array, ordered: bool) -> Iterator[tuple[Array, Array, Array]]:
    """(hashes, counts, ends) of as many graphs at a time as there is room for; there is twice the room if none fits."""
    first, room = 0, _ROOM
    while first < len(X):
        keys, counts = np.empty(room, dtype=np.int64), np.empty(room)
        ends = np.empty(len(X) - first + 1, dtype=np.int64)
        after = graph_paths.path_counts(X.nodes, X.start, X.neighbour, labels, ordered, first, keys, counts, ends)
        if after == first:
            room *= 2
            continue
        ends = ends[: after - first + 1].copy()
        yield keys[: ends[-1]].copy(), counts[: ends[-1]].copy(), ends
        first = after
