"""Searches for medoids against the definition: all swaps, all subsets, and the books' example (M8)."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import mercer
from mercer.gram import Distances
from mercer.solvers.medoids import METHODS, STARTS, Settings, cluster, prove
from mercer.solvers.medoids.alternate import _moved, alternate
from mercer.solvers.medoids.cluster import chosen_method
from mercer.solvers.medoids.swaps import fasterpam, pam

seeds = st.integers(0, 10**6)


def random_distances(seed, n=30, dtype=float):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)).astype(dtype)
    return Distances.of_array(D, symmetric=True)


def weights(seed, n=30):
    return np.random.default_rng(seed + 1).uniform(0.5, 2.0, n)


def loss(D, medoids, w):
    return float(w @ D.dense()[:, medoids].min(axis=1))


def swaps(D, medoids, w):
    """The losses after every single swap."""
    others = np.setdiff1d(np.arange(len(D)), medoids)
    return [loss(D, np.r_[np.delete(medoids, i), c], w) for i, c in product(range(len(medoids)), others)]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("init", [*STARTS, "positions"])
@given(seed=seeds, k=st.integers(1, 6))
def test_every_method_ends_in_different_items_with_their_loss_M8(method, init, seed, k):
    D, w = random_distances(seed), weights(seed)
    begin = np.arange(k) if init == "positions" else init
    found = cluster(D, w, k, Settings(method, begin, batch_size=12), np.random.RandomState(seed))
    assert_array_equal(found.medoids, np.unique(found.medoids))
    assert len(found.medoids) == k
    assert_allclose(found.loss, loss(D, found.medoids, w))
    assert_array_equal(found.labels, D.dense()[:, found.medoids].argmin(axis=1))
    assert found.reason == "converged"


@pytest.mark.parametrize("method", ["fasterpam", "pam"])
@given(seed=seeds, k=st.integers(1, 6))
def test_where_swaps_end_no_swap_lowers_the_loss_and_the_proof_says_so_M8(method, seed, k):
    D, w = random_distances(seed), weights(seed)
    found = cluster(D, w, k, Settings(method), np.random.RandomState(seed))
    least = min(swaps(D, found.medoids, w))
    assert least >= found.loss - 1e-9
    proof = prove(D, w, found)
    assert proof.swap_optimal
    if k > 1:
        assert_allclose(proof.change, least - found.loss, atol=1e-9)
    assert_allclose(proof.loss, found.loss)


@given(seed=seeds, k=st.integers(1, 6))
def test_the_proof_names_the_best_swap_where_there_is_one_M8(seed, k):
    D, w = random_distances(seed), weights(seed)
    found = cluster(D, w, k, Settings("alternate", np.arange(k), max_iter=1), np.random.RandomState(0))
    proof, best = prove(D, w, found), min(swaps(D, found.medoids, w))
    assert proof.swap_optimal == (best >= found.loss - 1e-9)
    if not proof.swap_optimal:
        after = np.r_[found.medoids[found.medoids != proof.medoid], proof.item]
        assert_allclose([loss(D, after, w), proof.loss + proof.change], best)
        assert f"item {proof.item} in place of medoid {proof.medoid} lowers it" in str(proof)


@pytest.mark.parametrize("method", METHODS)
def test_the_best_of_many_starts_is_the_best_of_all_subsets_M8(method):
    for seed in range(4):
        D, w = random_distances(seed, n=9), np.ones(9)
        best = min(loss(D, np.array(some), w) for some in combinations(range(9), 3))
        how = Settings(method, n_init=60, batch_size=9)
        assert_allclose(cluster(D, w, 3, how, np.random.RandomState(0)).loss, best)


def test_squares_and_plain_distances_have_other_medoids_M8():
    x = np.array([0.0, 0.0, 0.0, 4.0, 10.0])
    plain = np.abs(x[:, None] - x)
    for D, medoid, cost in ((plain, 0.0, 14.0), (plain**2, 4.0, 84.0)):
        for method in METHODS:
            how = Settings(method, batch_size=5)
            found = cluster(Distances.of_array(D, symmetric=True), np.ones(5), 1, how, np.random.RandomState(0))
            assert x[found.medoids[0]] == medoid
            assert found.loss == cost


@given(seed=seeds)
def test_the_loss_of_an_alternation_never_rises_M8(seed):
    D, w = random_distances(seed), weights(seed)
    medoids, before = np.array([0, 1, 2, 3]), np.inf
    for _ in range(8):
        now = loss(D, medoids, w)
        assert now <= before + 1e-9
        medoids, before = np.sort(_moved(D, w, medoids)), now


def test_the_update_of_medoids_needs_the_squares_of_the_clusters_in_distances_C3():
    D, counted = random_distances(0), [0]

    def tile(r, c):
        found = D.tile(r, c)
        counted[0] += found.size
        return found

    medoids = np.array([0, 1, 2])
    sizes = np.bincount(D.nearest(medoids)[0])
    _moved(Distances(tile, D.shape, D.dtype, True), np.ones(30), medoids)
    assert counted[0] == 30 * 3 + (sizes**2).sum()


def test_an_empty_cluster_begins_again_at_the_farthest_item_M8():
    x = np.array([0.0, 0.0, 1.0, 9.0])
    D = Distances.of_array(np.abs(x[:, None] - x), symmetric=True)
    assert_array_equal(alternate(D, np.ones(4), np.array([0, 1]), 1).medoids, [0, 3])


@pytest.mark.parametrize("method", METHODS)
def test_copies_and_as_many_medoids_as_items_M8(method):
    same = Distances.of_array(np.zeros((6, 6)), symmetric=True)
    for k in (1, 3, 6):
        found = cluster(same, np.ones(6), k, Settings(method), np.random.RandomState(0))
        assert found.loss == 0.0
        assert len(np.unique(found.medoids)) == k
        assert_array_equal(np.bincount(found.labels, minlength=k) > 0, True)  # no cluster is empty
    D = random_distances(0)
    every = cluster(D, np.ones(30), 30, Settings(method), np.random.RandomState(0))
    assert_array_equal(every.labels, np.arange(30))
    assert every.loss == 0.0
    assert prove(D, np.ones(30), every).swap_optimal


@pytest.mark.parametrize("method", ["pam", "fasterpam"])
def test_a_weight_counts_as_copies_of_an_item_do_M8(method):
    D, w = random_distances(3), np.arange(30) % 3 + 1.0
    copies = np.repeat(np.arange(30), w.astype(int))
    many = Distances.of_array(D.dense()[np.ix_(copies, copies)], symmetric=True)
    one = cluster(D, w, 4, Settings(method, "build"), np.random.RandomState(0))
    other = cluster(many, np.ones(len(copies)), 4, Settings(method, "build"), np.random.RandomState(0))
    assert_allclose(one.loss, other.loss)
    if method == "pam":  # the other depends on the order of the candidates
        assert_array_equal(one.medoids, copies[other.medoids])


@given(seed=seeds, k=st.integers(2, 5))
def test_the_greedy_start_is_greedy_M8(seed, k):
    D, w = random_distances(seed), weights(seed)
    chosen = []
    for _ in range(k):
        rest = [c for c in range(30) if c not in chosen]
        chosen.append(min(rest, key=lambda c: loss(D, np.array([*chosen, c]), w)))
    begin = cluster(D, w, k, Settings("fasterpam", "build", max_iter=1), np.random.RandomState(0))
    assert begin.loss <= loss(D, np.array(chosen), w) + 1e-9
    from mercer.solvers.medoids.starts import build

    assert_array_equal(build(D, w, k), chosen)


@pytest.mark.parametrize("search", [fasterpam, pam, alternate])
def test_rounds_end_where_they_are_told_to(search):
    D = random_distances(0, n=60)
    found = search(D, np.ones(60), np.arange(8), 1)
    assert found.reason == "max_iter"
    assert found.n_iter == 1
    assert search(D, np.ones(60), np.arange(8), 100).reason == "converged"


def test_in_single_precision_and_on_any_number_of_threads_the_medoids_are_the_same():
    D = random_distances(1, n=200)
    single = random_distances(1, n=200, dtype=np.float32)
    for method in METHODS:
        found = []
        for one, threads in ((D, 1), (D, 2), (single, 2)):
            with mercer.configure(threads=threads):
                found.append(cluster(one, np.ones(200), 5, Settings(method), np.random.RandomState(0)))
        assert_array_equal(found[0].medoids, found[1].medoids)
        assert_array_equal(found[0].labels, found[1].labels)
        assert_allclose(found[2].loss, found[0].loss, rtol=1e-4)


def test_auto_goes_by_the_memory():
    D = random_distances(0, n=300)
    lazy = Distances(D.tile, D.shape, D.dtype, True)
    assert chosen_method("auto", lazy) == "fasterpam"
    with mercer.configure(memory=10**5):
        assert chosen_method("auto", lazy) == "sampled"
        assert chosen_method("auto", D) == "fasterpam"  # it is in memory already
        with pytest.raises(mercer.MemoryBudgetError, match="Use method='sampled', or method='auto'"):
            cluster(lazy, np.ones(300), 3, Settings(), np.random.RandomState(0))


def test_a_sample_finds_clusters_that_are_far_apart():
    rng = np.random.default_rng(0)
    X = np.repeat(np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]]), 200, axis=0) + rng.normal(size=(600, 2))
    D = Distances.of_array(((X[:, None] - X) ** 2).sum(axis=2), symmetric=True)
    best = cluster(D, np.ones(600), 3, Settings(), np.random.RandomState(0)).loss
    for method in ("sampled", "clara"):
        found = cluster(D, np.ones(600), 3, Settings(method, batch_size=60), np.random.RandomState(0))
        assert found.loss < 1.05 * best
        assert not prove(D, np.ones(600), found).swap_optimal  # nothing is known, and that is said
        assert "Not proven" in str(prove(D, np.ones(600), found))
