"""Constants (K8) and white noise: kernels that never look inside an item."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.gaussian_process import kernels as gp

from mercer.kernels.constant import Constant, White
from mercer.kernels.dot import Linear, Polynomial
from mercer.kernels.radial import RBF
from mercer.testing import check_kernel

rng = np.random.default_rng(2)
X, Y = rng.normal(size=(6, 3)), rng.normal(size=(4, 3))
OBJECTS = ["a", ("b", 1), {"c"}, None, {"d": 2.0}]


def test_the_gram_is_r_times_ones_K8():
    assert_array_equal(Constant(0.7)(X, Y), np.full((6, 4), 0.7))
    assert np.linalg.matrix_rank(Constant(0.7)(X)) == 1
    assert_allclose(Constant(0.7).feature_map(X), np.full((6, 1), np.sqrt(0.7)))


@pytest.mark.parametrize("wrong", [-1.0, np.nan, np.inf, (1.0, 2.0)])
def test_a_constant_must_be_one_number_not_below_zero_K8(wrong):
    with pytest.raises(ValueError, match="Constant: value must be"):
        Constant(wrong)


def test_zero_is_allowed_and_stays_zero_K8():
    assert_array_equal(Constant(0.0)(X), 0.0)
    assert Constant(0.0).theta.size == 0
    assert Constant(0.0).psd is True


def test_linear_plus_constant_to_a_power_is_the_polynomial_K8_A10():
    assert_allclose(((Linear() + Constant(1.3)) ** 3)(X, Y), Polynomial(3, offset=1.3)(X, Y), rtol=1e-12)


@pytest.mark.parametrize("k", [Constant(0.7), White(0.7)], ids=repr)
def test_any_items_will_do_I1(k):
    check_kernel(k, OBJECTS, OBJECTS[::2])
    check_kernel(k, X, Y)
    assert k(sparse.csr_array(X)).shape == (6, 6)


@pytest.mark.parametrize("k", [Constant(0.7), White(0.7)], ids=repr)
def test_single_precision_survives_the_company_of_a_constant(k):
    V = X.astype(np.float32)
    assert (RBF() + k)(V).dtype == np.float32
    assert (RBF() * k)(V).dtype == np.float32
    assert k(V).dtype == k.diag(k.prepare(V)).dtype == np.float32
    assert (RBF() + k)(X).dtype == np.float64


def test_white_noise_is_equality_by_value():
    repeated = np.vstack([X, X[:2]])
    K = White(0.3)(repeated)
    assert_array_equal(K, 0.3 * (repeated[:, None] == repeated).all(axis=2))
    assert K[0, 6] == 0.3
    assert_array_equal(White(0.3)(repeated, X), K[:, :6])
    assert White()(np.array([[0.0]]), np.array([[-0.0]])).item() == 1.0


def test_white_noise_on_sparse_rows_is_that_on_dense_rows():
    V = np.array([[0.0, 1.0], [0.0, 0.0], [0.0, 1.0]])
    assert_array_equal(White()(sparse.csr_array(V)), White()(V))
    assert_array_equal(White()(sparse.csr_array(V), V), White()(V))


def test_white_noise_agrees_with_scikit_learn_on_distinct_items():
    assert_array_equal(White(0.3)(X), gp.WhiteKernel(0.3)(X))
    assert_array_equal(White(0.3)(X, Y), gp.WhiteKernel(0.3)(X, Y))
