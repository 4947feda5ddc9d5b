"""Links that are not canonical: slopes and curvatures by differences, optima by their gradients and bounds (M34)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.solvers.links import BINARY, ComplementaryLogLog, LogMean, Probit, solve_linked

rng = np.random.default_rng(0)
F = np.linspace(-6.0, 3.0, 25)
Phi = rng.normal(size=(80, 3))
LINKS = [Probit(), ComplementaryLogLog(), LogMean()]


@pytest.mark.parametrize("link", LINKS, ids=repr)
def test_slopes_are_those_of_the_loss_M34(link):
    h = 1e-6
    for y in (np.zeros(25), np.ones(25)):
        assert_allclose(link.slope(F, y), (link.loss(F + h, y) - link.loss(F - h, y)) / (2 * h), rtol=1e-6, atol=1e-8)
        if link.convex:
            numeric = (link.slope(F + h, y) - link.slope(F - h, y)) / (2 * h)
            assert_allclose(link.curvature(F, y), numeric, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("link", BINARY.values(), ids=BINARY)
def test_the_loss_is_minus_the_log_of_the_probability_M34(link):
    p = 1.0 / (1.0 + np.exp(-link.log_odds(F)))
    assert_allclose(link.loss(F, np.ones(25)), -np.log(p))
    assert_allclose(link.loss(F, np.zeros(25)), -np.log1p(-p), rtol=1e-6)
    assert_allclose(link.log_odds(np.array([link.constant(0.3)])), np.log(0.3 / 0.7))


@pytest.mark.parametrize("link", LINKS, ids=repr)
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_answer_is_stationary_and_no_other_is_lower_M34(link, fit_intercept):
    y = (Phi[:, 0] + rng.normal(size=80) > 0.3).astype(float) + (0.0 if link.convex else 1.0)
    found = solve_linked(Phi, y, link, alpha=0.5, fit_intercept=fit_intercept, tol=1e-12)
    assert found.converged
    assert found.gradient < 1e-4

    def objective(w, b):
        return link.loss(Phi @ w + b, y).sum() + 0.25 * w @ w

    w, b = found.W[:, 0], found.intercept[0]
    assert_allclose(objective(w, b), found.primal)
    for _ in range(20):
        other = objective(w + 0.1 * rng.normal(size=3), b + 0.1 * rng.normal() * fit_intercept)
        assert other > found.primal
        assert not link.convex or other > found.dual
    assert np.isfinite(found.dual) == link.convex
    assert not link.convex or found.relative_gap < 1e-8
    assert ("gap" in str(found)) == link.convex


@pytest.mark.parametrize("link", BINARY.values(), ids=BINARY)
def test_separable_classes_without_a_penalty_are_named_M34(link):
    found = solve_linked(Phi, (Phi[:, 0] > 0.0).astype(float), link, alpha=0.0)
    assert found.reason == "separable"


def test_far_away_nothing_overflows():
    far = np.array([-800.0, -40.0, 40.0, 800.0])
    for link in BINARY.values():
        for y in (np.zeros(4), np.ones(4)):
            for values in (link.loss(far, y), link.slope(far, y), link.curvature(far, y)):
                assert np.isfinite(values).all()
