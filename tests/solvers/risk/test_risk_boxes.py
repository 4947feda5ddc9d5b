"""Losses made of straight lines (M12): hinge = M16, epsilon-insensitive = M26, pinball = quantiles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mercer import StoredGram
from mercer.gram import FeatureGram
from mercer.kernels import RBF
from mercer.solvers.dual import solve, svc, svr
from mercer.solvers.limits import Limits
from mercer.solvers.losses import EpsilonInsensitive, Hinge, Pinball
from mercer.solvers.risk import minimise_risk
from mercer.testing.quadratic_program import QP, solve_qp

rng = np.random.default_rng(5)
n = 70
X = rng.normal(size=(n, 3))
K = RBF(1.5)(X)
gram = StoredGram(K)
y = np.where(X[:, 0] + 0.6 * rng.normal(size=n) > 0.3, 1.0, -1.0)
t = X[:, 0] ** 2 + X[:, 1] + 0.3 * rng.normal(size=n)
c = rng.uniform(0.2, 5.0, n)

LOSSES = [Hinge(), EpsilonInsensitive(0.2), Pinball(0.3), Pinball(0.9)]
losses = pytest.mark.parametrize("loss", LOSSES, ids=str)
biases = pytest.mark.parametrize("bias", [True, False])


def targets(loss):
    return y if loss.margin else t


def primal(loss, b, r, K=K):
    f = K @ b + r
    return 0.5 * b @ K @ b + c @ loss.value(y * f if loss.margin else t - f)


@biases
def test_hinge_is_the_support_vector_machine_M12_M16(bias):
    s, machine = minimise_risk(gram, Hinge(), y, c, bias=bias), solve(gram, svc(y, c, bias=bias), tol=1e-9)
    assert_allclose(s.primal, machine.primal, rtol=1e-5)
    assert_allclose(K @ s.coef[:, 0] + s.bias[0], K @ machine.coef + machine.bias, atol=1e-2)


@biases
def test_epsilon_insensitive_is_support_vector_regression_M12_M26(bias):
    s = minimise_risk(gram, EpsilonInsensitive(0.2), t, c, bias=bias)
    machine = solve(gram, svr(t, c, 0.2, bias=bias), tol=1e-9)
    assert_allclose(s.primal, machine.primal, rtol=1e-5)
    assert_allclose(K @ s.coef[:, 0] + s.bias[0], K @ machine.coef + machine.bias, atol=1e-2)


@pytest.mark.parametrize("tau", [0.1, 0.5, 0.75])
def test_pinball_is_the_quadratic_program_in_its_boxes_M12(tau):
    eye = np.eye(n)
    qp = QP(K, -t, np.vstack([eye, -eye]), np.concatenate([c * tau, c * (1.0 - tau)]), np.ones((1, n)), np.zeros(1))
    exact = solve_qp(qp)
    s = minimise_risk(gram, Pinball(tau), t, c, limits=Limits(1e-8))
    assert_allclose(s.dual, -exact.primal, rtol=1e-7)
    assert_allclose(s.primal, -exact.primal, rtol=1e-7)
    assert_allclose(s.coef[:, 0], exact.x, atol=1e-4)


def test_half_of_the_absolute_loss_is_the_median_M12():
    median = minimise_risk(gram, Pinball(0.5), t, 2.0 * c, limits=Limits(1e-8))
    absolute = minimise_risk(gram, EpsilonInsensitive(0.0), t, c, limits=Limits(1e-8))
    assert_allclose(median.primal, absolute.primal, rtol=1e-7)


@pytest.mark.parametrize("tau", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_a_quantile_has_its_share_of_the_targets_below_and_above(tau, C):
    s = minimise_risk(gram, Pinball(tau), t, np.full(n, C), limits=Limits(1e-8))
    rest = t - K @ s.coef[:, 0] - s.bias[0]
    assert (rest < -1e-12).mean() <= tau + 1e-12
    assert (rest > 1e-12).mean() <= 1.0 - tau + 1e-12


@biases
@losses
def test_bounds_are_those_of_the_textbook_T17(loss, bias):
    s = minimise_risk(gram, loss, targets(loss), c, bias=bias, limits=Limits(1e-6))
    assert s.converged
    b, r = s.coef[:, 0], s.bias[0]
    assert_allclose(s.primal, primal(loss, b, r), rtol=1e-9)
    least, most = loss.subgradient(np.array(-9.0))[0], loss.subgradient(np.array(9.0))[1]
    inside = np.clip(-b / c * (y if loss.margin else -1.0), least, most)  # but for rounding they are
    offset = 0.0 if loss.margin else t
    assert_allclose(s.dual, -0.5 * b @ K @ b - c @ (loss.conjugate(inside) - inside * offset), rtol=1e-9)
    assert r == 0.0 or bias
    for step in (-1e-3, 1e-3):
        assert not bias or primal(loss, b, r + step) >= s.primal - 1e-9


@losses
def test_features_give_what_their_gram_gives_T35(loss):
    by_features = minimise_risk(FeatureGram(X), loss, targets(loss), c, limits=Limits(1e-6))
    linear = minimise_risk(StoredGram(X @ X.T), loss, targets(loss), c, limits=Limits(1e-6))
    assert_allclose(by_features.primal, linear.primal, rtol=1e-5)
    assert_allclose(primal(loss, by_features.coef[:, 0], by_features.bias[0], X @ X.T), by_features.primal, rtol=1e-9)


def test_the_best_intercept_saves_a_gap_that_unequal_weights_would_leave():
    """A weight of 1000 beside one of 1e-4: an intercept wrong by 1e-8 would cost more than the whole optimum."""
    s = minimise_risk(gram, Hinge(), y, np.where(y > 0.0, 1e3, 1e-4), limits=Limits(1e-4))
    assert s.converged


@losses
def test_limits_are_kept(loss):
    s = minimise_risk(gram, loss, targets(loss), 1e4 * c, limits=Limits(1e-9, max_iter=3))
    assert (s.converged, s.reason) == (False, "max_iter")
    assert s.n_iter <= 3
    assert s.dual <= s.primal
    tiny = minimise_risk(FeatureGram(X), loss, targets(loss), 1e4 * c, limits=Limits(1e-9, time_limit=1e-9))
    assert tiny.reason == "time_limit"


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from(LOSSES), st.floats(1e-3, 1e2), st.booleans())
def test_the_optimum_lies_between_the_bounds_T17(seed, loss, C, bias):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(9, 2))
    v = np.where(np.arange(9) % 2, 1.0, -1.0) if loss.margin else rng.normal(size=9)
    rough, fine = (
        minimise_risk(StoredGram(Z @ Z.T), loss, v, np.full(9, C), bias=bias, limits=Limits(tol))
        for tol in (1e-1, 1e-6)
    )
    slip = 1e-6 * abs(fine.primal) + 1e-9
    assert rough.gap >= -slip
    assert rough.dual - slip <= fine.primal <= rough.primal + slip
