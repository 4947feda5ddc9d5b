"""scikit-learn's kernels in our words: values, theta, bounds and noise."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.gaussian_process import kernels as sk

from mercer.estimators.gaussian_process.converted_kernel import Converted, Foreign
from mercer.estimators.sklearn_kernels import is_foreign
from mercer.kernels import RBF

rng = np.random.default_rng(0)
X, Z = rng.normal(size=(12, 3)), rng.normal(size=(5, 3))
C = sk.ConstantKernel
KERNELS = [
    C(2.0) * sk.RBF([0.5, 1.0, 2.0]),
    sk.RBF(0.7) * C(0.3) + C(0.1),
    sk.RationalQuadratic(length_scale=0.8, alpha=2.5) + sk.Matern([1.0, 2.0, 3.0], nu=2.5),
    sk.DotProduct(0.6) + C(1.5) * sk.Matern(0.4, nu=0.5) * sk.RBF(2.0),
    (sk.RBF(1.5) + sk.DotProduct(2.0)) ** 2,
    sk.RBF(1.5, length_scale_bounds="fixed") + C(0.5) * sk.Matern(nu=np.inf),
    C(0.5) * sk.ExpSineSquared(1.2, 3.0),
    sk.PairwiseKernel(gamma=0.3, metric="laplacian") + sk.RBF(0.5),
]


@pytest.mark.parametrize("k", KERNELS, ids=str)
def test_values_are_the_same(k):
    mine = Converted.of(k, 3)
    assert_allclose(mine.kernel(X, Z), k(X, Z), atol=1e-12)
    assert_allclose(mine.kernel(X), k(X), atol=1e-12)
    assert mine.noise is None


@pytest.mark.parametrize("k", KERNELS, ids=str)
def test_theta_goes_both_ways_and_moves_the_same_kernel(k):
    mine = Converted.of(k, 3)
    theta = k.theta + rng.normal(size=k.n_dims) * 0.3
    assert_allclose(mine.theirs(mine.ours(theta)), theta)
    moved = mine.kernel.with_theta(mine.ours(theta))
    assert_allclose(moved(X, Z), k.clone_with_theta(theta)(X, Z), atol=1e-12)
    assert_allclose(mine.theirs(mine.bounds[:, 0]), k.bounds[:, 0])
    assert_allclose(mine.ours(k.theta), mine.kernel.theta)


def test_white_noise_of_a_sum_is_noise_of_the_model():
    k = sk.WhiteKernel(0.3) + C(2.0) * sk.RBF(0.5)
    mine = Converted.of(k, 3)
    assert mine.noise.value == 0.3
    assert_allclose(mine.kernel(X), (C(2.0) * sk.RBF(0.5))(X))
    assert_allclose(mine.theirs(np.r_[mine.kernel.theta, np.log(0.3)]), k.theta)
    alone = Converted.of(sk.WhiteKernel(0.3), 3)
    assert_allclose(alone.kernel(X), 0.0)


def test_one_column_goes_round_a_circle_natively():
    k = sk.ExpSineSquared(1.2, 3.0)
    assert not isinstance(Converted.of(k, 1).kernel, Foreign)
    assert isinstance(Converted.of(k, 3).kernel, Foreign)
    assert_allclose(Converted.of(k, 1).kernel(X[:, :1]), k(X[:, :1]))


def test_a_foreign_kernel_has_derivatives_by_differences():
    k = sk.PairwiseKernel(gamma=0.3, metric="rbf")
    mine, native = Converted.of(k, 3).kernel, RBF.from_gamma(0.3)
    W = rng.normal(size=(12, 12))
    ours = native.vjp(native.prepare(X), native.prepare(X), W)
    A = mine.prepare(X)
    assert_allclose(mine.vjp(A, A, W), -0.5 * ours, rtol=1e-6)  # gamma = 1 / (2 l^2)
    assert not is_foreign(native)
