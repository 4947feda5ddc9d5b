"""The evidence of numbers: posterior, S and Q of all candidates, and the noise, against dense formulas (M5)."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
from tests.solvers.rvm.relevance_data import gaussian_evidence, matrix, numbers

index, tau = np.array([3, 20, 41, 60]), np.array([0.5, 2.0, 0.1, 0.3])


def test_the_posterior_and_the_evidence_are_the_dense_ones_M5():
    model = numbers(beta=30.0)
    fit, Phi = model.at(index, tau, model.start()), matrix(model)[:, index]
    S = np.linalg.inv(np.diag(1.0 / tau) + 30.0 * Phi.T @ Phi)
    assert_allclose(fit.factor.covariance(), S, rtol=1e-8)
    assert_allclose(fit.mean, 30.0 * S @ Phi.T @ model.y, rtol=1e-8)
    assert_allclose(fit.evidence, gaussian_evidence(Phi, model.y, 1.0 / tau, 30.0))


def test_S_and_Q_of_all_candidates_follow_their_definition_M5():
    model = numbers(beta=30.0)
    fit, Phi = model.at(index, tau, model.start()), matrix(model)
    view = model.view(fit)
    C = np.eye(60) / 30.0 + (Phi[:, index] * tau) @ Phi[:, index].T
    P = Phi.T @ np.linalg.solve(C, Phi)
    assert_allclose(view.S, np.diag(P), rtol=1e-7)
    assert_allclose(view.Q, Phi.T @ np.linalg.solve(C, model.y), atol=1e-9)
    assert_allclose(view.pairs(), P[index], atol=1e-9)
    chosen = np.union1d(index, [0, 7, 50])
    local, Q = model.local(fit, chosen)
    assert_allclose(local, P[np.ix_(chosen, chosen)], atol=1e-8)
    assert_allclose(Q, view.Q[chosen], atol=1e-8)


def test_a_weight_counts_an_item_so_many_times_M5():
    weight = np.tile([1.0, 2.0, 3.0], 20)
    model, times = numbers(beta=30.0, weight=weight), weight.astype(int)
    fit, Phi = model.at(index, tau, model.start()), matrix(model)
    repeated = gaussian_evidence(np.repeat(Phi[:, index], times, axis=0), np.repeat(model.y, times), 1.0 / tau, 30.0)
    assert_allclose(fit.evidence, repeated)
    Q = model.view(fit).Q
    assert_allclose(Q, 30.0 * Phi.T @ (weight * (model.y - Phi[:, index] @ fit.mean)), atol=1e-8)


def test_steps_in_beta_raise_the_evidence_until_its_slope_is_zero_M5():
    model = numbers()
    fit = model._at(index, tau, 1.0)
    for _ in range(50):
        before, fit = fit, model.at(index, tau, fit)
        assert fit.evidence >= before.evidence
    assert model.noise(fit) < 1e-6
    for factor in (0.99, 1.01):
        assert model._at(index, tau, fit.beta * factor).evidence < fit.evidence
    slope = (model._at(index, tau, 50.0 * 1.0001).evidence - model._at(index, tau, 50.0 / 1.0001).evidence) / 2e-4
    assert_allclose(model.noise(model._at(index, tau, 50.0)), abs(slope), rtol=1e-4)


def test_beta_is_capped_where_there_is_no_noise_M5():
    model = numbers()
    model.y[:] = 0.0
    fit = model.at(index, tau, model.start())
    assert fit.beta == model.cap
    assert model.noise(fit) == 0.0


def test_targets_without_spread_still_have_a_scale():
    assert numbers(noise=0.0).variance > 0.0
    for constant, scale in ((3.0, 9.0), (0.0, 1.0)):
        model = numbers()
        model.y = np.full(60, constant)
        assert_allclose(model._variance(), scale)
