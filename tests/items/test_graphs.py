"""Graphs from every form, and what is refused (K38)."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import coo_array, csr_array

from mercer.items import Graphs, Objects
from mercer.items.joined import joined

EDGES = [(0, 1), (1, 2), (2, 0), (2, 3)]
LABELS = ["C", "C", "O", "N"]
BONDS = ["single", "double", "single", "single"]


def adjacency(directed=False):
    A = np.zeros((4, 4))
    for u, v in EDGES:
        A[u, v] = 1
        if not directed:
            A[v, u] = 1
    return A


def described(**more):
    return {"n": 4, "edges": [list(edge) for edge in EDGES], **more}


def plain(X):
    """The arrays of a dataset without labels."""
    return X.nodes.tolist(), X.start.tolist(), X.neighbour.tolist()


FORMS = {
    "dict": described(),
    "dict without n": {"edges": EDGES},
    "dict of arrays": {"n": 4, "edges": np.array(EDGES)},
    "JSON": json.dumps(described()),
    "array": adjacency(),
    "csr": csr_array(adjacency()),
    "coo, integers": coo_array(adjacency().astype(int)),
    "edge list": EDGES,
    "edge list, array": np.array(EDGES),
    "edge list, names": [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")],
    "both directions": EDGES + [(v, u) for u, v in EDGES],
    "adjacency dict": {0: [1, 2], 1: [0, 2], 2: [0, 1, 3], 3: [2]},
}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_are_the_same_graph_K38(form):
    assert plain(Graphs.check([FORMS[form]], "test")) == ([0, 4], [0, 2, 4, 7, 8], [1, 2, 0, 2, 0, 1, 3, 2])


def test_a_form_that_knows_its_direction_keeps_it_K38():
    X = Graphs.of([csr_array(adjacency(directed=True))], directed=True)
    assert X.directed
    assert plain(X) == ([0, 4], [0, 1, 2, 4, 4], [1, 2, 0, 3])
    assert plain(Graphs.of([described(directed=True)], symmetrise=True)) == plain(Graphs.of([described()]))
    assert X.sizes.tolist() == Graphs.of([described()]).sizes.tolist() == [4]


def test_networkx_by_its_own_names_K38():
    nx = pytest.importorskip("networkx")
    G = nx.Graph()
    for u, label in enumerate(LABELS):
        G.add_node(f"node {u}", label=label, atom=label.lower(), place=[u, 2.0 * u])
    for (u, v), bond in zip(EDGES, BONDS, strict=True):
        G.add_edge(f"node {u}", f"node {v}", label=bond, length=1.5)
    same = Graphs.check([described(node_labels=LABELS, edge_labels=BONDS)], "test")
    assert Graphs.check([G], "test").fingerprint() == same.fingerprint()
    other = Graphs.of([G], node_label="atom", edge_label=None, node_attributes="place", edge_attributes="length")
    assert other.node_labels.values == ["c", "c", "o", "n"]
    assert other.edge_labels is None
    assert_array_equal(other.node_attributes, [[u, 2.0 * u] for u in range(4)])
    assert_array_equal(other.edge_attributes, np.full((8, 1), 1.5))
    assert Graphs.check([nx.DiGraph(EDGES)], "test").directed
    with pytest.raises(ValueError, match=r"graph 0 must be a graph with at most one edge .* got MultiGraph"):
        Graphs.check([nx.MultiGraph(EDGES)], "test")
    with pytest.raises(TypeError, match=r"one graph\. Put it in a list"):
        Graphs.check(G, "test")


def test_igraph_K38():
    igraph = pytest.importorskip("igraph")
    G = igraph.Graph(n=4, edges=EDGES)
    G.vs["label"], G.es["label"] = LABELS, BONDS
    same = Graphs.check([described(node_labels=LABELS, edge_labels=BONDS)], "test")
    assert Graphs.check([G], "test").fingerprint() == same.fingerprint()
    assert Graphs.of([G], node_label=None, edge_label=None).node_labels is None
    assert Graphs.check([igraph.Graph(n=2, edges=[(0, 1)], directed=True)], "test").directed


def test_descriptions_make_the_same_graphs():
    given = [
        described(node_labels=LABELS, edge_labels=BONDS, node_attributes=[[1.0], [2.0], [3.0], [4.0]],
                  edge_attributes=[[0.5, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]]),
        {"n": 1, "edges": [[0, 0]], "node_labels": ["N"], "edge_labels": ["loop"], "node_attributes": [[0.0]],
         "edge_attributes": [[9.0, 9.0]]},
    ]  # fmt: skip
    X = Graphs.check(given, "test")
    assert Graphs.check(X.values, "test").fingerprint() == X.fingerprint()
    assert X.sizes.tolist() == [4, 1]
    assert X.orders.tolist() == [4, 1]
    assert len(Objects.check(X, "test")) == 2


def test_joined_graphs_are_those_read_together():
    a, b = [described(node_labels=LABELS)], [{"n": 2, "edges": [[0, 1]], "node_labels": ["F", "C"]}]
    both = joined(Graphs.check(a, "test"), Graphs.check(b, "test"))
    assert both.fingerprint() == Graphs.check(a + b, "test").fingerprint()
    with pytest.raises(TypeError, match="graphs with labels of nodes like those before"):
        joined(Graphs.check(a, "test"), Graphs.check([EDGES], "test"))


WRONG = {
    "an edge outside": ([{"n": 2, "edges": [[0, 2]]}], "an edge of graph 0 must be between nodes 0 to 1; got .0, 2."),
    "a triple": ([{"n": 3, "edges": [[0, 1, 2]]}], r"edges are pairs of node numbers; got \[0, 1, 2\] in graph 0"),
    "a part of a node": ([{"n": 3, "edges": [[0, 0.5]]}], "edges are pairs of node numbers"),
    "text as a node": ([{"n": 3, "edges": [["a", "b"]]}], "edges are pairs of node numbers"),
    "n": ([{"n": -1, "edges": []}], "n of graph 0 must be the number of its nodes; got -1"),
    "an unknown key": ([{"n": 1, "edges": [], "colour": 1}], "graph 0 must be described by n, edges"),
    "no matrix": ([np.zeros((2, 3))], "got .* as an edge in row 0"),
    "a number": ([3], "must be graphs; got int in row 0"),
    "a text": (["abc"], "text in row 0 that is no JSON object"),
    "one-sided": ([{0: [1], 1: []}], "adjacency of graph 0 must be symmetric.*an edge from 0 to 1 and none back"),
    "asymmetric": ([np.eye(2), [[0, 1], [1, 2]], csr_array(adjacency(True))], "adjacency of graph 2 must be symmetric"),
    "unknown neighbour": ([{0: [7]}], "7 only as a neighbour of 0"),
    "labels of some graphs": ([described(node_labels=LABELS), described()],
                              "node_labels of graph 1 must be given for each of its nodes, .*; got none"),
    "too few labels": ([described(node_labels=LABELS[:3])], "got 3 for 4 nodes"),
    "kinds of labels": ([described(node_labels=["C", "C", "C", 1])],
                        "labels of nodes are of one kind; got text 'C' and number 1"),
    "a missing label": ([described(node_labels=["C", "C", "C", None])], "given for all of them or for none; got None"),
    "a list as label": ([described(node_labels=[[1], [2], [3], [4]])], "labels of nodes can be compared"),
    "attributes": ([described(node_attributes=[[1.0], [2.0, 3.0], [1.0], [1.0]])], "vectors of one length"),
    "infinite": ([described(node_attributes=[[1.0], [np.inf], [1.0], [1.0]])], "finite numbers; got .*inf.* graph 0"),
    "directions": ([described(), described(directed=True)], "all directed or all undirected; got graph 1 directed"),
    "two labels": ([{"n": 2, "edges": [[0, 1], [1, 0]], "edge_labels": [1, 2]}], "one with two labels"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_bad_graphs_are_refused_K38(case):
    given, message = WRONG[case]
    with pytest.raises((ValueError, TypeError), match=f"^test: .*{message}"):
        Graphs.check(given, "test")


def test_directed_graphs_declared_undirected_are_refused_K38():
    with pytest.raises(ValueError, match=r"graph 0 must be undirected.*symmetrise=True"):
        Graphs.of([described(directed=True)], directed=False)
