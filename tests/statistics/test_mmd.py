"""The two-sample test: its statistic by its definition, its level, its power, and every kind of item (DEMANDS 30)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

import mercer
from mercer import mmd_test
from mercer.kernels import RBF, Intersection, Linear, Normalised, Polynomial, Spectrum, TfIdf
from mercer.statistics import mmd

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(40, 3)), rng.normal(size=(30, 3)) + 1.0


def by_definition(K, n, statistic):
    """Means over pairs, one by one."""
    A, B, C = K[:n, :n], K[n:, n:], K[:n, n:]
    if statistic == "biased":
        return A.mean() + B.mean() - 2.0 * C.mean()
    apart = [(M.sum() - np.trace(M)) / (len(M) * (len(M) - 1)) for M in (A, B)]
    return sum(apart) - 2.0 * C.mean()


@pytest.mark.parametrize("statistic", ["biased", "unbiased"])
@pytest.mark.parametrize("k", [RBF(1.0), Polynomial(2), 3.0 * RBF(0.5) + 7.0], ids=repr)
def test_the_statistic_is_its_definition(k, statistic):
    found = mmd_test(X, Y, k, statistic=statistic, n_permutations=20)
    K = k(np.vstack([X, Y]))
    assert_allclose(found.statistic, by_definition(K, 40, statistic), atol=1e-9 * K.max())
    rng = np.random.default_rng(0)  # the null is the same on permuted samples
    orders = rng.permuted(np.tile(np.arange(70) < 40, (20, 1)), axis=1)
    for mask, value in zip(orders, found.null[0], strict=True):
        p = np.r_[np.flatnonzero(mask), np.flatnonzero(~mask)]
        assert_allclose(value, by_definition(K[np.ix_(p, p)], 40, statistic), atol=2e-6 * K.max())


def test_with_a_linear_kernel_it_is_the_distance_of_means():
    found = mmd_test(X, Y, Linear(), statistic="biased", n_permutations=9)
    assert_allclose(found.statistic, np.sum((X.mean(axis=0) - Y.mean(axis=0)) ** 2))


def test_samples_that_differ_are_told_apart_and_the_sentence_says_so():
    found = mmd_test(X, Y)
    assert found.pvalue == 0.001
    assert repr(found).endswith("p = 0.001 by 999 permutations: the distributions differ.")
    same = mmd_test(X[:20], X[20:])
    assert same.pvalue > 0.05
    assert repr(same).endswith("not significant at 5%.")
    assert repr(same).startswith("MMD^2 of samples of 20 and 20 items is ")
    with pytest.raises(AttributeError):
        found.pvalue = 0.0


@pytest.mark.parametrize("null", ["permutation", "gamma", "blocks"])
def test_the_level_is_kept(null):
    """A quick version of `python -m benchmarks geometry`: 200 runs, three standard deviations."""
    p = []
    for seed in range(200):
        draw = np.random.default_rng(seed)
        A, B = draw.normal(size=(64, 2)), draw.normal(size=(64, 2))
        p.append(mmd_test(A, B, null=null, n_permutations=99, block_size=16, random_state=seed).pvalue)
    assert abs(np.mean(np.array(p) <= 0.1) - 0.1) < 3.0 * np.sqrt(0.1 * 0.9 / 200)


def test_the_level_of_several_kernels_is_kept_and_uses_what_they_share():
    p, single = [], []
    for seed in range(200):
        draw = np.random.default_rng(seed)
        A, B = draw.normal(size=(25, 2)), draw.normal(size=(15, 2))
        found = mmd_test(A, B, [RBF(0.3), RBF(1.0), RBF(1.1), RBF(3.0)], n_permutations=99, random_state=seed)
        p.append(found.pvalue)
        single.append(found.pvalues.min())
    assert abs(np.mean(np.array(p) <= 0.1) - 0.1) < 3.0 * np.sqrt(0.1 * 0.9 / 200)
    assert np.mean(np.array(single) <= 0.1) > 0.12  # what is not corrected is too often small
    assert np.mean(p) < np.mean(np.minimum(1.0, 4.0 * np.array(single)))  # and Bonferroni would be too careful


def test_a_gamma_law_is_near_many_permutations():
    for seed in range(5):
        draw = np.random.default_rng(seed)
        A, B = draw.normal(size=(60, 2)), draw.normal(size=(40, 2)) + 0.1 * seed
        exact, law = (mmd_test(A, B, null=null, statistic="biased").pvalue for null in ("permutation", "gamma"))
        assert abs(exact - law) < 0.04


def test_the_kernel_that_shows_the_most_is_named():
    whole, half = (rng.integers(0, 9, (100, 1)) + 0.05 * rng.normal(size=(100, 1)) + shift for shift in (0.0, 0.5))
    found = mmd_test(whole, half, [RBF(10.0), RBF(0.1)], n_permutations=199)  # they differ on a small scale
    assert found.best == 1
    assert found.pvalues[1] == found.pvalue == 0.005
    assert found.statistics.shape == found.pvalues.shape == (2,)
    assert found.null.shape == (2, 199)
    assert "the most of 2 kernels" in repr(found)


def test_the_witness_is_the_difference_of_mean_similarities():
    k = RBF(1.0)
    found = mmd_test(X, Y, k)
    Z = rng.normal(size=(9, 3))
    assert_allclose(found.witness(Z), k(Z, X).mean(axis=1) - k(Z, Y).mean(axis=1))
    assert_allclose(found.witness(X).mean() - found.witness(Y).mean(), mmd_test(X, Y, k, statistic="biased").statistic)
    K = k(np.vstack([X, Y]))
    given = mmd_test(K, np.repeat(["a", "b"], [40, 30]), "precomputed")
    assert_allclose(given.witness(k(Z, np.vstack([X, Y]))), found.witness(Z))
    with pytest.raises(ValueError, match="Z in witness"):
        given.witness([1.0, 2.0])


def test_strings_sets_documents_and_frames_I1():
    words = [["".join(rng.choice(list(letters), 8)) for _ in range(25)] for letters in ("abb", "aab")]
    assert mmd_test(*words, Normalised(Spectrum(2))).pvalue < 0.01
    sets = [[set(rng.choice(9, 3).tolist()) for _ in range(20)], [set(rng.choice(5, 3).tolist()) for _ in range(20)]]
    assert mmd_test(*sets, Intersection()).pvalue < 0.01
    texts = [[" ".join(word) for word in some] for some in words]
    assert mmd_test(*texts, TfIdf()).pvalue <= 1.0
    assert_allclose(mmd_test(csr_array(X), csr_array(Y), RBF()).statistic, mmd_test(X, Y, RBF()).statistic)
    both = mmd_test(X, Y, lambda A, B: np.asarray(A) @ np.asarray(B).T)
    assert_allclose(both.statistic, mmd_test(X, Y, "linear").statistic)


def test_a_given_gram_needs_the_labels_of_its_items_I3():
    k, labels = RBF(1.0), np.r_[np.zeros(40), np.ones(30)]
    K = k(np.vstack([X, Y]))
    kept = K.copy()
    found = mmd_test(K, labels, "precomputed")
    assert_array_equal(K, kept)
    assert found.pvalue == mmd_test(X, Y, k).pvalue
    assert "the given Gram" in repr(found)
    p = rng.permutation(70)
    assert_allclose(mmd_test(K[np.ix_(p, p)], labels[p], "precomputed").statistic, found.statistic)
    for wrong in (labels[:-1], np.arange(70), np.zeros(70), labels[:, None]):
        with pytest.raises(ValueError, match="Y must be 70 labels of two samples"):
            mmd_test(K, wrong, "precomputed")


def test_the_median_distance_is_the_lengthscale_of_a_name():
    median = mercer.median_lengthscale(np.vstack([X, Y]))
    found = mmd_test(X, Y, "rbf", n_permutations=9)
    assert_allclose(float(found.kernels[0][4:-1]), median, rtol=1e-3)
    assert_allclose(mmd_test(1e3 * X, 1e3 * Y, n_permutations=9).statistic, found.statistic, rtol=1e-2)


def test_seeds_and_threads():
    one = mmd_test(X, Y[:10], n_permutations=300)
    with mercer.configure(threads=3):
        assert_array_equal(mmd_test(X, Y[:10], n_permutations=300).null, one.null)
    assert (mmd_test(X, Y[:10], n_permutations=300, random_state=1).null != one.null).any()


def test_equal_items_are_no_difference():
    for null in ("permutation", "gamma"):
        assert mmd_test(np.ones((10, 2)), np.ones((12, 2)), null=null).pvalue == 1.0
    assert mmd_test(np.ones((100, 2)), np.ones((100, 2)), null="blocks").pvalue == 1.0
    assert mmd_test(X, X, n_permutations=99).pvalue > 0.5


def test_blocks_need_no_gram_of_all_items():
    A, B = rng.normal(size=(3000, 2)), rng.normal(size=(3000, 2)) * 1.3
    with mercer.configure(memory=2**22):
        with pytest.raises(mercer.MemoryBudgetError, match="null='blocks'"):
            mmd_test(A, B)
        found = mmd_test(A, B, [RBF(0.5), RBF(1.0)], null="blocks")
    assert found.pvalue < 1e-3
    assert found.null is None
    assert found.how == "55 blocks of 54 and 54"
    K = RBF(1.0)(np.vstack([A[:50], B[:50]]))
    one = mmd_test(A[:50], B[:50], RBF(1.0), null="blocks", block_size=25)
    assert one.statistic == pytest.approx(by_definition(K, 50, "unbiased"), abs=0.05)


BAD = {
    "one item": ((X, Y[:1]), {}, "each sample must be of two items or more; got a sample of 1"),
    "other columns": ((X, Y[:, :2]), {}, "2 features, but mmd_test is expecting 3"),
    "nan": ((X, np.where(Y > 1.0, np.nan, Y)), {}, "NaN"),
    "a statistic": ((X, Y), {"statistic": "mean"}, "statistic must be one of"),
    "a null": ((X, Y), {"null": "normal"}, "null must be one of"),
    "no kernels": ((X, Y), {"kernel": []}, "kernel must be a kernel, or a list of one or more"),
    "an unknown kernel": ((X, Y), {"kernel": "rfb"}, "mmd_test: kernel must be one of"),
    "permutations": ((X, Y), {"n_permutations": 0}, "n_permutations must be an integer >= 1"),
    "small blocks": ((X, Y), {"null": "blocks", "block_size": 3}, "block_size must be an integer >= 4; got 3"),
    "large blocks": ((X, Y), {"null": "blocks", "block_size": 16}, "at least 32 for 2 blocks of 16; got 30"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments_are_refused_I5(name):
    samples, options, words = BAD[name]
    with pytest.raises(ValueError, match=words):
        mmd_test(*samples, **options)


def test_items_of_another_kind_are_refused_I5():
    with pytest.raises(TypeError, match="rows of numbers"):
        mmd_test(["a", "b"], ["c", "d"])
    assert mmd.STATISTICS[0] == "unbiased"  # the default
