"""Swaps of medoids against the definition of the loss: all swaps tried, in plain NumPy (M8)."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.native.refusals import refuses
from tests.native.shapes import framed, numbers, seeds
from tests.native.tiles import real

from mercer.native import medoids

sizes = st.sampled_from([2, 3, 5, 8, 17, 40])


def dissimilarities(seed, n, dtype, ties):
    D = numbers(seed, (n, n), float, 0.1, 1.0)
    D = np.rint(4 * D) / 4 if ties else D
    D = D + D.T
    np.fill_diagonal(D, 0.0)
    return framed(D.astype(dtype))[0]


def state(D, chosen):
    """Fresh arrays for the nearest two medoids of every item."""
    n = D.shape[1]
    arrays = {"first": np.empty(n, np.int32), "second": np.empty(n, np.int32), "d1": np.empty(n), "d2": np.empty(n)}
    medoids.nearest_two(D, chosen, **arrays)
    return arrays


def loss(D, chosen, weight):
    return float(weight @ D[chosen].min(axis=0))


@given(dtype=real, n=sizes, k=sizes, ties=st.booleans(), seed=seeds)
def test_nearest_two(isa, dtype, n, k, ties, seed):
    k = min(n, k)
    D = dissimilarities(seed, n, dtype, ties)
    chosen = np.random.default_rng(seed).permutation(n)[:k]
    found = state(D, chosen)
    order = np.argsort(D[chosen], axis=0, kind="stable")
    assert_array_equal(found["first"], order[0])
    assert_array_equal(found["second"], order[1])
    assert_array_equal(found["d1"], D[chosen].min(axis=0))
    assert_array_equal(found["d2"], np.sort(D[chosen], axis=0)[1])


@given(dtype=real, n=sizes, k=sizes, ties=st.booleans(), seed=seeds, piece=st.sampled_from([1, 7, 1000]))
def test_swaps_lower_the_loss_until_no_swap_does_M8(isa, dtype, n, k, ties, seed, piece):
    k = min(n, k)
    D = dissimilarities(seed, n, dtype, ties)
    weight = numbers(seed + 1, n, float, 0.5, 2.0)
    chosen = np.random.default_rng(seed).permutation(n)[:k]
    near, before = state(D, chosen), loss(D, chosen, weight)
    at = since = swaps = 0
    gained = 0.0
    while since < n:
        made, at, since, fell = medoids.swap_medoids(
            D, weight, chosen, **near, next=at, since=since, most=piece, least=1e-12
        )
        swaps, gained = swaps + made, gained + fell
    assert len(set(chosen)) == k
    assert_allclose(loss(D, chosen, weight), before - gained, rtol=1e-12)
    assert (swaps > 0) == (gained > 0)
    for name, wanted in state(D, chosen).items():  # ties may leave another medoid at the same distance
        if name in ("d1", "d2"):
            assert_array_equal(near[name], wanted)
    now = loss(D, chosen, weight)
    for i, c in product(range(k), set(range(n)) - set(chosen)):
        other = chosen.copy()
        other[i] = c
        assert loss(D, other, weight) >= now - 1e-10


@given(dtype=real, n=sizes, k=sizes, m=sizes, seed=seeds)
def test_changes_by_swaps_and_gains_are_those_of_the_loss_M8(isa, dtype, n, k, m, seed):
    """D has a row for each of n candidates, of which the last m are the items."""
    k, m = min(n, k), min(n, m)
    D = framed(np.ascontiguousarray(dissimilarities(seed, n, dtype, False)[:, n - m :]))[0]
    weight = numbers(seed + 1, m, float, 0.5, 2.0)
    chosen = np.random.default_rng(seed).permutation(n)[:k]
    near, change, place, gain = state(D, chosen), np.empty(n), np.empty(n, np.int32), np.empty(n)
    medoids.swap_changes(D, weight, near["first"], near["d1"], near["d2"], k, change, place)
    medoids.gains(D, weight, near["d1"], gain)
    now = loss(D, chosen, weight)
    for c in range(n):
        swapped = [loss(D, np.r_[np.delete(chosen, i), c], weight) - now for i in range(k)]
        assert_allclose(change[c], min(swapped), atol=1e-10)
        assert_allclose(swapped[place[c]], min(swapped), atol=1e-10)
        assert_allclose(gain[c], now - loss(D, np.r_[chosen, c], weight), atol=1e-10)


@given(dtype=real, n=sizes, k=sizes, m=sizes, seed=seeds)
def test_swaps_of_candidates_that_are_no_items_M8(isa, dtype, n, k, m, seed):
    k, m = min(n, k), min(n, m)
    D = framed(np.ascontiguousarray(dissimilarities(seed, n, dtype, False)[:, n - m :]))[0]
    chosen, weight = np.random.default_rng(seed).permutation(n)[:k], np.ones(m)
    near, before = state(D, chosen), loss(D, chosen, weight)
    _, _, since, gained = medoids.swap_medoids(D, weight, chosen, **near, next=0, since=0, most=10**6, least=1e-12)
    assert since == n
    assert len(set(chosen)) == k
    assert_allclose(loss(D, chosen, weight), before - gained, rtol=1e-12, atol=1e-12)
    for i, c in product(range(k), set(range(n)) - set(chosen)):
        assert loss(D, np.r_[np.delete(chosen, i), c], weight) >= loss(D, chosen, weight) - 1e-10


def test_distances_that_are_no_numbers_are_read_without_harm(isa):
    D = np.full((6, 6), np.nan)
    chosen = np.array([1, 4])
    near = state(D, chosen)
    made, *_ = medoids.swap_medoids(D, np.ones(6), chosen, **near, next=0, since=0, most=20, least=0.0)
    assert made == 0
    assert_array_equal(chosen, [1, 4])


def test_wrong_arguments_are_named():
    D, chosen = np.ones((5, 5)) - np.eye(5), np.array([0, 3])
    near = state(D, chosen)
    refuses(medoids.nearest_two, {"D": D, "medoids": chosen, **near}, {"medoids", *near}, free={"medoids", "D"},
            chooses={"D"})  # fmt: skip
    given = {"D": D, "weight": np.ones(5), "medoids": chosen, **near, "next": 0, "since": 0, "most": 9, "least": 0.0}
    refuses(medoids.swap_medoids, given, {"medoids", *near}, free={"medoids", "D"}, chooses={"D"})
    looked = {"D": D, "weight": np.ones(5), "first": near["first"], "d1": near["d1"], "d2": near["d2"], "medoids": 2,
              "change": np.zeros(5), "place": np.zeros(5, np.int32)}  # fmt: skip
    refuses(medoids.swap_changes, looked, {"change", "place"}, free={"D"}, chooses={"D"})
    with pytest.raises(ValueError, match=r"^swap_changes: medoids must be two or more"):
        medoids.swap_changes(**looked | {"medoids": 1})
    with pytest.raises(ValueError, match=r"^swap_changes: first must be "):
        medoids.swap_changes(**looked | {"first": np.full(5, 2, np.int32)})
    gained = {"D": D, "weight": np.ones(5), "d1": near["d1"], "gain": np.zeros(5)}
    refuses(medoids.gains, gained, {"gain"}, free={"D"}, chooses={"D"})
    for name, value in (("next", 5), ("since", -1), ("most", -1)):
        with pytest.raises(ValueError, match=f"^swap_medoids: {name} must be "):
            medoids.swap_medoids(**given | {name: value})
    for wrong in (np.array([0]), np.array([0, 5])):
        with pytest.raises(ValueError, match="medoids must be "):
            medoids.nearest_two(D, wrong, **near)
    with pytest.raises(ValueError, match="first must be "):
        medoids.swap_medoids(**given | {"first": np.full(5, 2, np.int32)})
