"""A stored Gram has the methods of a lazy one: I3."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer import LazyGram, StoredGram
from mercer.kernels import RBF, Linear

rng = np.random.default_rng(0)
X = rng.normal(size=(6, 3))
K = RBF()(X)


@pytest.mark.parametrize("index", [[], [2, 2, 0], slice(1, 4), np.arange(6) % 2 == 0], ids=str)
def test_stored_and_lazy_grams_agree_I3(index):
    lazy, stored = LazyGram(RBF(), X), StoredGram(K)
    assert len(stored) == len(lazy)
    assert stored.shape == lazy.shape
    assert_array_equal(stored.dense(), lazy.dense())
    assert_array_equal(stored.diag(), lazy.diag())
    assert_allclose(stored.rows(index), lazy.rows(index), atol=1e-15)
    assert_allclose(stored.sub(index).dense(), lazy.sub(index).dense(), atol=1e-15)
    assert_allclose(stored @ X, lazy @ X, atol=1e-14)


def test_hermitian_matrices_are_symmetric_enough_K37():
    Z = X + 1j * X[::-1]
    assert_array_equal(StoredGram(Linear()(Z)).dense(), Linear()(Z))


def test_no_items_make_an_empty_gram_I5():
    assert len(StoredGram(np.empty((0, 0)))) == 0


@pytest.mark.parametrize(("bad", "fault"), [
    (K[:4], r"K must be a square matrix; got shape \(4, 6\)"),
    (K[0], r"K must be a square matrix; got shape \(6,\)"),
    (K + np.diag(np.ones(5), 1), r"K must be symmetric; got entries that differ by 1\. Use \(K \+ K.T\) / 2"),
    (K * np.nan, "k must be finite; got nan for items 0 and 0"),
    (1j * K, "K must be symmetric"),
], ids=["not square", "a vector", "not symmetric", "not finite", "not hermitian"])  # fmt: skip
def test_a_matrix_that_is_no_gram_is_refused_I3(bad, fault):
    with pytest.raises(ValueError, match=f"StoredGram: {fault}"):
        StoredGram(bad)


def test_rounding_is_not_asymmetry_I3():
    StoredGram(K * (1.0 + 1e-12 * rng.normal(size=K.shape)))


@pytest.mark.parametrize("make", [
    np.asfortranarray, lambda K: np.kron(K, np.ones((2, 2)))[::2, ::2], lambda K: np.rint(5 * K).astype(int),
    lambda K: K.astype(">f8"), lambda K: K.astype(complex),
], ids=["columns first", "strided", "integers", "foreign bytes", "complex"])  # fmt: skip
def test_any_array_of_numbers_is_a_gram_I3(make):
    stored, J = StoredGram(make(K)), np.array([4, 0, 2])[::-1]
    for V in (X[:3], X[:3, 0], X[:3] + 1j, X[:3].astype(np.float32)):
        assert_allclose(stored.part(None, J) @ V, make(K)[:, J].astype(complex) @ V, rtol=1e-12)


INDICES = [None, np.array([4, 0, 2]), np.array([1, 1, 3, 5, 0, 2]), np.array([], dtype=int)]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
@pytest.mark.parametrize("J", INDICES, ids=str)
@pytest.mark.parametrize("I", INDICES, ids=str)
def test_a_view_is_the_piece_of_the_matrix_it_stands_for_I3(I, J, dtype):
    H = (K + 1j * (np.triu(K, 1) - np.tril(K, -1)) if dtype is np.complex128 else K).astype(dtype)
    piece = H if I is None else H[I]
    piece = piece if J is None else piece[:, J]
    view = StoredGram.of(H).part(I, J)
    V = rng.normal(size=(piece.shape[1], 2))
    assert view.shape == piece.shape
    assert_array_equal(view.dense(), piece)
    assert_allclose(view @ V, piece @ V, atol=1e-6)
    assert_allclose(view @ V[:, 0], piece @ V[:, 0], atol=1e-6)


def test_views_of_views_share_the_matrix_I3():
    first, second = np.array([5, 3, 3, 0]), np.array([2, 0])
    view = StoredGram(K).sub(first).sub(second)
    assert view.K is K
    assert_array_equal(view.dense(), K[np.ix_(first[second], first[second])])
    assert_array_equal(view.diag(), np.diag(K)[first[second]])
    assert_array_equal(view.rows([1]), K[np.ix_(first[second[1:]], first[second])])


def test_entries_in_single_precision_are_summed_in_double_I3():
    H, v = K.astype(np.float32), rng.normal(size=6)
    assert_allclose(StoredGram(H) @ v, H.astype(float) @ v, rtol=1e-14)
    assert_allclose(StoredGram(H).part(None, np.arange(4)) @ v[:4], H[:, :4].astype(float) @ v[:4], rtol=1e-6)
