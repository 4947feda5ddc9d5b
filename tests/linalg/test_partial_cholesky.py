"""The first columns of a Cholesky factor, block by block."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from mercer.kernels import RBF, Linear
from mercer.linalg.partial_cholesky import partial_cholesky

X = np.random.default_rng(0).normal(size=(200, 3))


def test_what_is_left_is_positive_and_has_the_trace_that_is_told():
    K = RBF(1.5)(X)
    found = partial_cholesky(K, 150, 1e-3)
    for k in (0, 5, 64, found.L.shape[1]):
        rest = K - found.L[:, :k] @ found.L[:, :k].T
        assert np.linalg.eigvalsh(rest)[0] > -1e-10
        assert_allclose(found.left[k], np.trace(rest), rtol=1e-6, atol=1e-9)
    assert found.left[-1] <= 1e-3
    assert found.left[found.rank(1.0)] <= 1.0 < found.left[found.rank(1.0) - 1]


def test_a_low_rank_is_found_and_a_level_spectrum_is_not_worth_columns():
    assert partial_cholesky(Linear()(X), 100, 0.0).L.shape == (200, 3)
    assert partial_cholesky(np.eye(200), 100, 0.0).L.shape[1] <= 64
    assert partial_cholesky(np.zeros((5, 5)), 5, 0.0).L.shape == (5, 0)
    assert partial_cholesky(-np.eye(5), 5, 0.0).L.shape == (5, 0)
