"""Kernels of the angle: cosine (K16) and the arcsine kernel of an infinite network (K13)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import erf
from sklearn.metrics.pairwise import cosine_similarity

from mercer.errors import NotPositiveDefinite
from mercer.kernels.angular import ArcSine, Cosine
from mercer.kernels.dot import Linear, Sigmoid
from mercer.kernels.normalised import Normalised
from mercer.parameters import Fixed

rng = np.random.default_rng(4)
X, Y = rng.normal(size=(8, 3)), rng.normal(size=(6, 3))
WITH_ZERO = np.vstack([X, np.zeros(3)])
FORMS = [np.asarray, sparse.csr_array, sparse.csr_matrix]
R = rng.normal(size=(4, 4))
S = R @ R.T


# ---- cosine


@pytest.mark.parametrize("form", FORMS)
def test_it_is_the_normalised_linear_kernel_K16_A11(form):
    assert_allclose(Cosine()(form(X), form(Y)), Normalised(Linear())(X, Y), rtol=1e-13)
    assert_allclose(Cosine()(form(X), form(Y)), cosine_similarity(X, Y), rtol=1e-13)


@pytest.mark.parametrize("form", FORMS)
def test_a_zero_vector_is_like_nothing_not_even_itself_K16(form):
    K = Cosine()(form(WITH_ZERO))
    assert_array_equal(K[-1], 0.0)
    assert_array_equal(np.diag(K), [1.0] * 8 + [0.0])
    with pytest.raises(ValueError, match="without zero vectors; got one in row 8"):
        Cosine(zero="raise")(form(WITH_ZERO))
    assert_array_equal(Cosine(zero="raise")(form(X)), Cosine()(form(X)))


def test_the_rule_for_zero_vectors_is_one_of_two_K16():
    with pytest.raises(ValueError, match='"allow" or "raise"'):
        Cosine(zero="ignore")


def test_count_vectors_have_values_in_0_1_and_zero_means_no_shared_word_K16():
    counts = rng.poisson(0.5, size=(30, 6)).astype(float)
    counts = counts[counts.any(axis=1)]
    K = Cosine()(counts)
    assert (K >= 0.0).all()
    assert (K <= 1.0).all()
    assert_array_equal(K == 0.0, (counts > 0) @ (counts > 0).T.astype(int) == 0)


@pytest.mark.parametrize("form", FORMS)
def test_lengths_do_not_matter_even_extreme_ones_K16(form):
    lengths = 10.0 ** np.array([-300, -200, -3, 0, 2, 90, 200, 300])[:, None]
    assert_allclose(Cosine()(form(lengths * X), form(Y)), Cosine()(X, Y), rtol=1e-12)


def test_equal_directions_never_exceed_one():
    V = rng.normal(size=(200, 7))
    K = Cosine()(V, 3.0 * V)
    assert K.max() <= 1.0
    assert_allclose(np.diag(K), 1.0, rtol=1e-14)
    assert Cosine()(V, -V).min() >= -1.0


@pytest.mark.parametrize("form", FORMS)
def test_complex_vectors_K16_K37(form):
    Z = X + 1j * rng.normal(size=X.shape)
    U = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    K = Cosine()(form(Z))
    assert_allclose(K, U @ U.conj().T, rtol=1e-12)
    assert_array_equal(K, K.conj().T)
    assert_array_equal(np.diag(K), 1.0)


def test_the_feature_map_is_the_unit_vector_K16():
    phi = Cosine().feature_map(WITH_ZERO)
    assert_allclose(np.linalg.norm(phi, axis=1), [1.0] * 8 + [0.0], rtol=1e-14)
    assert sparse.issparse(Cosine().feature_map(sparse.csr_array(X)))


# ---- arcsine


def formula(S, X, Y):
    U, V = (np.column_stack([np.ones(len(Z)), Z]) for Z in (X, Y))
    norms = [1 + 2 * np.einsum("ij,jk,ik->i", Z, S, Z) for Z in (U, V)]
    return 2 / np.pi * np.arcsin(2 * U @ S @ V.T / np.sqrt(np.outer(*norms)))


@pytest.mark.parametrize("form", FORMS)
def test_all_ways_to_give_the_covariance_K13(form):
    variances = (0.4, 1.5, 0.0, 2.0)
    cases = [
        (ArcSine(0.7), 0.7 * np.eye(4)),
        (ArcSine(variances), np.diag(variances)),
        (ArcSine(0.5, covariance=S), 0.5 * S),
        (ArcSine(covariance=np.diag(variances)), np.diag(variances)),
    ]
    for k, covariance in cases:
        assert_allclose(k(form(X), form(Y)), formula(covariance, X, Y), rtol=1e-11, atol=1e-13)


def test_it_is_the_expected_product_of_two_erf_units_K13():
    """k(x, y) = E erf(w^T u) erf(w^T v) over w ~ N(0, S), within 3 standard errors."""
    k = ArcSine(covariance=S)
    draws = 40_000
    w = np.random.default_rng(0).multivariate_normal(np.zeros(4), S, size=draws)
    U, V = (np.column_stack([np.ones(len(Z)), Z]) for Z in (X[:3], Y[:3]))
    products = erf(w @ U.T)[:, :, None] * erf(w @ V.T)[:, None, :]
    error = products.std(axis=0) / np.sqrt(draws)
    assert (abs(products.mean(axis=0) - k(X[:3], Y[:3])) < 3 * error).all()


def test_it_is_positive_where_the_sigmoid_is_not_K13_K12():
    points = np.array([[1.0], [2.0], [0.0]])
    assert np.linalg.eigvalsh(Sigmoid(1.0, offset=-1.0)(points)).min() < -1.0
    assert np.linalg.eigvalsh(ArcSine()(points)).min() > 0.0
    assert ArcSine().psd is True
    many = rng.normal(size=(60, 3))
    assert np.linalg.eigvalsh(ArcSine(5.0, covariance=S)(many)).min() > -1e-12


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_long_vectors_stay_within_the_domain_of_the_arcsine_K13(dtype):
    V = (1e8 * np.vstack([X, X, -X])).astype(dtype)
    K = ArcSine()(V)
    assert np.isfinite(K).all()
    assert abs(K).max() <= 1.0
    assert_allclose(np.diag(K, 8)[:8], 1.0, atol=1e-3)


def test_bad_covariances_are_refused_K13():
    with pytest.raises(NotPositiveDefinite, match="covariance must be positive semi-definite; got smallest eigenvalue"):
        ArcSine(covariance=np.diag([1.0, -1.0]))
    with pytest.raises(ValueError, match=r"over \(1, x\), that is of size 4; got 3"):
        ArcSine((1.0, 2.0, 3.0))(X)
    with pytest.raises(ValueError, match="of size 4; got 3"):
        ArcSine(covariance=np.eye(3))(X)
    with pytest.raises(ValueError, match="one number beside a covariance matrix"):
        ArcSine((1.0, 1.0), covariance=np.eye(2))
    with pytest.raises(ValueError, match="variance must be a number >= 0"):
        ArcSine(-1.0)
    with pytest.raises(ValueError, match="ArcSine: X must be real"):
        ArcSine()(X + 1j)


def test_a_variance_of_zero_and_a_fixed_one_are_not_tuned():
    assert ArcSine((0.4, 1.5, 0.0, 2.0)).theta.size == 3
    assert ArcSine(Fixed(0.4)).theta.size == 0
