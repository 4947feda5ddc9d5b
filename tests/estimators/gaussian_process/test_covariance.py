"""The covariance as a function of theta: its matrix, its slope, its parts (M32)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.estimators.gaussian_process.covariance import Covariance, Noise
from mercer.estimators.training_data import GivenGram, KernelItems
from mercer.kernels import RBF, Bounded, Exponential, Fixed, Linear, Matern, RationalQuadratic

rng = np.random.default_rng(0)
X = rng.normal(size=(50, 2))
alpha = rng.uniform(0.1, 0.2, size=50)
k = 2.0 * RBF((0.7, 1.5)) + Fixed(0.5) * Linear() * Matern(1.2)


def covariance(noise=0.3):
    return Covariance(KernelItems.of(k, X), Noise(noise), alpha)


def matrix(c):
    out = np.empty((len(c), len(c)))
    c.fill(out)
    return out


def test_the_matrix_is_kernel_plus_both_noises():
    assert_allclose(matrix(covariance()), k(X) + np.diag(alpha + 0.3))
    given = Covariance(GivenGram.of(k(X)), Noise(0.3), alpha)
    assert_allclose(matrix(given), matrix(covariance()))
    assert_array_equal(given.theta, [np.log(0.3)])
    assert given.names == ["noise"]


def test_theta_is_that_of_the_kernel_and_the_log_of_a_free_noise():
    c = covariance()
    assert_allclose(c.theta, [*k.theta, np.log(0.3)])
    assert c.bounds.shape == (5, 2)
    assert len(covariance(Fixed(0.3)).theta) == len(covariance(0.0).theta) == 4
    assert_allclose(covariance(Bounded(0.3, 0.1, 1.0)).bounds[-1], np.log([0.1, 1.0]))
    moved = c.at(c.theta + 0.1)
    assert_allclose(moved.theta, c.theta + 0.1)
    assert moved.data.kernel == k.with_theta(k.theta + 0.1)


@pytest.mark.parametrize("noise", [0.3, Fixed(0.3)])
def test_the_slope_is_that_of_the_weighted_sum_M32(noise):
    c = covariance(noise)
    W = rng.normal(size=(50, 50))
    W = W + W.T
    slope = c.slope(W)
    h = 1e-6
    numeric = [(np.sum(W * matrix(c.at(c.theta + h * e))) - np.sum(W * matrix(c.at(c.theta - h * e)))) / (2 * h)
               for e in np.eye(len(c.theta))]  # fmt: skip
    assert_allclose(slope, numeric, rtol=1e-6)


def test_moved_products_are_derivatives_of_products_also_at_a_bound():
    bounded = Covariance(KernelItems.of(2.0 * RBF(Bounded(1.0, 0.5, 1.0)), X), Noise(0.3), alpha)
    V, h = rng.normal(size=(50, 3)), 1e-6
    for c in (covariance(), bounded):
        for j, product in enumerate(c.moved_products(V)):
            e = np.eye(len(c.theta))[j]
            if c is bounded and j == 1:
                numeric = (matrix(c) - matrix(c.at(c.theta - h * e))) @ V / h
            else:
                numeric = (matrix(c.at(c.theta + h * e)) - matrix(c)) @ V / h
            assert_allclose(product, numeric, atol=1e-2 * np.abs(numeric).max())


@pytest.mark.parametrize(("kernel", "closed"), [
    (2.0 * RBF((1.0, np.inf)), True),
    (Fixed(2.0) * Matern((0.5, 3.0), nu=1.5), True),
    (3.0 * Exponential(1.5), True),
    (2.0 * RBF(Fixed(1.5)), True),
    (RationalQuadratic((1.0, 2.0), alpha=0.7), False),
    (RBF(1.0) + 2.0 * RBF((1.0, 2.0)), False),
])  # fmt: skip
def test_moved_products_by_formula_or_by_differences(kernel, closed):
    c, h = Covariance(KernelItems.of(kernel, X), Noise(0.3), alpha), 1e-5
    V = rng.normal(size=(50, 2))
    products = c.moved_products(V)
    assert len(products) == len(c.theta)
    for product, e in zip(products, np.eye(len(c.theta)), strict=True):
        numeric = (matrix(c.at(c.theta + h * e)) - matrix(c.at(c.theta - h * e))) @ V / (2 * h)
        assert_allclose(product, numeric, atol=(1e-8 if closed else 1e-2) * np.abs(numeric).max())


def test_some_items_have_the_part_of_the_matrix():
    some = np.array([3, 8, 30])
    for data in (KernelItems.of(k, X), GivenGram.of(k(X))):
        c = Covariance(data, Noise(0.3), alpha)
        assert_allclose(matrix(c.take(some)), matrix(c)[np.ix_(some, some)])
