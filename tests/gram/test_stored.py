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
    (K * np.nan, "K must be finite; got NaN or infinity"),
    (1j * K, "K must be symmetric"),
], ids=["not square", "a vector", "not symmetric", "not finite", "not hermitian"])  # fmt: skip
def test_a_matrix_that_is_no_gram_is_refused_I3(bad, fault):
    with pytest.raises(ValueError, match=f"StoredGram: {fault}"):
        StoredGram(bad)


def test_rounding_is_not_asymmetry_I3():
    StoredGram(K * (1.0 + 1e-12 * rng.normal(size=K.shape)))
