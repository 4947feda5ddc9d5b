"""Labels of nodes that describe what surrounds them, against the same by dictionaries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.native.graph_sets import arrays, graphs, refuses_bad_graphs
from tests.native.refusals import refuses

from mercer.native import graph_labels
from mercer.testing.reference.graphs import MASK, paired

NONE = np.zeros(0, dtype=np.int64)


def groups(values):
    """The same number for equal values."""
    codes = {}
    return [codes.setdefault(value, len(codes)) for value in values]


@given(seed=st.integers(0, 10**6), with_arcs=st.booleans(), directed=st.booleans())
def test_refined_labels_agree_where_the_surroundings_do(isa, seed, with_arcs, directed):
    X = graphs(seed, directed=directed)
    label, arc = X.node_labels.hashes, X.edge_labels.hashes if with_arcs else NONE
    following = np.zeros_like(label)
    graph_labels.refine(**arrays(X), arc=arc, label=label, next=following)
    around = [[] for _ in label]
    for e, (u, v) in enumerate(zip(X.source, X.target, strict=True)):
        around[u].append((arc[e] if with_arcs else 0, label[v]))
    expected = [(own, tuple(sorted(others))) for own, others in zip(label, around, strict=True)]
    assert groups(following.tolist()) == groups(expected)


@given(seed=st.integers(0, 10**6), undirected=st.booleans())
def test_keys_of_arcs_agree_where_their_labels_do(isa, seed, undirected):
    X = graphs(seed)
    label, arc, key = X.node_labels.hashes, X.edge_labels.hashes, np.zeros(len(X.neighbour), dtype=np.int64)
    graph_labels.arc_keys(**arrays(X), arc=arc, label=label, undirected=undirected, key=key)
    ends = [(label[u], label[v]) for u, v in zip(X.source, X.target, strict=True)]
    ends = [tuple(sorted(pair)) if undirected else pair for pair in ends]
    assert groups(key.tolist()) == groups(zip(ends, arc.tolist(), strict=True))


def test_hashes_are_those_of_plain_integers(isa):
    """So that they are the same at every instruction set and in every version."""
    X = graphs(5)
    label, arc = X.node_labels.hashes, X.edge_labels.hashes
    following = np.zeros_like(label)
    graph_labels.refine(**arrays(X), arc=arc, label=label, next=following)
    around = [0] * len(label)
    for e, (u, v) in enumerate(zip(X.source, X.target, strict=True)):
        around[u] += paired(int(arc[e]) & MASK, int(label[v]) & MASK)
    expected = [paired(int(own) & MASK, total & MASK) for own, total in zip(label, around, strict=True)]
    assert [int(h) & MASK for h in following] == expected


def test_wrong_arguments_are_named():
    X = graphs(1)
    label = X.node_labels.codes.copy()
    arguments = arrays(X) | {"arc": X.edge_labels.codes.copy(), "label": label, "next": label.copy()}
    refuses(graph_labels.refine, arguments, {"next"}, free={"nodes", "start", "neighbour"})
    refuses_bad_graphs(graph_labels.refine, arguments)
    arguments = arrays(X) | {"arc": X.edge_labels.codes.copy(), "label": label, "undirected": True}
    arguments |= {"key": np.zeros_like(X.neighbour)}
    refuses(graph_labels.arc_keys, arguments, {"key"}, free={"nodes", "start", "neighbour"})
    refuses_bad_graphs(graph_labels.arc_keys, arguments)
    with pytest.raises(ValueError, match=r"^arc_keys: arc must be empty or"):
        graph_labels.arc_keys(**arguments | {"arc": np.zeros(1, dtype=np.int64)})
