"""Links that are not canonical: slopes and curvatures by differences, optima by their gradients and bounds (M34)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.solvers.fisher_scoring import solve_by_scoring
from mercer.solvers.losses import ComplementaryLogLog, Link, LogMean, Probit, classifies, offering
from mercer.solvers.risk.summed_loss import target_of

rng = np.random.default_rng(0)
F = np.linspace(-6.0, 3.0, 25)
Phi = rng.normal(size=(80, 3))
LOSSES = [Probit(), ComplementaryLogLog(), LogMean()]
BINARY = offering(Link)


def convex(loss):
    return getattr(loss, "convex", True)


def parts(loss, y, f):
    """Values, slopes and curvatures in f, item by item; y is 0 or 1."""
    signs = 2.0 * y - 1.0 if classifies(loss) else y
    one = [target_of(loss, signs[[i]], np.ones(1)) for i in range(len(y))]
    found = [
        (t.value(x), t.slopes(x)[0, 0], t.curvature(x).size()[0]) for t, x in zip(one, f[:, None, None], strict=True)
    ]
    return np.array(found).T


def test_the_links_of_two_classes_are_known_by_what_they_offer_M34():
    assert set(BINARY) == {"probit", "cloglog"}


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_slopes_are_those_of_the_loss_M34(loss):
    h = 1e-6
    for y in (np.zeros(25), np.ones(25)):
        (up, slope_up, _), (down, slope_down, _) = parts(loss, y, F + h), parts(loss, y, F - h)
        _, slope, curvature = parts(loss, y, F)
        assert_allclose(slope, (up - down) / (2 * h), rtol=1e-6, atol=1e-8)
        if convex(loss):
            assert_allclose(curvature, (slope_up - slope_down) / (2 * h), rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("loss", BINARY.values(), ids=BINARY)
def test_the_loss_is_minus_the_log_of_the_probability_M34(loss):
    p = 1.0 / (1.0 + np.exp(-loss.log_odds(F)))
    assert_allclose(parts(loss, np.ones(25), F)[0], -np.log(p))
    assert_allclose(parts(loss, np.zeros(25), F)[0], -np.log1p(-p), rtol=1e-6)
    assert_allclose(loss.log_odds(np.array([loss.constant(0.3)])), np.log(0.3 / 0.7))


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_answer_is_stationary_and_no_other_is_lower_M34(loss, fit_intercept):
    y = (Phi[:, 0] + rng.normal(size=80) > 0.3).astype(float) + (0.0 if convex(loss) else 1.0)
    found = solve_by_scoring(Phi, y, loss, alpha=0.5, fit_intercept=fit_intercept, tol=1e-12)
    assert found.converged
    assert found.gradient < 1e-4

    def objective(w, b):
        return parts(loss, y, Phi @ w + b)[0].sum() + 0.25 * w @ w

    w, b = found.W[:, 0], found.intercept[0]
    assert_allclose(objective(w, b), found.primal)
    for _ in range(20):
        other = objective(w + 0.1 * rng.normal(size=3), b + 0.1 * rng.normal() * fit_intercept)
        assert other > found.primal
        assert not convex(loss) or other > found.dual
    assert np.isfinite(found.dual) == convex(loss)
    assert not convex(loss) or found.relative_gap < 1e-8
    assert ("gap" in str(found)) == convex(loss)


@pytest.mark.parametrize("loss", BINARY.values(), ids=BINARY)
def test_separable_classes_without_a_penalty_are_named_M34(loss):
    found = solve_by_scoring(Phi, (Phi[:, 0] > 0.0).astype(float), loss, alpha=0.0)
    assert found.reason == "separable"


def test_far_away_nothing_overflows():
    far = np.array([-800.0, -40.0, 40.0, 800.0])
    for loss in BINARY.values():
        for y in (np.zeros(4), np.ones(4)):
            assert np.isfinite(parts(loss, y, far)).all()
