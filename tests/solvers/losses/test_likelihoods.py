"""Likelihoods of labels (M38): derivatives, and integrals over Gaussians, against arithmetic of many digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.solvers.losses import Logistic, Probit, average_softmax

LIKELIHOODS = [Logistic(), Probit()]
Z = np.array([-40.0, -9.0, -2.5, -0.3, 0.0, 0.7, 3.0, 8.0])
likelihoods = pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=lambda p: type(p).__name__)


def exact(likelihood, z):
    if isinstance(likelihood, Logistic):
        return -mpmath.log(1 + mpmath.exp(-z))
    return mpmath.log(mpmath.erfc(-z / mpmath.sqrt(2)) / 2)


@likelihoods
def test_derivatives_are_those_of_log_p_M38(likelihood):
    with mpmath.workdps(60):
        wanted = np.array([[float(mpmath.diff(lambda t: exact(likelihood, t), z, n)) for n in range(4)] for z in Z])
    assert_allclose(-likelihood.value(Z), wanted[:, 0], rtol=1e-13)
    assert_allclose(-likelihood.slope(Z), wanted[:, 1], rtol=1e-12)
    assert_allclose(likelihood.curvature(Z), -wanted[:, 2], rtol=1e-10)
    assert_allclose(likelihood.skew(Z), -wanted[:, 3] / wanted[:, 2], rtol=1e-8, atol=1e-10)


@likelihoods
def test_extreme_margins_stay_finite_M38(likelihood):
    far = np.array([-1e8, -1e4, 1e4, 1e8])
    for function in (likelihood.value, likelihood.slope, likelihood.curvature, likelihood.skew):
        assert np.isfinite(function(far)).all()
    assert ((likelihood.curvature(far) >= 0.0) & (likelihood.curvature(far) <= 1.0)).all()


@likelihoods
@pytest.mark.parametrize("s", [1e-3, 0.3, 1.0, 1.001, 2.0, 10.0, 300.0])
def test_the_average_over_a_gaussian_is_the_integral_M38(likelihood, s):
    """The trapezoidal rule, on a grid so fine that it is exact to rounding."""
    u = np.linspace(-12.0, 12.0, 100_001)
    weights = np.exp(-0.5 * u * u)
    weights /= weights.sum()
    for m in (-7.0, -0.4, 0.0, 1.3, 20.0):
        wanted = np.exp(-likelihood.value(m + s * u)) @ weights
        assert_allclose(likelihood.average(np.array([m]), np.array([s * s]))[0], wanted, atol=2e-13)


@likelihoods
def test_averages_are_symmetric_and_without_variance_the_likelihood_itself_M38(likelihood):
    m, v = np.meshgrid(np.linspace(-5.0, 5.0, 11), [0.0, 0.5, 1.0, 4.0, 1e6])
    assert_allclose(likelihood.average(m, v) + likelihood.average(-m, v), 1.0, rtol=1e-13)
    assert_allclose(likelihood.average(m[0], v[0]), np.exp(-likelihood.value(m[0])), rtol=1e-12)


def random_gaussians(classes, size, spread):
    rng = np.random.default_rng(classes)
    A = spread * rng.normal(size=(size, classes, classes))
    return rng.normal(size=(size, classes)), A @ np.swapaxes(A, 1, 2), A


@pytest.mark.parametrize("classes", [2, 3, 6])
def test_the_softmax_average_is_that_of_many_draws_M38(classes):
    mean, covariance, A = random_gaussians(classes, 5, 1.0)
    draws = np.random.default_rng(1).normal(size=(200_000, classes))
    F = np.exp(mean[:, None, :] + draws @ np.swapaxes(A, 1, 2))
    wanted = (F / F.sum(axis=2, keepdims=True)).mean(axis=1)
    assert_allclose(average_softmax(mean, covariance), wanted, atol=4e-3)


def test_softmax_averages_are_probabilities_and_repeat_M38():
    mean, covariance, _ = random_gaussians(4, 200, 3.0)
    P = average_softmax(mean, covariance)
    assert_allclose(P.sum(axis=1), 1.0, rtol=1e-14)
    assert (P >= 0.0).all()
    assert_array_equal(average_softmax(mean, covariance), P)
    assert_allclose(average_softmax(mean + 7.0, covariance + 3.0), P, atol=1e-12)  # what all classes share is nothing


def test_a_softmax_without_variance_is_the_softmax_M38():
    mean = np.random.default_rng(0).normal(size=(10, 3))
    E = np.exp(mean)
    assert_allclose(average_softmax(mean, np.zeros((10, 3, 3))), E / E.sum(axis=1, keepdims=True), rtol=1e-12)
