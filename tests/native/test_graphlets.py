"""Connected induced subgraphs of few nodes, against all sets of nodes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from tests.native.graph_sets import arrays, graphs, refuses_bad_graphs
from tests.native.refusals import refuses

from mercer.kernels.graphs.graphlet import kinds_of
from mercer.native import graphlets


@given(seed=st.integers(0, 10**6), size=st.integers(2, 5), share=st.sampled_from((0.2, 0.5, 1.0)))
def test_graphlets(isa, seed, size, share):
    X, kinds = graphs(seed, 4, share=share), kinds_of(size)
    counts = np.full((4, kinds.max() + 1), 99.0)
    graphlets.graphlets(**arrays(X), size=size, kind=kinds, counts=counts)
    expected = np.zeros_like(counts)
    for g in range(4):
        one = X[np.array([g])]
        edges = set(zip(one.source.tolist(), one.target.tolist(), strict=True))
        for chosen in combinations(range(len(one.start) - 1), size):
            pairs = [(chosen[i], chosen[j]) for j in range(size) for i in range(j)]
            expected[g, kinds[sum(1 << place for place, pair in enumerate(pairs) if pair in edges)]] += 1
    assert_array_equal(counts[:, 1:], expected[:, 1:])
    assert_array_equal(counts[:, 0], 0.0)  # none that are not connected


def test_wrong_arguments_are_named():
    X, kinds = graphs(1), kinds_of(3)
    arguments = arrays(X) | {"size": 3, "kind": kinds, "counts": np.zeros((7, 3))}
    refuses(graphlets.graphlets, arguments, {"counts"}, free={"nodes", "start", "neighbour", "counts"})
    refuses_bad_graphs(graphlets.graphlets, arguments)
    with pytest.raises(ValueError, match=r"^graphlets: size must be from 2 to 5; got 6"):
        graphlets.graphlets(**arguments | {"size": 6})
    with pytest.raises(ValueError, match=r"^graphlets: kind must be indices from 0 to below 2"):
        graphlets.graphlets(**arguments | {"counts": np.zeros((7, 2))})
