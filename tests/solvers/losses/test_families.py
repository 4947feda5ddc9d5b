"""Exponential families: derivatives, conjugates and coordinates (M34)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from mercer.solvers.losses import Bernoulli, Multinomial, Poisson

rng = np.random.default_rng(0)
n = 7
CASES = {
    "bernoulli": (Bernoulli(), np.arange(n) % 2, 2.0 * rng.normal(size=(n, 1))),
    "softmax of 2": (Multinomial(2), np.arange(n) % 2, rng.normal(size=(n, 1))),
    "softmax of 4": (Multinomial(4), np.arange(n) % 4, rng.normal(size=(n, 3))),
    "poisson": (Poisson(), np.arange(n), rng.normal(size=(n, 1))),
}
cases = pytest.mark.parametrize("case", CASES)


def differences(g, f, h=1e-5):
    """dg/df_a of every item, the last axis."""
    steps = [h * np.eye(f.shape[1])[a] for a in range(f.shape[1])]
    return np.stack([(g(f + step) - g(f - step)) / (2.0 * h) for step in steps], axis=-1)


@cases
def test_slope_and_curvature_and_skew_are_derivatives_of_the_loss(case):
    family, y, f = CASES[case]
    t = family.statistic(y)
    assert_allclose(family.mean(f) - t, differences(lambda f: family.loss(f, t), f), atol=1e-8)
    assert_allclose(family.curvature(f), differences(family.mean, f), atol=1e-8)
    third = differences(family.curvature, f)
    Q = rng.normal(size=third.shape[:3])
    assert_allclose(family.skew(f, Q), np.einsum("nabc,nab->nc", third, Q), atol=1e-8)


@cases
def test_the_loss_is_half_the_deviance_and_never_negative(case):
    family, y, f = CASES[case]
    t = family.statistic(y)
    assert (family.loss(f, t) > 0.0).all()
    mean = 0.3 + rng.random((n, 1)) if family.functions == 1 else None
    if isinstance(family, Poisson):
        assert_allclose(family.loss(family.constant(mean), mean), 0.0, atol=1e-14)


@cases
def test_the_conjugate_is_the_supremum_that_defines_it(case):
    family, y, f = CASES[case]
    t, q = family.statistic(y), family.mean(f + 0.5)
    for i in range(n):

        def negative(g, i=i):
            A = family.loss(g[None], t[i : i + 1])[0] + t[i] @ g - family.conjugate(t[i : i + 1])[0]
            return A - q[i] @ g

        best = minimize(negative, np.zeros(family.functions), tol=1e-12)
        assert_allclose(family.conjugate(q)[i], -best.fun, atol=1e-7)


def test_what_is_no_mean_has_an_infinite_conjugate():
    assert Bernoulli().conjugate(np.array([[1.1], [-0.1]])).tolist() == [np.inf, np.inf]
    assert Poisson().conjugate(np.array([[-0.1]])) == np.inf
    assert Multinomial(3).conjugate(np.array([[5.0, 0.0]])) == np.inf
    assert_allclose(Multinomial(3).conjugate(Multinomial(3).statistic([0, 1, 2])), 0.0, atol=1e-12)


@cases
def test_the_constant_has_the_mean_it_was_asked_for(case):
    family, _, f = CASES[case]
    assert_allclose(family.mean(family.constant(family.mean(f))), family.mean(f), atol=1e-12)


def test_a_softmax_of_two_classes_is_the_logistic_function_of_their_difference():
    f = rng.normal(size=(5, 1))
    F = Multinomial(2).shown(f)
    t, u = Multinomial(2).statistic([0, 1, 0, 1, 1]), Bernoulli().statistic([0, 1, 0, 1, 1])
    assert_allclose(Multinomial(2).loss(f, t), Bernoulli().loss(F[:, 1:] - F[:, :1], u), rtol=1e-12)


def test_coordinates_of_a_softmax_are_an_isometry_onto_functions_that_sum_to_0():
    family, f = Multinomial(5), rng.normal(size=(3, 4))
    F = family.shown(f)
    assert_allclose(F.sum(axis=1), 0.0, atol=1e-14)
    assert_allclose(np.linalg.norm(F, axis=1), np.linalg.norm(f, axis=1))
    assert_allclose(family.hidden(F), f)


@pytest.mark.parametrize("scale", [30.0, 300.0, 3000.0])
def test_small_losses_keep_their_digits(scale):
    f = np.array([[scale]])
    assert_allclose(Bernoulli().loss(f, np.array([[1.0]])), np.exp(-scale), rtol=1e-12)
    family = Multinomial(3)
    F = scale * np.array([[2.0, -1.0, -1.0]]) / 3.0
    assert_allclose(family.loss(family.hidden(F), family.statistic([0])), 2.0 * np.exp(-scale), rtol=1e-10, atol=1e-300)


@pytest.mark.parametrize("y", [[-1, 2], [0, 0]])
def test_counts_are_not_negative_and_not_all_zero(y):
    with pytest.raises(ValueError, match="counts >= 0, not all zero"):
        Poisson().statistic(np.array(y))
