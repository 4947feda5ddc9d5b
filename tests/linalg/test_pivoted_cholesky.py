"""The pivoted Cholesky factor of a Gram: exact on its pivots, honest about the rest, and cheap."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer import LazyGram, NotPositiveDefinite, StoredGram
from mercer.kernels import RBF, Linear
from mercer.linalg.pivoted_cholesky import pivoted_cholesky

rng = np.random.default_rng(5)
X = rng.normal(size=(60, 3))
K = RBF(1.0)(X)


class Counting:
    """A Gram that counts the rows asked for."""

    def __init__(self, K):
        self.K, self.asked = K, 0

    def diag(self):
        return np.diagonal(self.K)

    def rows(self, index):
        self.asked += len(index)
        return self.K[index]


def test_without_a_limit_the_factor_gives_the_gram_back():
    factor = pivoted_cholesky(StoredGram(K))
    assert_allclose(factor.L @ factor.L.T, K, atol=1e-10)
    assert abs(factor.residual) < 1e-10
    assert len(set(factor.pivots)) == len(factor.pivots)


def test_a_factor_of_some_rank_is_exact_on_its_pivots_and_says_what_it_leaves_out():
    factor = pivoted_cholesky(StoredGram(K), 10)
    assert factor.L.shape == (60, 10)
    assert_allclose((factor.L @ factor.L.T)[factor.pivots], K[factor.pivots], atol=1e-12)
    assert_allclose(factor.residual, np.trace(K - factor.L @ factor.L.T) / np.trace(K), rtol=1e-9)
    assert (np.diag(K - factor.L @ factor.L.T) >= -1e-12).all()


def test_the_next_pivot_is_the_item_explained_least():
    factor = pivoted_cholesky(StoredGram(K), 10)
    left = np.diag(K - factor.L @ factor.L.T)
    assert pivoted_cholesky(StoredGram(K), 11).pivots[10] == np.argmax(left)


def test_only_the_rows_of_the_pivots_are_looked_at():
    gram = Counting(K)
    pivoted_cholesky(gram, 10)
    assert gram.asked == 10


def test_the_rank_of_the_kernel_is_found():
    assert len(pivoted_cholesky(LazyGram(Linear(), X)).pivots) == 3
    assert len(pivoted_cholesky(LazyGram(Linear(), X.astype(np.float32))).pivots) == 3
    assert len(pivoted_cholesky(StoredGram(np.zeros((4, 4)))).pivots) == 0


def test_a_function_of_the_features_is_an_expansion_over_the_pivots():
    factor, w = pivoted_cholesky(StoredGram(K), 10), rng.normal(size=(10, 2))
    assert_allclose(K[:, factor.pivots] @ factor.coefficients(w), factor.L @ w, atol=1e-9)


def test_an_indefinite_matrix_is_refused():
    with pytest.raises(NotPositiveDefinite, match="-"):
        pivoted_cholesky(StoredGram(np.array([[1.0, 2.0], [2.0, 1.0]])))
