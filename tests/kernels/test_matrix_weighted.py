"""Kernels given by a matrix: the Gaussian with a full covariance (K1), the bilinear form (K9)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from mercer.errors import NotPositiveDefinite
from mercer.kernels.dot import Linear
from mercer.kernels.matrix_weighted import Bilinear, Mahalanobis
from mercer.kernels.radial import RBF

rng = np.random.default_rng(8)
X, Y = rng.normal(size=(9, 4)), rng.normal(size=(6, 4))
L = np.tril(rng.normal(size=(4, 4))) + 2 * np.eye(4)
S = L @ L.T


def test_it_is_the_gaussian_of_whitened_vectors_K1():
    assert_allclose(Mahalanobis(S)(X, Y), RBF(1.0)(np.linalg.solve(L, X.T).T, np.linalg.solve(L, Y.T).T), rtol=1e-12)


def test_it_is_its_formula_K1():
    d = X[:, None] - Y
    by_hand = np.exp(-0.5 * np.einsum("ijk,ijk->ij", d, np.linalg.solve(S, d[..., None])[..., 0]))
    assert_allclose(Mahalanobis(S)(X, Y), by_hand, rtol=1e-12)


def test_covariance_precision_and_cholesky_factor_name_one_kernel_K1():
    K = Mahalanobis(S)(X, Y)
    assert_allclose(Mahalanobis.from_cholesky(L)(X, Y), K, rtol=1e-12)
    assert_allclose(Mahalanobis.from_precision(np.linalg.inv(S))(X, Y), K, rtol=1e-10)


def test_a_diagonal_covariance_is_the_ard_kernel_K1_K2():
    scales = (0.5, 1.0, 2.0, 0.1)
    assert_allclose(Mahalanobis(np.diag(np.square(scales)))(X, Y), RBF(scales)(X, Y), rtol=1e-12)


def test_distinct_points_give_a_positive_definite_gram_with_unit_diagonal_K1():
    K = Mahalanobis(S)(X)
    assert np.linalg.eigvalsh(K).min() > 0.0
    assert_array_equal(np.diag(K), 1.0)


def test_an_ill_conditioned_covariance_keeps_the_digits_an_inverse_would_lose_K1():
    """The factor carries the square root of the condition number; x - y is exactly one column of it."""
    n = 8
    hilbert = 1.0 / (np.arange(n)[:, None] + np.arange(n) + 1.0)
    factor = np.linalg.cholesky(hilbert)
    columns = np.vstack([np.zeros(n), factor.T])
    K = Mahalanobis.from_cholesky(factor)(columns)
    assert_allclose(K[0, 1:], np.exp(-0.5), rtol=1e-9)
    assert_allclose(K[1:, 1:][~np.eye(n, dtype=bool)], np.exp(-1.0), rtol=1e-9)


def test_bad_metrics_are_refused_when_the_kernel_is_made_K1():
    with pytest.raises(NotPositiveDefinite, match="covariance must be positive definite; got smallest eigenvalue"):
        Mahalanobis(np.ones((2, 2)))
    with pytest.raises(NotPositiveDefinite, match="precision must be positive definite; got smallest eigenvalue -1"):
        Mahalanobis.from_precision(np.diag([1.0, -1.0]))
    with pytest.raises(ValueError, match=r"covariance must be symmetric.*smallest eigenvalue"):
        Mahalanobis([[1.0, 0.5], [0.0, 1.0]])
    with pytest.raises(ValueError, match=r"covariance must be a square matrix; got shape \(2, 3\)"):
        Mahalanobis(np.ones((2, 3)))
    with pytest.raises(ValueError, match="cholesky must be lower triangular"):
        Mahalanobis.from_cholesky(L.T)
    with pytest.raises(ValueError, match="one of covariance, precision, cholesky; got 0"):
        Mahalanobis()
    with pytest.raises(ValueError, match="one of covariance, precision, cholesky; got 2"):
        Mahalanobis(S, precision=S)
    with pytest.raises(ValueError, match="covariance must be real"):
        Mahalanobis(S + 0j)


@pytest.mark.parametrize("k", [Mahalanobis(S), Bilinear(S)], ids=lambda k: type(k).__name__)
def test_the_matrix_must_fit_the_columns_K1_K9(k):
    with pytest.raises(ValueError, match="3 x 3, as X has 3 columns; got 4 x 4"):
        k(X[:, :3])


@pytest.mark.parametrize("k", [Mahalanobis(S), Bilinear(S)], ids=lambda k: type(k).__name__)
def test_cloning_keeps_the_matrix(k):
    again = k.with_params(**k.get_params())
    assert again == k
    assert all(again.get_params()[name] is M for name, M in k.get_params().items())
    assert clone(k, safe=False) == k


def test_complex_vectors_K1_K37():
    Z, U = X + 1j * rng.normal(size=X.shape), Y + 1j * rng.normal(size=Y.shape)
    d = Z[:, None] - U
    form = np.einsum("ijk,ijk->ij", d.conj(), np.linalg.solve(S, d[..., None])[..., 0]).real
    assert_allclose(Mahalanobis(S)(Z, U), np.exp(-0.5 * form), rtol=1e-12)


# ---- bilinear


def test_the_bilinear_form_is_linear_in_transformed_vectors_K9():
    k = Bilinear(S)
    assert_allclose(k(X, Y), X @ S @ Y.T, rtol=1e-12)
    assert_allclose(k(X, Y), Linear()(X @ L, Y @ L), rtol=1e-12)
    assert_allclose(Bilinear(np.eye(4))(X, Y), Linear()(X, Y), rtol=1e-13)


def test_a_singular_form_is_allowed_and_its_map_has_its_rank_K9():
    B = L[:, :2] @ L[:, :2].T
    k = Bilinear(B)
    assert k.feature_map(X).shape == (9, 2)
    assert_allclose(k(X, Y), X @ B @ Y.T, rtol=1e-11, atol=1e-12)
    assert k.psd is True
    assert_array_equal(Bilinear(np.zeros((4, 4)))(X), 0.0)


def test_columns_in_odd_units_all_count_K9():
    units = 10.0 ** np.array([-9, 0, 3, 9])
    assert_allclose(Bilinear(units[:, None] * S * units)(X / units, Y / units), X @ S @ Y.T, rtol=1e-11)


def test_indefinite_and_asymmetric_forms_are_refused_with_their_smallest_eigenvalue_K9():
    with pytest.raises(NotPositiveDefinite, match="B must be positive semi-definite; got smallest eigenvalue -1"):
        Bilinear([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match=r"B must be symmetric.*smallest eigenvalue 0\.5"):
        Bilinear([[1.0, 1.0], [0.0, 1.0]])


def test_a_hermitian_form_K9_K37():
    R = L[:, :3] + 1j * rng.normal(size=(4, 3))
    B = R @ R.conj().T
    Z = X + 1j * rng.normal(size=X.shape)
    for V in (X, Z):
        K = Bilinear(B)(V)
        assert_allclose(K, V @ B @ V.conj().T, rtol=1e-11, atol=1e-12)
        assert_array_equal(K, K.conj().T)
    assert Bilinear(B)(X.astype(np.float32)).dtype == np.complex64
