"""Shortest paths by labels and length, against those of SciPy."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path
from tests.native.graph_sets import arrays, graphs, refuses_bad_graphs
from tests.native.refusals import refuses

from mercer.native import graph_paths


def expected(X, g, ordered):
    """How often each (labels, distance) occurs in graph g, as sorted counts."""
    one = X[np.array([g])]
    n, label = len(one.start) - 1, one.node_labels.codes
    if not n:
        return []
    D = shortest_path(csr_array((np.ones(len(one.neighbour)), one.neighbour, one.start), shape=(n, n)), unweighted=True)
    pairs = [(u, v) for u in range(n) for v in range(n) if (u != v if ordered else u < v) and np.isfinite(D[u, v])]
    ends = [(label[u], label[v]) if ordered else tuple(sorted((label[u], label[v]))) for u, v in pairs]
    return sorted(Counter((pair, D[edge]) for pair, edge in zip(ends, pairs, strict=True)).values())


@given(seed=st.integers(0, 999), directed=st.booleans(), room=st.sampled_from((12, 40, 2000)), first=st.integers(0, 7))
def test_paths_are_counted_as_far_as_there_is_room(isa, seed, directed, room, first):
    X = graphs(seed, directed=directed)
    keys, counts, ends = np.zeros(room, np.int64), np.zeros(room), np.zeros(len(X) - first + 1, np.int64)
    labels = X.node_labels.hashes
    after = graph_paths.path_counts(**arrays(X), label=labels, ordered=directed, first=first, keys=keys, counts=counts,
                                    ends=ends)  # fmt: skip
    for g in range(first, after):
        part = slice(ends[g - first], ends[g - first + 1])
        assert sorted(counts[part].tolist()) == expected(X, g, directed)
        assert len(set(keys[part].tolist())) == part.stop - part.start
    if after < len(X):
        assert ends[after - first] + len(expected(X, after, directed)) > room


def test_wrong_arguments_are_named():
    X = graphs(1)
    arguments = arrays(X) | {"label": X.node_labels.codes.copy(), "ordered": True, "first": 0,
                             "keys": np.zeros(500, np.int64), "counts": np.zeros(500)}  # fmt: skip
    arguments["ends"] = X.nodes.copy()
    refuses(graph_paths.path_counts, arguments, {"keys", "counts", "ends"},
            free={"nodes", "start", "neighbour", "keys", "ends"})  # fmt: skip
    refuses_bad_graphs(graph_paths.path_counts, arguments)
    with pytest.raises(ValueError, match=r"^path_counts: first must be a graph, 0 to 7; got 8"):
        graph_paths.path_counts(**arguments | {"first": 8})
    with pytest.raises(ValueError, match=r"^path_counts: ends must be at least one long"):
        graph_paths.path_counts(**arguments | {"ends": X.nodes[:0].copy()})
