"""Ridge on the weights and its evidence: closed forms, both routes, and the limit alpha = 0 (M2, M32)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from mercer.solvers.least_squares import Centred, Spectral, solve_least_squares

rng = np.random.default_rng(0)
n, K = 30, 6
Phi = rng.normal(size=(n, K)) + 1.0
y = Phi @ rng.normal(size=K) + 2.0 + rng.normal(size=n)
s = rng.uniform(0.5, 2.0, n)


@pytest.mark.parametrize("alpha", [100.0, 1.0, 1e-3, 0.0])
def test_the_closed_form_without_an_intercept_M2(alpha):
    m = solve_least_squares(Phi, y, alpha=alpha, fit_intercept=False)
    assert_allclose(m.w, np.linalg.solve(Phi.T @ Phi + alpha * np.eye(K), Phi.T @ y), rtol=1e-9)
    assert m.intercept == 0.0
    assert 0.0 <= m.gap <= 1e-20


@pytest.mark.parametrize("alpha", [1.0, 0.0])
def test_the_intercept_is_a_column_without_a_penalty(alpha):
    Z, ridge = np.column_stack([Phi, np.ones(n)]), np.diag([alpha] * K + [0.0])
    direct = np.linalg.solve(Z.T @ (s[:, None] * Z) + ridge, Z.T @ (s * y))
    m = solve_least_squares(Phi, y, alpha=alpha, weight=s)
    assert_allclose(np.r_[m.w, m.intercept], direct, rtol=1e-9)


def test_cholesky_and_singular_values_agree_and_are_chosen_by_condition():
    by_cholesky = solve_least_squares(Phi, y, alpha=1e-4, weight=s)
    by_values = Spectral.of(Centred.of(Phi, y, s)).solution(1e-4)
    assert by_cholesky.rank is None
    assert by_values.rank == K
    assert_allclose(by_cholesky.w, by_values.w, rtol=1e-9)
    assert_allclose(by_cholesky.root() @ by_cholesky.root().T, by_values.root() @ by_values.root().T, atol=1e-12)
    assert solve_least_squares(Phi, y, alpha=1e-9).rank == K


def test_singular_features_get_the_shortest_weights_M2():
    """alpha = 0 on a Phi of lower rank."""
    twice = np.hstack([Phi, Phi, Phi[:, :1] + Phi[:, 1:2]])
    m = solve_least_squares(twice, y, alpha=0.0, fit_intercept=False)
    assert m.rank == K
    assert_allclose(m.w, np.linalg.pinv(twice) @ y, atol=1e-10)
    assert m.gap <= 1e-20


def test_features_of_hilbert_type_keep_their_digits():
    """Normal equations of these columns are singular in double precision."""
    x = np.linspace(0.0, 1.0, 40)
    powers = x[:, None] ** np.arange(12)
    m = solve_least_squares(powers, powers @ np.ones(12), alpha=0.0, fit_intercept=False)
    assert m.rank == 12
    assert_allclose(powers @ m.w, powers @ np.ones(12), rtol=1e-12)
    assert_allclose(m.w, 1.0, atol=1e-4)


def test_more_features_than_items():
    wide = rng.normal(size=(5, 40))
    m = solve_least_squares(wide, y[:5], alpha=0.3, fit_intercept=False)
    assert_allclose(m.w, wide.T @ np.linalg.solve(wide @ wide.T + 0.3 * np.eye(5), y[:5]), rtol=1e-9)


def test_the_noise_is_unbiased_where_there_is_no_prior():
    m = solve_least_squares(Phi, y, alpha=0.0)
    r = y - Phi @ m.w - m.intercept
    assert_allclose(m.noise, r @ r / (n - K - 1))


def test_weight_zero_is_absence_and_weight_two_is_repetition():
    w = np.arange(n) % 3
    rows = np.repeat(np.arange(n), w)
    one, other = solve_least_squares(Phi, y, alpha=0.3, weight=w), solve_least_squares(Phi[rows], y[rows], alpha=0.3)
    assert_allclose(np.r_[one.w, one.intercept, one.primal], np.r_[other.w, other.intercept, other.primal])
    assert np.isfinite(Spectral.of(Centred.of(Phi, y, w)).evidence(1.0))


# ---- evidence


@pytest.mark.parametrize(("alpha", "beta"), [(0.7, 1.3), (20.0, 0.2)])
def test_the_evidence_is_the_density_of_the_targets_M32(alpha, beta):
    covariance = np.diag(1.0 / (beta * s)) + Phi @ Phi.T / (alpha * beta)
    found = Spectral.of(Centred.of(Phi, y, s, fit_intercept=False)).evidence(alpha, beta)
    assert_allclose(found, multivariate_normal(np.zeros(n), covariance).logpdf(y), rtol=1e-10)


def test_a_flat_prior_of_the_intercept_is_the_limit_of_a_wide_one_M32():
    alpha, beta, wide = 0.7, 1.3, 1e5
    covariance = np.diag(1.0 / (beta * s)) + Phi @ Phi.T / (alpha * beta) + wide
    density = multivariate_normal(np.zeros(n), covariance).logpdf(y) + 0.5 * np.log(2.0 * np.pi * wide)
    assert_allclose(Spectral.of(Centred.of(Phi, y, s)).evidence(alpha, beta), density, rtol=1e-6)


def test_alpha_and_beta_are_where_the_evidence_is_largest_M32():
    spectral = Spectral.of(Centred.of(Phi, y, s))
    alpha = spectral.best_alpha()
    best = spectral.evidence(alpha)
    assert all(spectral.evidence(alpha * factor) < best for factor in (1e-3, 0.9, 1.1, 1e3))
    beta = 1.0 / spectral.solution(alpha).noise
    assert_allclose(spectral.evidence(alpha, beta), best, rtol=1e-12)
    assert all(spectral.evidence(alpha, beta * factor) < best for factor in (0.9, 1.1))


@pytest.mark.parametrize("bias", [True, False])
def test_the_slope_of_the_evidence_in_the_features_M32(bias):
    def evidence(F):
        return Spectral.of(Centred.of(F, y, s, fit_intercept=bias))

    slope, h = evidence(Phi).evidence_slope(0.7), 1e-5
    for i, j in ((0, 0), (3, 4), (20, 5)):
        E = np.zeros_like(Phi)
        E[i, j] = h
        difference = (evidence(Phi + E).evidence(0.7) - evidence(Phi - E).evidence(0.7)) / (2.0 * h)
        assert_allclose(slope[i, j], difference, rtol=1e-6)


def test_the_prior_that_made_the_data_is_found_M32():
    """Weights and noise drawn from the model: both variances within a factor that 400 items allow."""
    big = rng.normal(size=(400, 100))
    target = big @ (2.0 * rng.normal(size=100)) + 0.5 * rng.normal(size=400)
    spectral = Spectral.of(Centred.of(big, target))
    m = spectral.solution(spectral.best_alpha())
    assert 0.4 < np.sqrt(m.noise) < 0.6
    assert 1.5 < np.sqrt(m.noise / spectral.best_alpha()) < 2.5


def test_constant_targets_have_no_noise_and_no_weights():
    spectral = Spectral.of(Centred.of(Phi, np.full(n, 3.0)))
    m = spectral.solution(spectral.best_alpha())
    assert_allclose(m.w, 0.0, atol=1e-15)
    assert_allclose(m.intercept, 3.0)
    assert m.noise < 1e-28


@pytest.mark.parametrize("alpha", [-1.0, np.nan, np.inf])
def test_penalties_out_of_range_are_refused(alpha):
    with pytest.raises(ValueError, match="alpha must be a number >= 0"):
        solve_least_squares(Phi, y, alpha=alpha)
