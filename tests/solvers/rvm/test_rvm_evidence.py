"""What one variance changes about the evidence, held against the evidence written out (M5)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.native.rvm_calls import exchanges, singles
from tests.native.rvm_twin import change
from tests.solvers.rvm.relevance_data import gaussian_evidence

from mercer.native import rvm
from mercer.solvers.rvm.evidence import PosteriorFactor, log_evidence

rng = np.random.default_rng(0)
n, m = 30, 8
Phi, y = rng.normal(size=(n, m)), rng.normal(size=n)
y = y + Phi[:, 0] + 0.5 * Phi[:, 3]
beta = 2.0
tau = np.array([0.5, 0.0, 2.0, 0.3, 0.0, 0.1, 0.0, 1.0])
zeros, grain = np.zeros(m), np.full(m, 1e-12)


def evidence(tau):
    some = tau > 0.0
    return gaussian_evidence(Phi[:, some], y, 1.0 / tau[some], beta)


def knowledge(tau):
    """P and Q by their definition."""
    C = np.eye(n) / beta + (Phi * tau) @ Phi.T
    return Phi.T @ np.linalg.solve(C, Phi), Phi.T @ np.linalg.solve(C, y)


def test_log_evidence_is_the_density_of_the_targets_M5():
    alpha = rng.uniform(0.1, 10.0, size=m)
    assert_allclose(log_evidence(Phi, y, alpha, beta), gaussian_evidence(Phi, y, alpha, beta))


def test_log_evidence_does_not_depend_on_the_scale_of_a_function_M5():
    alpha, scale = rng.uniform(0.1, 10.0, size=m), np.logspace(-6, 6, m)
    assert_allclose(log_evidence(Phi * scale, y, alpha * scale**2, beta), log_evidence(Phi, y, alpha, beta))


def test_the_factor_is_the_posterior_M5():
    v = np.linspace(0.1, 3.0, m)
    G = beta * Phi.T @ Phi
    S = np.linalg.inv(np.diag(1.0 / v) + G)
    factor = PosteriorFactor.of(G, v)
    R = rng.normal(size=(m, 5))
    assert_allclose(factor.covariance(), S)
    assert_allclose(factor.solve(R), S @ R)
    assert_allclose(factor.squares(R), np.diag(R.T @ S @ R))
    assert_allclose(factor.determined(), (1.0 - np.diag(S) / v).sum())
    assert_allclose(factor.half_logdet, 0.5 * np.linalg.slogdet(np.eye(m) + np.diag(v) @ G)[1])


def test_a_factor_that_rounding_swamps_is_not_a_number():
    assert np.isnan(PosteriorFactor.of(np.array([[1.0, 1.0 + 1e-9], [1.0 + 1e-9, 1.0]]) * 1e18, np.ones(2)).L).all()


def test_adding_re_estimating_and_deleting_are_one_update_M5():
    (P, Q), new = knowledge(tau), tau.copy()
    for j, value in ((1, 0.7), (2, 0.2), (7, 0.0)):
        change(P, Q, new, j, value)
    assert_allclose(new, [0.5, 0.7, 0.2, 0.3, 0.0, 0.1, 0.0, 0.0])
    P1, Q1 = knowledge(new)
    assert_allclose(P, P1, atol=1e-12)
    assert_allclose(Q, Q1, atol=1e-12)


@pytest.mark.parametrize("j", range(m))
def test_the_gain_of_a_single_change_is_exact_and_the_best_M5(j):
    P, Q = knowledge(tau)
    gain, new = singles(np.diag(P).copy(), Q, tau, grain)

    def at(value):
        other = tau.copy()
        other[j] = value
        return evidence(other)

    assert_allclose(at(new[j]) - at(tau[j]), gain[j], atol=1e-10)
    for factor in (0.9, 1.1):
        assert at(new[j] * factor) <= at(new[j]) + 1e-12
    if new[j] == 0.0:
        assert at(1e-6) <= at(0.0)


def test_the_gain_of_an_exchange_is_exact_M5():
    P, Q = knowledge(tau)
    A = np.flatnonzero(tau)
    gain, partner, new = exchanges(P[A], A, np.diag(P).copy(), Q, tau, grain)
    best = np.full(m, -np.inf)
    for j in np.flatnonzero(tau == 0.0):
        for i in A:
            other = tau.copy()
            other[i] = 0.0
            P1, Q1 = knowledge(other)
            other[j] = singles(np.diag(P1).copy(), Q1, other, grain)[1][j]
            if other[j] > 0.0:  # else nothing came for what went
                best[j] = max(best[j], evidence(other) - evidence(tau))
        if gain[j] > 0.0:
            other = tau.copy()
            other[partner[j]], other[j] = 0.0, new[j]
            assert_allclose(evidence(other) - evidence(tau), gain[j], atol=1e-10)
    assert_allclose(gain, np.maximum(best, 0.0), atol=1e-10)


def test_an_ascent_ends_where_no_change_and_no_exchange_gains_M5():
    P, Q = knowledge(zeros)
    new = zeros.copy()
    before = evidence(new + 1e-300)
    steps = rvm.ascend(P, Q, new, grain, 1e-9, 1000)
    assert 0 < steps < 1000
    assert evidence(new) > before
    assert_allclose(P, knowledge(new)[0], atol=1e-9)
    gain, _ = singles(np.diag(P).copy(), Q, new, grain)
    A = np.flatnonzero(new)
    assert max(gain.max(), exchanges(P[A], A, np.diag(P).copy(), Q, new, grain)[0].max()) <= 1e-9


def test_a_function_that_the_others_explain_to_rounding_is_left_alone():
    P, Q = knowledge(zeros)
    gain, new = singles(np.diag(P).copy(), Q, zeros, 2.0 * np.diag(P))
    assert not gain.any()
    assert not new.any()
