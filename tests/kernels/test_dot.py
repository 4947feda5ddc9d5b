"""Kernels of the inner product: linear (K4), polynomial (K5), homogeneous (K6), geometric (K7), sigmoid (K12)."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.gaussian_process.kernels import DotProduct
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, sigmoid_kernel

from mercer.kernels.dot import Geometric, Homogeneous, Linear, Polynomial, Sigmoid

rng = np.random.default_rng(3)
X, Y = rng.normal(size=(8, 3)), rng.normal(size=(6, 3))
Z, U = X + 1j * rng.normal(size=X.shape), Y + 1j * rng.normal(size=Y.shape)
PLANE = rng.normal(size=(7, 2))


# ---- linear


def test_the_rank_is_at_most_the_number_of_columns_K4():
    assert np.linalg.matrix_rank(Linear()(X)) == 3
    assert_array_equal(Linear().feature_map(X), X)


def test_no_columns_are_refused_K4():
    with pytest.raises(ValueError, match="at least one column"):
        Linear()(np.empty((3, 0)))


def test_sparse_in_dense_out_K4():
    K = Linear()(sparse.csr_array(X))
    assert type(K) is np.ndarray
    assert_allclose(K, X @ X.T, rtol=1e-14)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("k", [Linear(), Polynomial(2, offset=0.5), Homogeneous(3), Geometric(2)], ids=repr)
def test_complex_vectors_give_hermitian_positive_grams_K4_K37(k, form):
    K = k(form(Z))
    assert K.dtype == np.complex128
    assert abs(K.imag).max() > 0.1
    assert_array_equal(K, K.conj().T)
    assert_array_equal(np.diag(K).imag, 0.0)
    assert np.linalg.eigvalsh(K).min() > -1e-10 * abs(K).max()
    assert_allclose(k(form(Z), form(U)), k(form(U), form(Z)).conj().T, rtol=1e-13)
    assert_allclose(k.feature_map(Z) @ k.feature_map(U).conj().T, k(Z, U), rtol=1e-12)


def test_the_first_argument_is_the_linear_one_K37():
    assert_allclose(Linear()(2j * Z, U), 2j * Linear()(Z, U), rtol=1e-14)
    assert_allclose(Linear()(Z, U), Z @ U.conj().T, rtol=1e-14)


# ---- polynomial


def test_the_quadratic_map_of_the_plane_K5():
    x1, x2 = PLANE.T
    root = math.sqrt(2.0)
    by_hand = np.column_stack([np.ones(7), root * x1, root * x2, x1**2, root * x1 * x2, x2**2])
    phi = Polynomial(2).feature_map(PLANE)
    assert_allclose(phi, by_hand, rtol=1e-14)
    assert_allclose(phi @ phi.T, Polynomial(2)(PLANE), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize(("D", "M", "size"), [(2, 2, 6), (3, 2, 10), (3, 3, 20)])
def test_the_number_of_features_is_a_binomial_coefficient_K5(D, M, size):
    assert Polynomial(M).feature_map(np.ones((1, D))).shape == (1, size)
    assert math.comb(D + M, M) == size


def test_the_weights_of_the_general_map_K5():
    """The monomial x^i of degree m has weight sqrt(C(M, m) r^(M-m) gamma^m m! / (i_1! ... i_D!))."""
    M, gamma, r = 3, 0.7, 1.3
    phi = Polynomial(M, gamma=gamma, offset=r).feature_map(np.array([[1.0, 1.0]]))[0]
    powers = [(m - j, j) for m in range(M + 1) for j in range(m + 1)]
    weights = [
        math.sqrt(math.comb(M, i + j) * r ** (M - i - j) * gamma ** (i + j) * math.comb(i + j, i)) for i, j in powers
    ]
    assert_allclose(phi, weights, rtol=1e-14)


@pytest.mark.parametrize("k", [Polynomial(2, offset=-0.5), Polynomial(2.5)], ids=repr)
def test_a_negative_offset_or_broken_degree_is_not_known_to_be_mercer_K5(k):
    assert k.psd is None
    with pytest.raises(NotImplementedError, match="no finite feature map"):
        k.feature_map(X)


def test_a_negative_offset_can_be_indefinite_K5():
    assert np.linalg.eigvalsh(Polynomial(2, offset=-1.0)(np.array([[1.0], [0.5]]))).min() < -0.09


def test_a_broken_degree_works_where_it_has_a_meaning_K5():
    positive = abs(X)
    assert_allclose(Polynomial(2.5)(positive), (positive @ positive.T + 1.0) ** 2.5, rtol=1e-13)
    with pytest.raises(ValueError, match=r"degree must be an integer where .* is negative; got 2\.5"):
        Polynomial(2.5)(10.0 * X)


def test_overflow_is_refused_K5():
    with pytest.raises(ValueError, match=r"k must be finite; got inf for items 0 and 0\. Scale the data down"):
        Polynomial(50)(np.full((2, 1), 1e5))
    with pytest.raises(ValueError, match=r"k must be finite; got inf for items 0 and 0\. Scale the data down"):
        Polynomial(5)(np.full((2, 1), 1e5, dtype=np.float32))


@pytest.mark.parametrize("degree", [0, -1, np.nan, np.inf, "two"])
def test_the_degree_must_be_positive_K5(degree):
    with pytest.raises(ValueError, match="degree must be a positive integer"):
        Polynomial(degree)


def test_a_degree_that_is_a_whole_float_is_an_integer_K5():
    assert Polynomial(2.0) == Polynomial(2)
    assert Polynomial(2.0).psd is True


# ---- homogeneous


def test_two_maps_of_the_square_K6():
    x1, x2 = PLANE.T
    three = np.column_stack([x1**2, math.sqrt(2.0) * x1 * x2, x2**2])
    four = np.column_stack([x1**2, x2**2, x1 * x2, x2 * x1])
    assert_allclose(Homogeneous(2).feature_map(PLANE), three, rtol=1e-14)
    for phi in (three, four):
        assert_allclose(phi @ phi.T, Homogeneous(2)(PLANE), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("D", "m"), [(2, 2), (3, 4), (5, 1), (4, 0)])
def test_the_number_of_monomials_K6(D, m):
    assert Homogeneous(m).feature_map(np.ones((1, D))).shape == (1, math.comb(D + m - 1, m))


def test_degree_zero_is_the_constant_one_also_at_zero_K6():
    V = np.vstack([X, np.zeros(3)])
    for k in (Homogeneous(0), Geometric(0)):
        assert_array_equal(k(V), 1.0)
        assert_array_equal(k.feature_map(V), 1.0)


@pytest.mark.parametrize("kind", [Homogeneous, Geometric])
@pytest.mark.parametrize("wrong", [-1, 1.5, np.nan, "two", True])
def test_the_degree_must_be_a_count_K6(kind, wrong):
    with pytest.raises(ValueError, match="degree must be an integer >= 0"):
        kind(wrong)


# ---- geometric


def test_the_cubic_kernel_and_its_map_of_ordered_monomials_K7():
    G = PLANE @ PLANE.T
    assert_allclose(Geometric(3)(PLANE), 1 + G + G**2 + G**3, rtol=1e-13)
    phi = Geometric(3).feature_map(PLANE)
    assert phi.shape == (7, 15)
    assert_allclose(phi @ phi.T, Geometric(3)(PLANE), rtol=1e-13)
    x1, x2 = PLANE.T
    assert_allclose(phi[:, :7], np.column_stack([np.ones(7), x1, x2, x1 * x1, x1 * x2, x2 * x1, x2 * x2]), rtol=1e-14)


# ---- sigmoid


@pytest.mark.parametrize(
    ("points", "offset", "smallest"),
    [([1.0, 2.0], 0.0, -0.090867), ([1.0, 2.0], 1.0, -0.013248), ([1.0, 2.0, 0.0], -1.0, -1.269772)],
)
def test_the_sigmoid_is_not_positive_semi_definite_K12(points, offset, smallest):
    k = Sigmoid(1.0, offset=offset)
    assert k.psd is False
    assert_allclose(np.linalg.eigvalsh(k(np.reshape(points, (-1, 1)))).min(), smallest, atol=5e-7)


def test_a_negative_offset_gives_negative_diagonal_entries_K12():
    k = Sigmoid(1.0, offset=-1.0)
    assert k.diag(k.prepare([[0.0], [0.5]])).max() < 0.0


# ---- agreement with scikit-learn


def test_grams_agree_with_scikit_learn():
    assert_allclose(Linear()(X, Y), linear_kernel(X, Y), rtol=1e-13)
    assert_allclose(Polynomial(3, gamma=0.4, offset=1.2)(X, Y), polynomial_kernel(X, Y, 3, 0.4, 1.2), rtol=1e-12)
    assert_allclose(Sigmoid(0.4, offset=-0.2)(X, Y), sigmoid_kernel(X, Y, 0.4, -0.2), rtol=1e-12)
    assert_allclose((0.49 + Linear())(X, Y), DotProduct(sigma_0=0.7)(X, Y), rtol=1e-13)
