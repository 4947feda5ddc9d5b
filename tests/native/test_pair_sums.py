"""Sums of Gaussian windows over pairs of rows, against the same in NumPy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.native import pair_sums
from mercer.solvers.bandwidth.pair_sums import boxes

shapes = pytest.mark.parametrize(("n", "D"), [(1, 1), (2, 3), (17, 1), (129, 2), (300, 5)])


def sample(n, D):
    rng = np.random.default_rng(n)
    return rng.normal(size=(D, n)), rng.uniform(size=n)


def squared(Xt):
    return ((Xt[:, :, None] - Xt[:, None, :]) ** 2).sum(axis=0)


@shapes
@pytest.mark.parametrize("moments", [False, True])
def test_gaussian(isa, n, D, moments):
    Xt, w = sample(n, D)
    order, edges = boxes(Xt)
    assert_array_equal(np.sort(order), np.arange(n))
    Xt, w = np.ascontiguousarray(Xt[:, order]), w[order]
    low = np.array([Xt[:, a:b].min(axis=1) for a, b in pairwise(edges)])
    high = np.array([Xt[:, a:b].max(axis=1) for a, b in pairwise(edges)])
    c, root = np.array([0.3, 0.6, 5.0]), np.array([-1, 0, -1])
    sums, firsts = np.zeros((3, n)), np.zeros((3 if moments else 0, n))
    for first in range(2):
        pair_sums.gaussian(Xt, w, edges, low, high, c, root, 60.0, first, 2, sums, firsts)
    S = squared(Xt)
    E = np.exp(-c[:, None, None] * S) * (1.0 - np.eye(n))
    assert_allclose(sums, E @ w, rtol=1e-10, atol=1e-20)
    if moments:
        assert_allclose(firsts, (E * S) @ w, rtol=1e-10, atol=1e-20)


@shapes
def test_above_nearest(isa, n, D):
    Xt, w = sample(n, D)
    if n < 2:
        return
    rows, c = np.array([n - 1, 0]), np.array([1e6, 2.0])
    nearest, sums, firsts = (np.empty(2) for _ in range(3))
    pair_sums.above_nearest(Xt, w, rows, c, nearest, sums, firsts)
    S = squared(Xt) + np.where(np.eye(n) > 0.0, np.inf, 0.0)
    for r, i in enumerate(rows):
        E = np.exp(-c[r] * (S[i] - S[i].min())) * w
        E[i], s = 0.0, np.where(np.arange(n) == i, 0.0, S[i])
        assert_allclose(nearest[r], S[i].min(), rtol=1e-14)
        assert_allclose(sums[r], E.sum(), rtol=1e-9)
        assert_allclose(firsts[r], E @ s, rtol=1e-9)


def test_what_the_border_refuses():
    Xt, w = sample(4, 2)
    box, edges, root = np.zeros((1, 2)), np.array([0, 4]), np.array([-1])
    good = [Xt, w, edges, box, box, np.ones(1), root, 60.0, 0, 1, np.zeros((1, 4)), np.zeros((0, 4))]
    pair_sums.gaussian(*good)
    for place, wrong, name in [
        (1, w[:3], "w"),
        (2, np.array([0, 5]), "edges"),
        (2, np.array([1, 4]), "edges"),
        (3, np.zeros((2, 2)), "low"),
        (6, np.array([0]), "root"),
        (8, -1, "first"),
        (9, 0, "step"),
        (10, np.zeros((2, 4)), "sums"),
        (11, np.zeros((2, 4)), "moments"),
    ]:
        with pytest.raises((ValueError, TypeError), match=name):
            pair_sums.gaussian(*good[:place], wrong, *good[place + 1 :])
    out = [np.zeros(1) for _ in range(3)]
    with pytest.raises((ValueError, IndexError), match="rows"):
        pair_sums.above_nearest(Xt, w, np.array([4]), np.ones(1), *out)
