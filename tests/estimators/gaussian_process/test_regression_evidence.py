"""The evidence on subsets: values, slopes and information (M32)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from mercer.estimators.gaussian_process.covariance import Covariance, Noise
from mercer.estimators.gaussian_process.regression_evidence import RegressionEvidence, on_subsets
from mercer.estimators.training_data import KernelItems
from mercer.kernels import RBF, Matern, Polynomial

rng = np.random.default_rng(0)
n = 90
X = rng.normal(size=(n, 3))
Y = np.column_stack([np.sin(X[:, 0]), X[:, 1]]) + 0.1 * rng.normal(size=(n, 2))
KERNELS = [1.5 * RBF((0.8, 1.0, 3.0)), 0.5 * Matern(1.3) + Polynomial(2), RBF(1.0) * Matern(2.0, nu=2.5)]
BASES = [np.empty((n, 0)), np.ones((n, 1))]


def level(kernel=KERNELS[0], H=BASES[0], Y=Y):
    return RegressionEvidence(Covariance(KernelItems.of(kernel, X), Noise(0.2), np.full(n, 0.01)), Y, H)


def test_the_value_is_the_log_density_of_the_targets_M32():
    one = level()
    theta = one.covariance.theta + 0.2
    M = KERNELS[0].with_theta(theta[:-1])(X) + (np.exp(theta[-1]) + 0.01) * np.eye(n)
    assert_allclose(one.value_and_slope(theta)[0], sum(multivariate_normal(np.zeros(n), M).logpdf(t) for t in Y.T))


@pytest.mark.parametrize("H", BASES, ids=["zero", "constant"])
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_slope_is_that_of_the_value_M32(kernel, H):
    one = level(kernel, H)
    theta, h = one.covariance.theta, 1e-5
    ends = [[one.value_and_slope(theta + s * h * e)[0] for s in (1, -1)] for e in np.eye(len(theta))]
    numeric = [(high - low) / (2 * h) for high, low in ends]
    slope = one.value_and_slope(theta)[1]
    assert_allclose(slope, numeric, rtol=1e-6, atol=1e-6)


def test_a_slope_comes_only_with_a_value_that_is_large_enough_M32():
    one = level()
    theta = one.covariance.theta
    value, slope = one.value_and_slope(theta)
    assert one.value_and_slope(theta, at_least=value + 1e-9) == (value, None)
    assert_allclose(one.value_and_slope(theta, at_least=value)[1], slope)


@pytest.mark.parametrize("basis", [0, 2])
def test_the_information_is_its_formula_in_dense_matrices_M32(basis):
    H = rng.normal(size=(n, basis))
    one = level(H=H)
    theta, h = one.covariance.theta, 1e-5
    M = np.empty((n, n))
    one.covariance.fill(M)
    G = np.linalg.solve(M, H)
    P = np.linalg.inv(M) - (G @ np.linalg.solve(H.T @ G, G.T) if basis else 0.0)
    moved = []
    for e in np.eye(len(theta)):
        ends = [np.empty((n, n)), np.empty((n, n))]
        for end, sign in zip(ends, (h, -h), strict=True):
            one.covariance.at(theta + sign * e).fill(end)
        moved.append((ends[0] - ends[1]) / (2 * h) @ P @ Y)
    exact = 0.5 * np.array([[np.sum(u * (P @ v)) for v in moved] for u in moved])
    one.value_and_slope(theta + 0.1)
    assert_allclose(one.curvature(theta), exact, rtol=5e-3, atol=5e-3 * exact.max())  # from differences
    one.value_and_slope(theta)
    assert_allclose(one.curvature(theta), exact, rtol=5e-3, atol=5e-3 * exact.max())


def test_a_covariance_without_a_factor_has_no_value():
    one = level(Polynomial(2))
    one.covariance = Covariance(one.covariance.data, Noise(0.0), np.full(n, -3.0))
    assert one.value_and_slope(one.covariance.theta) == (-np.inf, None)
    assert one.curvature(one.covariance.theta) is None


def test_subsets_halve_the_items_and_few_items_have_none_M32():
    many = rng.normal(size=(1500, 2))
    c = Covariance(KernelItems.of(RBF(1.0), many), Noise(0.1), np.zeros(1500))
    found = on_subsets(c, np.zeros((1500, 1)), np.empty((1500, 0)))
    assert [one.size for one in found] == [750, 1500]
    assert len(on_subsets(c.take(np.arange(450)), np.zeros((450, 1)), np.empty((450, 0)))) == 1
    smaller = {tuple(row) for row in found[0].covariance.data.items.values}
    assert smaller <= {tuple(row) for row in found[1].covariance.data.items.values}
