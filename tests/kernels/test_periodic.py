"""The periodic kernel."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.gaussian_process.kernels import ExpSineSquared

from mercer.kernels.periodic import Periodic, circles
from mercer.kernels.radial import RBF

rng = np.random.default_rng(10)
X, Y = rng.normal(size=(8, 3)), rng.normal(size=(6, 3))


def test_it_is_its_formula():
    k = Periodic(0.8, period=1.7)
    by_hand = np.exp(-2 * (np.sin(np.pi * (X[:, None] - Y) / 1.7) ** 2).sum(axis=2) / 0.8**2)
    assert_allclose(k(X, Y), by_hand, rtol=1e-12)


def test_it_agrees_with_scikit_learn_in_one_dimension():
    ours, theirs = Periodic(0.8, period=1.7), ExpSineSquared(0.8, 1.7)
    K, gradient = theirs(X[:, :1], eval_gradient=True)
    assert_allclose(ours(X[:, :1]), K, rtol=1e-12)
    W = rng.normal(size=K.shape)
    A = ours.prepare(X[:, :1])
    assert_allclose(ours.vjp(A, A, W), np.einsum("ij,ijp->p", W, gradient), rtol=1e-10)


def test_it_is_the_gaussian_on_circles():
    angles = 2 * np.pi / 1.7 * X
    warped = np.hstack([np.cos(angles), np.sin(angles)])
    assert_allclose(Periodic(0.8, period=1.7)(X), RBF(0.8)(warped), rtol=1e-12)
    C = circles(X, 1.7)
    assert_allclose((C[:, :3] + 1) ** 2 + C[:, 3:] ** 2, 1.0, rtol=1e-14)


def test_it_is_positive_semi_definite_in_several_dimensions():
    """The sine of the Euclidean distance is not: that formula is a kernel in one dimension only."""
    grid = np.stack(np.meshgrid(*[np.arange(6.0)] * 2), axis=-1).reshape(-1, 2)
    r = np.linalg.norm(grid[:, None] - grid, axis=2)
    euclidean = np.exp(-2 * np.sin(np.pi * r / 5.0) ** 2)
    assert np.linalg.eigvalsh(euclidean).min() < -0.1
    assert np.linalg.eigvalsh(Periodic(1.0, period=5.0)(grid)).min() > -1e-12


def test_whole_periods_change_nothing_however_many():
    k = Periodic(0.8, period=0.75)
    grid = np.round(X * 1024) / 1024
    for periods in (1, -7, 2**20, 2**35):
        assert_allclose(k(grid + 0.75 * periods, Y), k(grid, Y), rtol=1e-12)


def test_a_long_period_is_a_gaussian_and_an_endless_one_is_constant():
    """sin x = x for small x: the lengthscale of that Gaussian is l p / (2 pi)."""
    assert_allclose(Periodic(2 * np.pi * 1e-4, period=1e4)(X, Y), RBF(1.0)(X, Y), rtol=1e-5)
    assert_array_equal(Periodic(1.0, period=np.inf)(X), 1.0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_extreme_lengthscales(dtype):
    V = np.vstack([X, X[:1]]).astype(dtype)
    same = np.eye(9)
    same[0, 8] = same[8, 0] = 1.0
    for tiny in (1e-6, 1e-100, 1e-300):
        assert_array_equal(Periodic(tiny, period=1.7)(V), same)
    assert_array_equal(Periodic(1e200)(V), 1.0)


def test_near_points_far_away_keep_their_digits():
    t = 1e6 + np.array([[0.0], [1e-7], [3e-7]])
    gaps = t - t.T
    assert_allclose(Periodic(1e-7, period=2.0)(t), np.exp(-2 * (np.sin(np.pi * gaps / 2) / 1e-7) ** 2), rtol=1e-7)


def test_sparse_zeros_stay_zeros():
    V = sparse.csr_array(X * (rng.random(X.shape) < 0.5))
    assert circles(V, 1.7).nnz <= 2 * V.nnz


def test_bad_arguments_are_refused():
    for wrong in ({"lengthscale": 0.0}, {"period": -1.0}, {"period": np.nan}, {"period": (1.0, 2.0)}):
        with pytest.raises(ValueError, match=r"Periodic: (lengthscale|period) must be"):
            Periodic(**wrong)
    with pytest.raises(ValueError, match="Periodic: X must be real"):
        Periodic()(X + 1j)
