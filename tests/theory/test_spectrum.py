"""The spectral theorem (T6), and the rule that tells rounding from indefiniteness."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.errors import NotPositiveDefinite
from mercer.theory.spectrum import eigen, positive_part, rounding

rng = np.random.default_rng(0)


def basis(n, kind=float):
    A = rng.normal(size=(n, n)) + (1j * rng.normal(size=(n, n)) if kind is complex else 0.0)
    return np.linalg.qr(A)[0]


def matrix(values, Q):
    return (Q * values) @ Q.conj().T


@pytest.mark.parametrize("kind", [float, complex])
def test_a_matrix_is_the_sum_of_its_eigenvalues_times_projectors_T6(kind):
    A = basis(7, kind)
    A = A + A.conj().T
    values, V, _ = eigen(A)
    rank_one = [np.outer(v, v.conj()) for v in V.T]
    assert_allclose(sum(w * P for w, P in zip(values, rank_one, strict=True)), A, atol=1e-10)
    assert_allclose(V.conj().T @ V, np.eye(7), atol=1e-10)


@pytest.mark.parametrize("kind", [float, complex])
def test_a_repeated_eigenvalue_has_a_projector_not_a_vector_T6(kind):
    Q = basis(6, kind)
    values, V = positive_part(matrix(np.array([3.0, 3.0, 3.0, 1.0, 0.0, 0.0]), Q), "test")
    assert_allclose(values, [3.0, 3.0, 3.0, 1.0], rtol=1e-10)
    for mine, given in ((V[:, :3], Q[:, :3]), (V[:, 3:], Q[:, 3:4])):
        assert_allclose(mine @ mine.conj().T, given @ given.conj().T, atol=1e-10)


def test_eigenvalues_within_rounding_of_zero_are_dropped_and_lower_ones_raise_T5():
    Q, tol = basis(4), rounding(4, 1.0, np.dtype(float))
    inside = matrix(np.array([1.0, 0.5, tol / 4, -tol / 4]), Q)
    assert len(positive_part(inside, "test")[0]) == 2
    with pytest.raises(NotPositiveDefinite, match=r"test: .*smallest eigenvalue -0\.25"):
        positive_part(matrix(np.array([1.0, 0.5, 0.1, -0.25]), Q), "test")


def test_the_tolerance_is_10_n_eps_times_the_largest_eigenvalue():
    assert rounding(50, 3.0, np.dtype(float)) == 10 * 50 * 2.0**-52 * 3.0
    assert rounding(50, 3.0, np.dtype(np.complex64)) == 10 * 50 * 2.0**-23 * 3.0
