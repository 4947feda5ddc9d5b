"""The distance of a kernel (T12)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mercer import configure
from mercer.errors import MemoryBudgetError
from mercer.kernels import RBF, Homogeneous, Linear, Matern, Polynomial, Sigmoid
from mercer.theory import distance, mercer_map

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(12, 3)), rng.normal(size=(9, 3))


def euclid(P, Q):
    return np.linalg.norm(P[:, None] - Q, axis=2)


def test_the_linear_kernel_gives_euclidean_distance_T12():
    assert_allclose(distance(Linear(), X, Y), euclid(X, Y), rtol=1e-10)
    assert_allclose(distance(Linear(), X, Y, squared=True), euclid(X, Y) ** 2, rtol=1e-10)


def test_complex_vectors_take_the_real_part_T12_K37():
    Z, W = X + 1j * X[::-1], Y - 0.5j * Y[::-1]
    assert_allclose(distance(Linear(), Z, W), euclid(Z, W), rtol=1e-10)
    assert distance(Linear(), Z).dtype == np.float64


@pytest.mark.parametrize("k", [RBF(1.0), Matern(0.5), Polynomial(3)], ids=repr)
def test_it_is_the_distance_of_feature_vectors_T12(k):
    phi = mercer_map(k, X).phi
    assert_allclose(distance(k, X), euclid(phi, phi), atol=1e-6)


@pytest.mark.parametrize("k", [RBF(1.0), Linear(), Polynomial(3)], ids=repr)
def test_the_diagonal_is_exactly_zero_and_the_matrix_symmetric_T12(k):
    P = 1e3 + rng.normal(size=(900, 2))  # far from the origin, over several tiles
    D = distance(k, P)
    assert np.all(np.diag(D) == 0.0)
    assert np.array_equal(D, D.T)
    assert np.all(D >= 0.0)


def test_distinct_items_may_be_at_distance_zero_T12():
    P = np.array([[1.0, 2.0], [-1.0, -2.0]])
    assert_allclose(distance(Homogeneous(2), P), 0.0)


points = st.lists(st.tuples(st.floats(-3, 3), st.floats(-3, 3)), min_size=3, max_size=3)


@given(points, st.sampled_from([RBF(1.0), Matern(0.5), Polynomial(2), Linear()]))
def test_the_distance_of_a_kernel_obeys_the_triangle_inequality_T12(three, k):
    D = distance(k, np.array(three))
    assert D[0, 2] <= D[0, 1] + D[1, 2] + 1e-6


def test_the_squared_distance_does_not_T12():
    S = distance(Linear(), np.array([[0.0], [1.0], [2.0]]), squared=True)
    assert S[0, 2] > S[0, 1] + S[1, 2]


def test_the_triangle_inequality_fails_for_the_sigmoid_T12_K12():
    """d^2(1, 2) = tanh 1 + tanh 4 - 2 tanh 2 < 0 becomes 0, while 1 and 2 are not equally far from 0.3."""
    D = distance(Sigmoid(), np.array([[1.0], [2.0], [0.3]]))
    assert D[0, 1] == 0.0
    assert abs(D[0, 2] - D[1, 2]) > D[0, 1] + 0.01


def test_distances_obey_the_memory_budget_and_keep_float32_T12():
    with configure(memory=2**16), pytest.raises(MemoryBudgetError, match="distances under"):
        distance(RBF(), np.zeros((200, 1)))
    assert distance(RBF(), X.astype(np.float32)).dtype == np.float32


def test_no_items_give_no_distances_I2():
    assert distance(RBF(), X[:0], Y).shape == (0, 9)
    assert distance(RBF(), X[:0]).shape == (0, 0)
