"""The functions to choose from: kept or streamed, they are the same."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer import LazyGram, configure
from mercer.kernels import RBF, Linear
from mercer.solvers.rvm.basis import Basis

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 2))
K = RBF(1.0)(X)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("memory", [2**20, 2**30])
def test_a_basis_is_the_gram_and_ones_whether_it_is_kept_or_streamed_M5(memory, bias):
    with configure(memory=memory):
        basis = Basis(LazyGram(RBF(1.0), X), bias=bias)
        assert (basis.K is None) == (memory == 2**20)
        Phi = np.column_stack([K, np.ones(300)]) if bias else K
        V = rng.random((300, 3))
        assert len(basis) == Phi.shape[1]
        assert_allclose(basis.project(V), Phi.T @ V, rtol=1e-12)
        assert_allclose(basis.squares(V), (Phi * Phi).T @ V, rtol=1e-12)
        some = np.array([0, 299, len(basis) - 1])
        assert_allclose(basis.cache.rows(some), Phi.T[some], rtol=1e-14)


def test_likeness_is_the_squared_cosine_of_items_and_a_constant_is_like_nothing():
    basis = Basis(LazyGram(Linear(), X))
    cosine = X @ X[7] / np.linalg.norm(X, axis=1) / np.linalg.norm(X[7])
    assert_allclose(basis.likeness(7), np.append(cosine**2, 0.0), atol=1e-12)
    assert_allclose(basis.likeness(300), np.append(np.zeros(300), 1.0))
