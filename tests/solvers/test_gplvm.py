"""Evidence shared by all columns (M39), its slope, and the known maximum for the linear kernel."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from mercer.solvers.gplvm import climb, condensed, ppca, shared_evidence

rng = np.random.default_rng(0)
n, D = 12, 5
Y = rng.normal(size=(n, D))
B = rng.normal(size=(n, n))
C = B @ B.T + 0.5 * np.eye(n)


def test_the_value_is_the_sum_of_log_densities_M39():
    value, _, A = shared_evidence(C.copy(), Y, D)
    assert_allclose(value, multivariate_normal(cov=C).logpdf(Y.T).sum(), rtol=1e-12)
    assert_allclose(C @ A, Y, atol=1e-10)


def test_the_slope_is_that_of_differences_M39():
    _, M, _ = shared_evidence(C.copy(), Y, D)
    H = rng.normal(size=(n, n))
    H = 1e-5 * (H + H.T)
    ends = [shared_evidence(C + sign * H, Y, D)[0] for sign in (1.0, -1.0)]
    assert_allclose(np.vdot(M, H), (ends[0] - ends[1]) / 2.0, rtol=1e-6)


def test_many_columns_are_condensed_without_a_change_M39():
    wide = rng.normal(size=(n, 40))
    few = condensed(wide)
    assert few.shape == (n, n)
    assert_allclose(few @ few.T, wide @ wide.T, atol=1e-11)
    for a, b in zip(shared_evidence(C.copy(), few, 40)[:2], shared_evidence(C.copy(), wide, 40)[:2], strict=True):
        assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("columns", [D, 40])
def test_probabilistic_pca_is_the_maximum_for_the_linear_kernel_M39(columns):
    data = rng.normal(size=(n, columns)) * np.linspace(3.0, 0.5, columns)
    Z, noise, value = ppca(data, 2)

    def L(Z, noise):
        return shared_evidence(Z @ Z.T + noise * np.eye(n), data, columns)

    found, M, _ = L(Z, noise)
    assert_allclose(found, value, rtol=1e-12)
    assert_allclose(M @ Z, 0.0, atol=1e-9)  # dL/dZ = 2 M Z
    assert_allclose(np.trace(M), 0.0, atol=1e-8)
    for _ in range(20):
        assert L(Z + 0.1 * rng.normal(size=Z.shape), noise * np.exp(0.1 * rng.normal()))[0] < value


def test_data_of_full_rank_q_have_no_noise_M39():
    low = rng.normal(size=(n, 2)) @ rng.normal(size=(2, D))
    Z, noise, value = ppca(low, 2)
    assert noise < 1e-25
    assert_allclose(Z @ Z.T, low @ low.T / D, atol=1e-10)
    assert value > 1e2


def test_climbing_finds_the_best_of_its_starts_within_bounds_M39():
    """x^4 - 4 x^2 + x turned over: a maximum on each side, the left one higher."""

    def objective(x):
        return float((-(x**4) + 4.0 * x**2 - x)[0]), -4.0 * x**3 + 8.0 * x - 1.0

    free = np.array([[-np.inf, np.inf]])
    left, right = climb(objective, [np.array([1.0]), np.array([-1.0])], free, tol=1e-8, max_iter=100)
    assert left.x < 0.0 < right.x
    assert left.value > right.value
    assert left.converged
    (bounded,) = climb(objective, [np.array([-5.0])], np.array([[-1.0, 0.0]]), tol=1e-8, max_iter=100)
    assert bounded.converged
    assert_allclose(bounded.x, -1.0)
    (short,) = climb(objective, [np.array([5.0])], free, tol=1e-12, max_iter=1)
    assert (short.reason, short.converged) == ("max_iter", False)
