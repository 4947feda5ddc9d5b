"""The test of independence: its statistic by its definition, its level, its power, any items (DEMANDS 30)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mercer
from mercer import hsic_test
from mercer.kernels import RBF, Intersection, Linear, Sigmoid, Spectrum
from mercer.statistics import hsic

rng = np.random.default_rng(0)
n = 60
X = rng.normal(size=(n, 2))
Y = np.cos(3.0 * X[:, :1]) + 0.3 * rng.normal(size=(n, 1))
alone = rng.normal(size=(n, 1))


def by_definition(K, L, statistic):
    """Song et al. 2012: the unbiased estimate from sums over Grams without their diagonal."""
    m, one = len(K), np.ones(len(K))
    if statistic == "biased":
        H = np.eye(m) - 1.0 / m
        return np.trace(K @ H @ L @ H) / m**2
    K, L = K - np.diag(np.diag(K)), L - np.diag(np.diag(L))
    sums = np.trace(K @ L) + (one @ K @ one) * (one @ L @ one) / ((m - 1) * (m - 2))
    return (sums - 2.0 / (m - 2) * (one @ K @ L @ one)) / (m * (m - 3))


@pytest.mark.parametrize("statistic", ["biased", "unbiased"])
@pytest.mark.parametrize("k", [RBF(1.0), Linear() + 3.0], ids=repr)
def test_the_statistic_is_its_definition(k, statistic):
    found = hsic_test(X, Y, k, RBF(0.5), statistic=statistic, n_permutations=20)
    K, L = k(X), RBF(0.5)(Y)
    assert_allclose(found.statistic, by_definition(K, L, statistic), rtol=1e-5)
    orders = np.random.default_rng(0).permuted(np.tile(np.arange(n), (20, 1)), axis=1)
    expected = [by_definition(K, L[np.ix_(p, p)], statistic) for p in orders]
    assert_allclose(found.null[0], expected, rtol=1e-5, atol=1e-9)


def test_of_linear_kernels_it_is_the_squared_covariance():
    found = hsic_test(X[:, :1], Y, "linear", "linear", n_permutations=9)
    assert_allclose(found.statistic, np.cov(X[:, 0], Y[:, 0], bias=True)[0, 1] ** 2, rtol=1e-6)


def test_factors_give_what_grams_give(monkeypatch):
    one = hsic_test(X, Y).null
    monkeypatch.setattr(hsic, "_factor", lambda data: None)
    assert_allclose(hsic_test(X, Y).null, one, rtol=1e-6)


def test_dependence_is_found_and_the_sentence_says_so():
    found = hsic_test(X[:, :1], Y, RBF(0.5))
    assert found.pvalue == 0.001
    assert repr(found).startswith(f"HSIC of {n} pairs is ")
    assert repr(found).endswith("the variables depend on each other.")
    assert hsic_test(X, alone).pvalue > 0.05
    assert "not significant" in repr(hsic_test(X, alone))


@pytest.mark.parametrize("null", ["permutation", "gamma", "blocks"])
def test_the_level_is_kept(null):
    p = []
    for seed in range(200):
        draw = np.random.default_rng(seed)
        A, B = draw.normal(size=(64, 2)), draw.normal(size=(64, 1))
        p.append(hsic_test(A, B, null=null, n_permutations=99, block_size=16, random_state=seed).pvalue)
    assert abs(np.mean(np.array(p) <= 0.1) - 0.1) < 3.0 * np.sqrt(0.1 * 0.9 / 200)


@pytest.mark.parametrize("null", ["permutation", "gamma", "blocks"])
@pytest.mark.parametrize("statistic", ["biased", "unbiased"])
def test_all_pairs_of_kernels_are_tried(null, statistic):
    options = {"block_size": 15} if null == "blocks" else {}
    found = hsic_test(X, Y, [RBF(0.5), RBF(2.0)], [RBF(0.3), RBF(1.0), "linear"], null=null, statistic=statistic,
                      n_permutations=99, **options)  # fmt: skip
    assert found.statistics.shape == (6,)
    assert len(found.kernels) == 6
    assert found.pvalue < 0.05
    assert found.pvalue >= found.pvalues.min()


def test_any_two_kinds_of_items_I1():
    words = ["".join(rng.choice(list("ab" if v > 0 else "bc"), 6)) for v in alone[:, 0]]
    assert hsic_test(words, alone, Spectrum(1)).pvalue < 0.01
    sets = [set(rng.choice(9, 3).tolist()) for _ in range(n)]
    assert hsic_test(sets, words, Intersection(), Spectrum(2)).pvalue > 0.01
    given = hsic_test(RBF(1.0)(X), Y, "precomputed", RBF(1.0))
    assert given.pvalue == hsic_test(X, Y, RBF(1.0), RBF(1.0)).pvalue


def test_a_kernel_that_is_not_positive_is_tested_from_its_gram():
    k = Sigmoid(2.0, offset=-1.0)
    found = hsic_test(X, Y, k, n_permutations=49)
    L = RBF(float(f"{mercer.median_lengthscale(Y):.4g}"))(Y)
    assert_allclose(found.statistic, by_definition(k(X), L, "biased"), rtol=1e-8)


def test_independence_of_order_of_pairs_and_of_threads():
    p = rng.permutation(n)
    assert_allclose(hsic_test(X[p], Y[p]).statistic, hsic_test(X, Y).statistic, rtol=0.2)  # the median is of a sample
    assert_allclose(hsic_test(X[p], Y[p], RBF(), RBF()).statistic, hsic_test(X, Y, RBF(), RBF()).statistic)
    one = hsic_test(X, Y).null
    with mercer.configure(threads=3):
        assert_array_equal(hsic_test(X, Y).null, one)


def test_a_constant_variable_depends_on_nothing():
    for null in ("permutation", "gamma"):
        assert hsic_test(np.ones((n, 1)), Y, null=null).pvalue == 1.0


def test_many_pairs_need_no_gram():
    A = rng.normal(size=(4000, 1))
    B = A**2 + rng.normal(size=(4000, 1))
    with mercer.configure(memory=2**22):
        assert hsic_test(A, B, n_permutations=19).pvalue == 0.05
        assert hsic_test(A, B, null="blocks").pvalue < 1e-6
        with pytest.raises(mercer.MemoryBudgetError, match="null='blocks'"):
            hsic_test(A, B, null="gamma")


BAD = {
    "other lengths": ((X, Y[:-1]), {}, r"Y must be as long as X \(60 items\); got 59 items"),
    "three pairs": ((X[:3], Y[:3]), {}, "X must be 4 items or more; got 3"),
    "nan": ((X, np.full((n, 1), np.nan)), {}, "NaN"),
    "a statistic": ((X, Y), {"statistic": "mean"}, "statistic must be one of"),
    "a null": ((X, Y), {"null": "normal"}, "null must be one of"),
    "no kernels": ((X, Y), {"kernel_y": ()}, "kernel_y must be a kernel, or a list of one or more"),
    "an unknown kernel": ((X, Y), {"kernel_x": "rfb"}, "hsic_test: kernel must be one of"),
    "large blocks": ((X, Y), {"null": "blocks"}, "at least 64 for 2 blocks of 32; got 60"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments_are_refused_I5(name):
    samples, options, words = BAD[name]
    with pytest.raises(ValueError, match=words):
        hsic_test(*samples, **options)
