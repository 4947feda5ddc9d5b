"""Walks that two graphs have in common, against a solver for the Kronecker product."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.native.graph_sets import arrays, graphs, refuses_bad_graphs
from tests.native.refusals import refuses

from mercer.native import graph_walks

DECAY = 0.015  # of graphs of at most 8 nodes


def matrix(X, g, letter):
    """The adjacency of graph g by arcs of one label."""
    one = X[np.array([g])]
    n = len(one.start) - 1
    A = np.zeros((n, n))
    A[one.source, one.target] = one.edge_labels.codes == letter
    return A


def expected(X, Y):
    """1' (I - decay A)^-1 1 on product nodes of equal labels."""
    out = np.zeros((len(X), len(Y)))
    for g in range(len(X)):
        for h in range(len(Y)):
            a, b = (np.array(Z[np.array([i])].node_labels.values) for Z, i in ((X, g), (Y, h)))
            A = sum(np.kron(matrix(X, g, X.edge_labels.alphabet.index(letter)), matrix(Y, h, code))
                    for code, letter in enumerate(Y.edge_labels.alphabet)
                    if letter in X.edge_labels.alphabet)  # fmt: skip
            kept = np.flatnonzero((a[:, None] == b).ravel()) if len(a) and len(b) else []
            if len(kept):
                M = np.eye(len(kept)) - DECAY * (A[np.ix_(kept, kept)] if not np.isscalar(A) else 0.0)
                out[g, h] = np.linalg.solve(M, np.ones(len(kept))).sum()
    return out


def side(X, prefix):
    radii = np.full(len(X), 8.0)
    found = arrays(X) | {"label": X.node_labels.hashes, "arc": X.edge_labels.hashes, "radius": radii}
    return {prefix + name: value for name, value in found.items()}


@given(seed=st.integers(0, 10**6), directed=st.booleans())
def test_product_walks(isa, seed, directed):
    X, Y = graphs(seed, 3, directed), graphs(seed + 1, 4, directed)
    out, swapped = np.zeros((3, 4)), np.zeros((4, 3))
    graph_walks.product_walks(**side(X, "a"), **side(Y, "b"), decay=DECAY, directed=directed, out=out)
    graph_walks.product_walks(**side(Y, "a"), **side(X, "b"), decay=DECAY, directed=directed, out=swapped)
    assert_allclose(out, expected(X, Y), rtol=1e-12)
    assert_array_equal(out, swapped.T)


@given(seed=st.integers(0, 10**6), n=st.integers(0, 4), m=st.integers(0, 4))
def test_spectral_walks(isa, seed, n, m):
    rng = np.random.default_rng(seed)
    A, B = ([(rng.uniform(-3, 3, size), rng.random(size)) for size in rng.integers(0, 20, count)] for count in (n, m))
    out, swapped = np.zeros((n, m)), np.zeros((m, n))
    graph_walks.spectral_walks(*flat(A), *flat(B), 0.1, out)
    graph_walks.spectral_walks(*flat(B), *flat(A), 0.1, swapped)
    exact = [[(u[:, None] * v / (1.0 - 0.1 * a[:, None] * b)).sum() for b, v in B] for a, u in A]
    assert_allclose(out, np.reshape(exact, (n, m)), rtol=1e-12)
    assert_array_equal(out, swapped.T)


def flat(spectra):
    ends = np.cumsum([0, *(len(values) for values, _ in spectra)], dtype=np.int64)
    return ends, *(np.concatenate([np.zeros(0), *(part[i] for part in spectra)]) for i in (0, 1))


def test_wrong_arguments_are_named():
    X, Y = graphs(1, 3), graphs(2, 4)
    arguments = {name: value.copy() for name, value in (side(X, "a") | side(Y, "b")).items()}
    arguments |= {prefix + name: values % 7 for prefix in "ab" for name in ("label", "arc")
                  for values in (arguments[prefix + name],)}  # fmt: skip
    arguments |= {"decay": 0.01, "directed": False, "out": np.zeros((3, 4))}
    free = {prefix + name for prefix in "ab" for name in ("nodes", "start", "neighbour")}
    refuses(graph_walks.product_walks, arguments, {"out"}, free=free)
    for prefix in "ab":
        refuses_bad_graphs(graph_walks.product_walks, arguments, prefix)
    names = ("aends", "avalue", "aweight", "bends", "bvalue", "bweight")
    one = [(np.ones(2), np.ones(2)), (np.ones(1), np.ones(1))]
    arguments = dict(zip(names, (*flat(one), *flat(one)), strict=True)) | {"decay": 0.1, "out": np.zeros((2, 2))}
    refuses(graph_walks.spectral_walks, arguments, {"out"}, free={"avalue", "bvalue", "out"})
    with pytest.raises(ValueError, match=r"^spectral_walks: ends must be ascending"):
        graph_walks.spectral_walks(**arguments | {"bends": np.array([0, 9, 3])})
