"""Kernels of graphs: closed forms, invariance, and values that depend on the pair alone (K38)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mercer.items import Graphs
from mercer.kernels import Exp, Graphlet, Normalised, On, Propagation, RandomWalk, ShortestPath, WeisfeilerLehman, parse
from mercer.testing import check_kernel

KERNELS = [
    WeisfeilerLehman(3),
    WeisfeilerLehman(2, "edge"),
    WeisfeilerLehman(3, "assignment"),
    ShortestPath(),
    ShortestPath(ordered=True),
    RandomWalk(0.03),
    RandomWalk(0.03, labelled=False),
    Graphlet(4),
    Propagation(3),
]
kernels = pytest.mark.parametrize("k", KERNELS, ids=repr)


def cycle(n, first=0):
    return [(first + i, first + (i + 1) % n) for i in range(n)]


def path(n):
    return {"n": n, "edges": [(i, i + 1) for i in range(n - 1)]}


def random_graph(rng, labelled=True):
    n = int(rng.integers(1, 9))
    edges = [(i, j) for i in range(n) for j in range(i) if rng.random() < 0.4]
    graph = {"n": n, "edges": edges}
    return graph | ({"node_labels": rng.choice(list("CNO"), size=n).tolist()} if labelled else {})


def shuffled(rng, graph):
    """The same graph with its nodes and edges in another order."""
    place = rng.permutation(graph["n"])
    edges = [(int(place[u]), int(place[v])) for u, v in graph["edges"]]
    moved = {"n": graph["n"], "edges": [edges[i] for i in rng.permutation(len(edges))]}
    if "node_labels" in graph:
        moved["node_labels"] = [graph["node_labels"][i] for i in np.argsort(place)]
    return moved


@pytest.mark.parametrize(("n", "m"), [(2, 2), (3, 4), (5, 5)])
def test_walks_of_regular_graphs_K38(n, m):
    """n n' / (1 - decay d d'): of two single edges at 0.1, 4.444444."""
    x, y = (path(2) if size == 2 else {"n": size, "edges": cycle(size)} for size in (n, m))
    d, e = (1 if size == 2 else 2 for size in (n, m))
    found = RandomWalk(0.1)([x], [y]).item()
    assert_allclose(found, n * m / (1.0 - 0.1 * d * e), rtol=1e-13)
    labelled = [dict(g, node_labels=["C"] * g["n"]) for g in (x, y)]
    assert_allclose(RandomWalk(0.1)(labelled[:1], labelled[1:]).item(), found, rtol=1e-13)


def test_two_single_edges_K38():
    assert RandomWalk(0.1)([path(2)]).item() == pytest.approx(4.444444, abs=1e-6)


def test_pairs_of_a_path_K38():
    """P3 has two pairs at distance 1 and one at distance 2: 2^2 + 1^2."""
    assert ShortestPath()([path(3)]).item() == 5.0
    assert ShortestPath(ordered=True)([path(3)]).item() == 20.0


def test_relabelling_cannot_tell_a_hexagon_from_two_triangles_K38():
    x, y = {"n": 6, "edges": cycle(6)}, {"n": 6, "edges": cycle(3) + cycle(3, 3)}
    for base in ("subtree", "edge", "assignment"):
        K = WeisfeilerLehman(4, base)([x, y])
        assert_array_equal(K, np.full((2, 2), K[0, 0]))
    assert len(np.unique(ShortestPath()([x, y]))) > 1
    assert len(np.unique(Graphlet(3)([x, y]))) > 1


def test_graphlets_of_known_graphs_K38():
    """A cycle of n nodes has n paths of three nodes; a complete graph of 5 nodes has 10 triangles."""
    complete = {"n": 5, "edges": [(i, j) for i in range(5) for j in range(i)]}
    assert_array_equal(Graphlet(3).feature_map([{"n": 7, "edges": cycle(7)}, complete]), [[7, 0], [0, 10]])
    assert [Graphlet(size).feature_map([complete]).shape[1] for size in (2, 3, 4, 5)] == [1, 2, 6, 21]


def test_a_node_and_its_neighbour_do_not_change_places_K38():
    """A hash by sums alone would not tell A with B and C around it from B with A and C."""
    x = {"n": 3, "edges": [(0, 1), (0, 2)], "node_labels": ["A", "B", "C"]}
    y = {"n": 3, "edges": [(0, 1), (0, 2)], "node_labels": ["B", "A", "C"]}
    assert WeisfeilerLehman(1)([x], [y]).item() == 3.0  # the labels alone: all stand beside others


@kernels
@pytest.mark.parametrize("labelled", [True, False])
def test_isomorphic_graphs_have_equal_rows_K38(k, labelled):
    rng = np.random.default_rng(0)
    X = [random_graph(rng, labelled) for _ in range(12)]
    Y = [shuffled(rng, graph) for graph in X]
    found, expected = k(Y, X), k(X)
    if isinstance(k, RandomWalk):
        assert_allclose(found, expected, rtol=1e-12)
    else:
        assert_array_equal(found, expected)


@kernels
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1), labelled=st.booleans())
def test_a_value_depends_on_the_two_graphs_alone_K38(k, seed, labelled):
    """To the last bit: alone or among others, in any order, first or second, with any other dataset prepared before."""
    rng = np.random.default_rng(seed)
    X = [random_graph(rng, labelled) for _ in range(6)]
    K, order = k(X), rng.permutation(6)
    assert_array_equal(k([X[i] for i in order])[np.ix_(np.argsort(order), np.argsort(order))], K)
    assert_array_equal(k(X[:2], X[3:]), K[:2, 3:])
    assert_array_equal(k(X[3:], X[:2]), K[3:, :2])
    assert k(X[4:5], X[1:2]).item() == K[4, 1] == k(X[1:2], X[4:5]).item()
    frame = k.prepare([random_graph(rng, labelled)]).frame
    assert_array_equal(k.block(k.prepare(X, frame), k.prepare(X[:3], frame)), K[:, :3])
    assert_array_equal(k.fit(X[5:])(X[:2], X), K[:2])


@kernels
def test_laws_hold_inside_of_expressions_K38(k):
    rng = np.random.default_rng(1)
    X = [random_graph(rng) for _ in range(6)] + [{"n": 0, "edges": []}]
    check_kernel(Normalised(k) + 0.5 * Normalised(WeisfeilerLehman(1)), X)
    check_kernel(Exp(Normalised(k)), X)
    table = {"graph": X, "size": [float(i) for i in range(7)]}
    check_kernel(On("graph", k), table)


@pytest.mark.parametrize("k", [WeisfeilerLehman(3), WeisfeilerLehman(2, "edge"), WeisfeilerLehman(3, "assignment"),
                               ShortestPath(), Graphlet(3), Propagation(2)], ids=repr)  # fmt: skip
def test_features_are_explicit_K38(k):
    rng = np.random.default_rng(2)
    X = [random_graph(rng) for _ in range(8)]
    phi = k.feature_map(X)
    phi = phi.toarray() if hasattr(phi, "toarray") else phi
    assert_array_equal(phi @ phi.T, k(X))


@kernels
def test_an_empty_graph_has_nothing_in_common_K38(k):
    X = [{"n": 0, "edges": []}, path(3), {"n": 1, "edges": []}]
    K = k(X)
    assert_array_equal(K[0], 0.0)
    assert K[1, 1] > 0.0 or isinstance(k, Graphlet)
    assert k([{"n": 0, "edges": []}]).item() == 0.0


@kernels
def test_unknown_labels_have_nothing_in_common_K38(k):
    x = {"n": 2, "edges": [(0, 1)], "node_labels": ["C", "C"]}
    y = {"n": 2, "edges": [(0, 1)], "node_labels": ["Xe", "Xe"]}
    blind = isinstance(k, Graphlet) or not getattr(k, "labelled", True)
    assert (k([x], [y]).item() == 0.0) or blind


@pytest.mark.parametrize("k", [k for k in KERNELS if getattr(k, "labelled", True) and k != Graphlet(4)], ids=repr)
def test_datasets_with_other_kinds_of_labels_are_refused_K38(k):
    text, number, none = (
        [{"n": 2, "edges": [(0, 1)], **labels}] for labels in ({"node_labels": ["1", "2"]}, {"node_labels": [1, 2]}, {})
    )
    with pytest.raises(TypeError, match="text labels of nodes and number labels"):
        k(text, number)
    with pytest.raises(TypeError, match="number labels of nodes and no labels"):
        k(number, none)
    with pytest.raises(TypeError, match="undirected"):
        k(none, [dict(none[0], directed=True)])


@pytest.mark.parametrize("labels", [{}, {"node_labels": ["C"] * 4}], ids=["plain", "labelled"])
def test_walks_of_infinite_sum_are_refused_K38(labels):
    complete = {"n": 4, "edges": [(i, j) for i in range(4) for j in range(i)], **labels}
    few = {"n": 1, "edges": [], **({"node_labels": ["C"]} if labels else {})}
    with pytest.raises(ValueError, match=r"decay must be below 1 / r\^2 = 0.1111, r = 3 .* graph 1 is infinite"):
        RandomWalk(0.12)([few, complete])
    assert np.isfinite(RandomWalk(0.11)([few, complete])).all()


def test_walks_without_cycles_always_have_a_sum_K38():
    line = {"n": 4, "edges": [(0, 1), (1, 2), (2, 3)], "directed": True}
    assert RandomWalk(2.0)([line]).item() == 16 + 2 * 9 + 4 * 4 + 8 * 1


def test_labels_of_edges_count_K38():
    x = {"n": 2, "edges": [(0, 1)], "node_labels": ["C", "C"], "edge_labels": ["single"]}
    y = dict(x, edge_labels=["double"])
    assert WeisfeilerLehman(1)([x], [y]).item() == 4.0
    assert WeisfeilerLehman(1, "edge")([x], [y]).item() == 0.0
    assert RandomWalk(0.1)([x], [y]).item() == 4.0
    assert Graphs.of([x], edge_label=None).edge_labels is not None  # a dict says itself what it holds


def test_attributes_fall_into_bins_K38():
    near, far = ({"n": 2, "edges": [(0, 1)], "node_attributes": [[a], [a]]} for a in (1.0, 9.0))
    k = Propagation(2, width=1.0, attributes=True)
    assert k([near, far])[0, 1] < k([near]).item()
    with pytest.raises(ValueError, match=r"graphs with attributes of nodes; got none"):
        k([path(2)])
    with pytest.raises(ValueError, match="undirected graphs; got directed ones"):
        Graphlet(3)([dict(path(2), directed=True)])


@pytest.mark.parametrize("text", [
    "WeisfeilerLehman(-1)", "WeisfeilerLehman(1.5)", "WeisfeilerLehman(base='tree')", "ShortestPath(2)",
    "ShortestPath(ordered='no')", "RandomWalk(-0.1)", "RandomWalk(nan)", "RandomWalk(labelled=3)", "Graphlet(6)",
    "Graphlet(True)", "Propagation(-1)", "Propagation(width=0.0)", "Propagation(seed=-2)", "Propagation(attributes=1)",
])  # fmt: skip
def test_bad_parameters_are_refused_K38(text):
    with pytest.raises(ValueError, match=f"^{text.split('(')[0]}: .* must be .*; got"):
        parse(text)


def test_grams_agree_with_grakel_K38():
    grakel = pytest.importorskip("grakel")
    rng = np.random.default_rng(3)
    X = [random_graph(rng) for _ in range(40)]
    X = [g for g in X if len({u for e in g["edges"] for u in e}) == g["n"]]  # an edge dict has no lone nodes
    G = [[{e: 1 for u, v in g["edges"] for e in ((u, v), (v, u))}, dict(enumerate(g["node_labels"])), {}] for g in X]
    pairs = [
        (WeisfeilerLehman(3), grakel.WeisfeilerLehman(n_iter=3, base_graph_kernel=grakel.VertexHistogram)),
        (WeisfeilerLehman(3, "assignment"), grakel.WeisfeilerLehmanOptimalAssignment(n_iter=3)),
        (ShortestPath(ordered=True), grakel.ShortestPath()),
        (RandomWalk(0.01, labelled=False), grakel.RandomWalk(lamda=0.01)),
    ]
    for ours, theirs in pairs:
        assert_allclose(ours(X), theirs.fit_transform(G), rtol=1e-6)
