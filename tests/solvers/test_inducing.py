"""Bounds of the evidence through landmarks: against the dense formulas, and the exact evidence between the bounds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from mercer.kernels import RBF
from mercer.linalg.cholesky import factorise
from mercer.solvers.gaussian_process import condition
from mercer.solvers.inducing import InducingSums, factor_of_landmarks, panel_sums, two_sided

rng = np.random.default_rng(0)
X = np.sort(rng.uniform(0.0, 4.0, (30, 1)), axis=0)
Z = X[::5]
s = rng.uniform(0.1, 0.4, 30)
k = RBF(0.8)


def sums(q=1, h=1, variance=1.0, extra=0.0, landmarks=Z):
    draw = np.random.default_rng(1)
    columns = np.hstack([draw.normal(size=(30, q)), X ** np.arange(h)])
    K, diag, noise = variance * k(X, landmarks), np.full(30, variance), s + extra
    root = factor_of_landmarks(variance * k(landmarks))
    found = panel_sums(np.linalg.solve(root, K.T).T, columns, noise, diag)
    return InducingSums(*found, 30, q), columns


@pytest.mark.parametrize("h", [0, 2])
@pytest.mark.parametrize("q", [1, 2])
def test_the_evidence_is_that_of_the_low_rank_covariance_M32(q, h):
    found, columns = sums(q, h)
    Q = k(X, Z) @ np.linalg.solve(k(Z) + 1e-8 * np.eye(len(Z)), k(Z, X))
    exact = condition(factorise(Q + np.diag(s)), columns[:, :q], columns[:, q:])
    assert_allclose(found.evidence, exact.evidence, rtol=1e-8)
    assert_allclose(found.weights, exact.weights, rtol=1e-6)
    assert_allclose(found.trace_error, ((1.0 - np.diag(Q)) / s).sum(), rtol=1e-6)


def test_the_bound_is_below_the_exact_evidence_and_reaches_it_with_all_items_M32():
    found, columns = sums(h=0)
    exact = multivariate_normal(np.zeros(30), k(X) + np.diag(s)).logpdf(columns[:, 0])
    assert found.bound < exact
    assert_allclose(sums(h=0, landmarks=X)[0].bound, exact, rtol=1e-5)


@pytest.mark.parametrize("h", [0, 2])
def test_slopes_are_differences_M32(h):
    found, columns = sums(2, h)
    root = factor_of_landmarks(k(Z))
    slopes = found.slopes(root)
    W, in_noise = slopes.of_panel(k(X, Z), columns, s, np.ones(30))
    in_variance = (W * k(X, Z)).sum() + (slopes.K * k(Z)).sum() + slopes.diagonal * (1.0 / s).sum()
    step = 1e-5
    up, down = sums(2, h, variance=1.0 + step)[0].bound, sums(2, h, variance=1.0 - step)[0].bound
    assert_allclose(in_variance, (up - down) / (2 * step), rtol=1e-4, atol=1e-5)
    up, down = sums(2, h, extra=step)[0].bound, sums(2, h, extra=-step)[0].bound
    assert_allclose(in_noise, (up - down) / (2 * step), rtol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_the_exact_evidence_lies_between_the_bounds_for_any_vector_M32(seed):
    found, columns = sums(h=0)
    y, M = columns[:, 0], k(X) + np.diag(s)
    exact = multivariate_normal(np.zeros(30), M).logpdf(y)
    Q = k(X, Z) @ np.linalg.solve(k(Z) + 1e-8 * np.eye(len(Z)), k(Z, X)) + np.diag(s)
    v = np.linalg.solve(M, y) + 0.05 * np.random.default_rng(seed).normal(size=30) * seed
    low, high = two_sided(found, y, v, M @ v, np.linalg.solve(Q, y - M @ v))
    assert low <= exact + 1e-9 <= high + 2e-9
