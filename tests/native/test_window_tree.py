"""Sums over trees against plain sums, at every instruction set, and what the border refuses."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.native import window_tree
from mercer.solvers.density.tree import _PROFILES, PointTree

rng = np.random.default_rng(0)


@pytest.mark.parametrize("profile", range(len(_PROFILES)), ids=lambda i: _PROFILES[i].__name__)
@pytest.mark.parametrize("n", [1, 33, 300])
def test_sums_are_those_of_all_points(isa, n, profile):
    X, v, b, Q = rng.normal(size=(n, 3)), rng.uniform(size=n), rng.uniform(0.2, 2.0, n), rng.normal(size=(5, 3))
    window = _PROFILES[profile]()
    logs, _, _ = PointTree.grow(X, v, b).log_sums(Q, window, 0.0, 0.0)
    r = np.sqrt(((Q[:, None] - X) ** 2).sum(axis=2) * b)
    assert_allclose(np.exp(logs), window.profile(r) @ v, rtol=1e-12, atol=1e-15)


def test_nodes_hold_neighbours():
    X = rng.integers(0, 4, size=(500, 2)).astype(float)  # many equal
    tree = PointTree.grow(X, np.ones(500), None, 16)
    assert_array_equal(np.sort(tree.place), np.arange(500))
    assert_array_equal(tree.points[:, tree.place], X.T)
    for i in range(len(tree.start)):
        inside = tree.points[:, tree.start[i] : tree.end[i]]
        assert_array_equal(inside.min(axis=1), tree.low[i])
        assert_array_equal(inside.max(axis=1), tree.high[i])
        assert_allclose(tree.facts[i, 5:], inside.mean(axis=1), atol=1e-12)
        assert_allclose(tree.facts[i, 4], ((inside - inside.mean(axis=1, keepdims=True)) ** 2).sum(), atol=1e-9)


def test_the_border_refuses():
    X, two = np.zeros((4, 2)), np.zeros((2, 2))
    with pytest.raises(ValueError, match="start"):
        window_tree.grow_tree(X, np.arange(4), np.zeros(2, int), np.zeros(2, int), two, two)
    tree = PointTree.grow(rng.normal(size=(100, 2)), np.ones(100), None)
    parts = (tree.points, tree.weight, tree.inverse, tree.start, tree.end, tree.low, tree.high, tree.facts)
    with pytest.raises(ValueError, match="profile"):
        window_tree.tree_sums(*parts, X, 9, 0.0, 0.0, np.empty(0, int), np.empty(4))
    with pytest.raises(ValueError, match="skip"):
        window_tree.tree_sums(*parts, X, 0, 0.0, 0.0, np.full(4, 100), np.empty(4))
    broken = tree.end.copy()
    broken[0] = 10**6
    with pytest.raises(ValueError, match="ranges of a tree"):
        window_tree.tree_sums(*parts[:4], broken, *parts[5:], X, 0, 0.0, 0.0, np.empty(0, int), np.empty(4))
