"""Landmarks: what every rule must keep, the error of randomly pivoted Cholesky, and what is refused (H1)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import mercer
from mercer.gram import StoredGram
from mercer.kernels import RBF, Hamming, Polynomial
from mercer.linalg.random_pivots import random_pivots
from mercer.solvers.landmarks import RULES, chosen, factor_of, sample_size

rng = np.random.default_rng(0)
X = np.vstack([0.05 * rng.normal(size=(300, 3)), rng.normal(size=(300, 3))])  # half of them in a small place
K = RBF(1.0)(X)


def left(K, index):
    """The trace of K - K_nm K_mm^-1 K_mn."""
    factor = factor_of(K[np.ix_(index, index)])
    F = factor.half(K[index[factor.kept]])
    return float(np.trace(K) - np.sum(F**2))


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_gives_different_items_and_the_same_ones_again_H1(rule):
    gram = mercer.LazyGram(RBF(1.0), X)
    index = chosen(gram, 40, rule, 3)
    assert len(np.unique(index)) == 40
    assert_array_equal(index, chosen(gram, 40, rule, 3))
    assert 0.0 <= left(K, index) < np.trace(K)


def test_random_pivots_leave_less_than_uniform_ones_and_near_the_best_H1():
    gram = StoredGram.of(K)
    errors = {rule: np.mean([left(K, chosen(gram, 40, rule, seed)) for seed in range(8)]) for rule in RULES}
    assert errors["rpcholesky"] < 0.9 * errors["uniform"]
    values = np.linalg.eigvalsh(K)[::-1]
    # with k >= r / eps + r log(1 / (eps eta)) pivots the mean is at most (1 + eps) times the best of rank r
    assert errors["rpcholesky"] <= 2.0 * values[13:].sum()


def test_what_pivots_report_to_leave_is_what_they_leave_H1():
    found = random_pivots(StoredGram.of(K), 50, seed=1)
    assert_allclose(found.left[-1], left(K, found.index), rtol=1e-8)
    assert (np.diff(found.left) < 0.0).all()
    assert_allclose(found.left[0], np.trace(K))


def test_blocks_draw_by_the_law_of_one_at_a_time_H1():
    """The first two pivots: P(i) = d_i / sum d, then P(j | i) in proportion to what i leaves of j."""
    small = RBF(1.0)(X[295:305])
    n = len(small)
    first = np.diagonal(small) / np.trace(small)
    law = np.zeros((n, n))
    for i in range(n):
        d = np.maximum(np.diagonal(small) - small[i] ** 2 / small[i, i], 0.0)
        law[i] = first[i] * d / d.sum()
    count, draws = np.zeros((n, n)), 3000
    for seed in range(draws):
        i, j = random_pivots(StoredGram.of(small), 2, seed=seed).index
        count[i, j] += 1.0
    expected = draws * law
    some = expected > 5.0
    chi = float(np.sum((count[some] - expected[some]) ** 2 / expected[some]))
    assert chi < some.sum() + 4.0 * np.sqrt(2.0 * some.sum())


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 30), st.integers(0, 5))
def test_copies_are_never_taken_twice_and_a_rank_that_ends_is_found_H1(rank, seed):
    rows = np.random.default_rng(seed).normal(size=(8, 2))
    copies = np.repeat(rows, 4, axis=0)
    index = chosen(mercer.LazyGram(RBF(0.5), copies), min(rank, 32), "rpcholesky", seed)
    assert len(np.unique(index // 4)) == len(index) == min(rank, 8)


def test_any_kernel_on_any_items_H1():
    words = [("a", "x"), ("b", "x"), ("a", "y"), ("b", "y"), ("a", "x")]
    kernel = Hamming()
    index = chosen(mercer.LazyGram(kernel, words), 4, "rpcholesky", 0)
    assert 4 not in index or 0 not in index
    assert left(kernel(words), index) < 1e-10


def test_the_factor_leaves_out_what_others_explain_and_refuses_what_is_not_positive_H1():
    Z = rng.normal(size=(20, 2))
    factor = factor_of(Polynomial(1)(Z))
    assert len(factor.kept) == 3
    assert_allclose(factor.L @ factor.L.T, Polynomial(1)(Z[factor.kept]))
    with pytest.raises(mercer.NotPositiveDefinite, match="landmarks: the kernel must be positive semi-definite"):
        factor_of(-np.eye(3) + 2.0 * np.ones((3, 3)))
    with pytest.raises(ValueError, match=r"k\(x, x\) must be positive"):
        factor_of(np.zeros((3, 3)))
    with pytest.raises(mercer.NotPositiveDefinite, match="Schur complement"):
        random_pivots(StoredGram.of(np.ones((4, 4)) - 0.9 * np.eye(4)), 4)


def test_the_sample_is_large_enough_and_not_larger_than_it_must_be_H1():
    assert sample_size(500, 100) == 500
    assert sample_size(10**6, 2000) == 16_000
    assert sample_size(10_000, 1000) == 4000
    with mercer.configure(memory=10**8):
        assert sample_size(10**6, 1000) == 4000
