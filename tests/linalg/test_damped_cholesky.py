"""Factors of matrices that rounding made singular: exact where they can be, finite where they cannot."""

import numpy as np
from numpy.testing import assert_allclose

from mercer.linalg.damped_cholesky import DampedCholesky


def test_a_positive_definite_matrix_is_solved():
    R = np.random.default_rng(0).normal(size=(6, 9))
    A, B = R @ R.T, R[:, :2]
    assert_allclose(DampedCholesky(A.copy()).solve(B), np.linalg.solve(A, B), rtol=1e-8)
    assert_allclose(DampedCholesky(A.copy(), shift=2.0).solve(B), np.linalg.solve(A + 2.0 * np.eye(6), B), rtol=1e-8)


def test_rounding_below_zero_is_damped_away():
    A = np.full((5, 5), 1e16)
    A[0, 1] = A[1, 0] = 1e16 * (1.0 + 1e-13)
    x = DampedCholesky(A.copy()).solve(np.ones(5))
    assert np.isfinite(x).all()
    assert x.sum() > 0.0


def test_an_empty_matrix_has_an_empty_solution():
    assert DampedCholesky(np.empty((0, 0))).solve(np.empty((0, 2))).shape == (0, 2)
