"""Distances tile by tile are those of the definition, whatever is asked of them (T12)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

import mercer
from mercer import LazyGram, MemoryBudgetError, StoredGram
from mercer.gram import Distances, given_dissimilarities, kernel_distances
from mercer.kernels import RBF, Intersection, Linear, Polynomial, Spectrum

rng = np.random.default_rng(0)
X = rng.normal(size=(1000, 3))
WORDS = ["".join(rng.choice(list("abc"), size=8)) for _ in range(60)]
SETS = [set(rng.choice(20, size=5).tolist()) for _ in range(60)]
KERNELS = {
    "linear": (Linear(), X),
    "rbf": (RBF(1.3), X),
    "polynomial": (Polynomial(2), X),
    "single": (RBF(1.3), X.astype(np.float32)),
    "sparse": (Linear(), csr_array(np.where(abs(X) > 0.7, X, 0.0))),
    "strings": (Spectrum(2), WORDS),
    "sets": (Intersection(), SETS),
}
kinds = pytest.mark.parametrize("kind", KERNELS)


def both(kind, squared):
    """The distances and what they are by definition; in single precision roots of small numbers have few digits."""
    k, items = KERNELS[kind]
    K = k(items).astype(float)
    d = np.diagonal(K)
    D = np.maximum(d[:, None] + d - 2.0 * K, 0.0)
    np.fill_diagonal(D, 0.0)
    tolerance = (1e-5 if squared else 2e-3) if kind == "single" else 1e-7
    return kernel_distances(LazyGram(k, items), squared=squared), D if squared else np.sqrt(D), tolerance


@kinds
@pytest.mark.parametrize("squared", [True, False])
def test_distances_of_a_kernel_are_those_of_its_features_T12(kind, squared):
    D, wanted, tolerance = both(kind, squared)
    assert D.dtype == (np.float32 if kind == "single" else np.float64)
    assert_allclose(D.dense(), wanted, atol=tolerance)
    assert_array_equal(np.diagonal(D.dense()), 0.0)
    some, few = np.array([5, 17, 3]), np.array([3, 40])
    assert_allclose(D.rows(some), wanted[some], atol=tolerance)
    assert_allclose(D.columns(few), wanted[:, few], atol=tolerance)
    assert_allclose(D.values(some, few), wanted[np.ix_(some, few)], atol=tolerance)
    assert D.values(some, few)[2, 0] == 0.0
    part = D.part(some, some)
    assert part.symmetric
    assert_allclose(part.dense(), wanted[np.ix_(some, some)], atol=tolerance)
    label, least = D.nearest(some)
    assert_array_equal(label, wanted[:, some].argmin(axis=1))
    assert_allclose(least, wanted[:, some].min(axis=1), atol=tolerance)


def test_the_linear_kernel_has_euclidean_distances_with_all_digits_T12():
    Z = 1e4 + 1e-4 * rng.normal(size=(50, 6))
    wanted = np.sqrt(((Z[:, None] - Z) ** 2).sum(axis=2))
    assert_allclose(kernel_distances(LazyGram(Linear(), Z), squared=False).dense(), wanted, rtol=1e-7)


def test_a_stored_gram_and_a_cross_gram_have_the_same_distances_I3():
    K = RBF(1.3)(X[:80])
    lazy = kernel_distances(LazyGram(RBF(1.3), X[:80]), squared=True).dense()
    assert_allclose(kernel_distances(StoredGram(K), squared=True).dense(), lazy, atol=1e-12)
    cross = kernel_distances(LazyGram(RBF(1.3), X[:80], X[20:60]), squared=True)
    assert not cross.symmetric
    assert_allclose(cross.dense(), lazy[:, 20:60], atol=1e-12)


def test_given_dissimilarities_are_read_where_they_are():
    D = np.abs(rng.normal(size=(20, 20)))
    D = D + D.T
    np.fill_diagonal(D, 0.0)
    found = given_dissimilarities(StoredGram(D))
    assert np.shares_memory(found.dense(), D)
    assert found.size == 0
    assert_array_equal(found.values(np.array([1, 2]), np.array([3])), D[1:3, 3:4])
    assert given_dissimilarities(StoredGram(D.astype(np.float16))).dense().dtype == np.float32


def test_of_equal_columns_the_first_is_the_nearest():
    assert_array_equal(Distances.of_array(np.ones((4, 3)), symmetric=False).nearest(np.array([2, 0]))[0], 0)


def test_a_matrix_over_the_budget_is_refused_with_a_cure_I5():
    D = kernel_distances(LazyGram(RBF(1.0), X), squared=True)
    with mercer.configure(memory=10**6), pytest.raises(MemoryBudgetError, match=r"1000 x 1000 needs .* Use less\."):
        D.dense("Use less.")
    with mercer.configure(memory=10**6):
        assert len(D.nearest(np.array([1, 2]))[0]) == 1000  # streamed


def test_distances_do_not_depend_on_the_number_of_threads():
    found = []
    for threads in (1, 2):
        with mercer.configure(threads=threads):
            found.append(kernel_distances(LazyGram(RBF(1.3), X), squared=False).dense())
    assert_array_equal(*found)
