"""The L2VM: closed form, not kernel ridge, evidence, and the spread of its predictions (M2, M32)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import LinAlgWarning

from mercer import L2VMClassifier, L2VMRegressor
from mercer.kernels import RBF, Fixed, Linear

rng = np.random.default_rng(0)
n = 60
X = rng.uniform(-3.0, 3.0, size=(n, 1))
y = np.sinc(X[:, 0]) + 0.1 * rng.normal(size=n)
three = np.digitize(y, [0.0, 0.5])
k = RBF(0.8)
K = k(X)


@pytest.mark.parametrize("alpha", [1.0, 1e-2])
def test_the_closed_form_M2(alpha):
    m = L2VMRegressor(k, alpha=alpha, fit_intercept=False).fit(X, y)
    assert_allclose(m.dual_coef_[0], np.linalg.solve(K @ K + alpha * np.eye(n), K @ y), atol=1e-7)
    assert_array_equal(m.support_, np.arange(n))  # not sparse
    assert_allclose(m.intercept_, 0.0)


def test_it_is_not_kernel_ridge_but_where_K_is_the_identity_M2():
    """The penalty is |w|^2, not w'Kw."""
    ridge = K @ np.linalg.solve(K + np.eye(n), y)
    assert np.abs(L2VMRegressor(k, fit_intercept=False).fit(X, y).predict(X) - ridge).max() > 0.01
    I = np.eye(n)
    m = L2VMRegressor("precomputed", alpha=0.3, fit_intercept=False).fit(I, y)
    assert_allclose(m.dual_coef_[0], y / 1.3)  # (K + alpha I)^-1 y


def test_the_objective_is_convex_M2():
    """On a line between any two weights, P lies under its chord, and the fit at its foot."""
    m = L2VMClassifier(k, alpha=0.1, tol=1e-13).fit(X, y > 0.3)
    sign = np.where(y > 0.3, 1.0, -1.0)

    def P(w):
        return np.logaddexp(0.0, -sign * (K @ w[:-1] + w[-1])).sum() + 0.05 * (w[:-1] ** 2).sum()

    best = np.r_[m.dual_coef_[0], m.intercept_]
    assert_allclose(P(best), m.certificate_.primal)
    for _ in range(20):
        a, b, t = rng.normal(size=n + 1), rng.normal(size=n + 1), rng.random()
        assert P(t * a + (1.0 - t) * b) <= t * P(a) + (1.0 - t) * P(b)
        assert P(best + 0.01 * a) > P(best)


def test_a_singular_design_without_a_penalty_has_the_shortest_weights_and_says_so_M2():
    twice = np.vstack([X[:10], X[:10]])
    with pytest.warns(LinAlgWarning, match="L2VMRegressor: with alpha=0 the weights are not determined") as told:
        m = L2VMRegressor(k, alpha=0.0, fit_intercept=False).fit(twice, np.r_[y[:10], y[:10]])
    assert told[0].filename == __file__
    Phi = k(twice)
    assert_allclose(m.predict(twice), Phi @ (np.linalg.pinv(Phi, rcond=1e-14) @ np.r_[y[:10], y[:10]]), atol=1e-4)
    assert_allclose(m.dual_coef_[0, :10], m.dual_coef_[0, 10:], atol=1e-4 * np.abs(m.dual_coef_).max())


def test_a_regular_design_without_a_penalty_interpolates_M2():
    few = np.arange(6.0)[:, None]
    m = L2VMRegressor(RBF(0.5), alpha=0.0, fit_intercept=False).fit(few, few[:, 0])
    assert_allclose(m.predict(few), few[:, 0], atol=1e-12)


# ---- evidence


def test_alpha_is_where_the_evidence_is_largest_M2_M32():
    m = L2VMRegressor(k, alpha="evidence", fit_intercept=False).fit(X, y)
    s2, a = m.noise_variance_, m.alpha_

    def evidence(s2, a):
        C = s2 * (np.eye(n) + K @ K / a)
        return -0.5 * (y @ np.linalg.solve(C, y) + np.linalg.slogdet(C)[1] + n * np.log(2.0 * np.pi))

    assert_allclose(m.log_evidence_, evidence(s2, a), rtol=1e-8)
    assert all(evidence(s2 * p, a * q) <= m.log_evidence_ for p in (0.9, 1.0, 1.1) for q in (0.8, 1.0, 1.25))
    assert_allclose(m.predict(X), L2VMRegressor(k, alpha=a, fit_intercept=False).fit(X, y).predict(X))
    assert 0.07 < np.sqrt(s2) < 0.13


@pytest.mark.parametrize(("machine", "target"), [
    (L2VMRegressor(alpha="evidence"), y),
    (L2VMClassifier(alpha="evidence"), y > 0.3),
    (L2VMClassifier(alpha="evidence"), three),
], ids=["gaussian", "bernoulli", "softmax"])  # fmt: skip
def test_the_kernel_is_tuned_by_the_same_evidence_M32(machine, target):
    some = slice(0, 40)
    start = L2VMRegressor if isinstance(machine, L2VMRegressor) else L2VMClassifier
    plain = start(RBF(3.0), alpha="evidence").fit(X[some], target[some])
    tuned = start(RBF(3.0), alpha="evidence", tune_kernel=True).fit(X[some], target[some])
    assert tuned.log_evidence_ > plain.log_evidence_
    assert isinstance(tuned.kernel_, RBF)
    for factor in (0.9, 1.1):  # a maximum in the lengthscale
        near = start(RBF(tuned.kernel_.lengthscale * factor), alpha="evidence").fit(X[some], target[some])
        assert near.log_evidence_ < tuned.log_evidence_ + 1e-4
    assert tuned.kernel == RBF(3.0)  # what was passed stays


def test_restarts_keep_the_best_and_fixed_kernels_cannot_be_tuned_M32():
    one, more = (
        L2VMRegressor(RBF(8.0), alpha="evidence", tune_kernel=True, n_restarts=r, random_state=0).fit(X, y)
        for r in (0, 3)
    )
    assert more.log_evidence_ >= one.log_evidence_ - 1e-9
    for kernel in (RBF(Fixed(1.0)), Linear()):
        with pytest.raises(ValueError, match="one with free hyper-parameters"):
            L2VMRegressor(kernel, alpha="evidence", tune_kernel=True).fit(X, y)
    with pytest.raises(ValueError, match="a kernel for tune_kernel=True; got 'precomputed'"):
        L2VMRegressor("precomputed", alpha="evidence", tune_kernel=True).fit(K, y)


def test_an_irrelevant_column_gets_a_long_lengthscale_M32():
    Z = np.column_stack([X, rng.normal(size=n)])
    m = L2VMRegressor(RBF((1.0, 1.0)), alpha="evidence", tune_kernel=True).fit(Z, y)
    assert m.kernel_.lengthscale[1] > 5.0 * m.kernel_.lengthscale[0]


# ---- spread


@pytest.mark.parametrize("alpha", [1.0, 1e-6])
@pytest.mark.parametrize("bias", [True, False])
def test_the_standard_deviation_is_that_of_the_posterior_M2(alpha, bias):
    w = rng.uniform(0.5, 2.0, n)
    m = L2VMRegressor(k, alpha=alpha, fit_intercept=bias).fit(X, y, sample_weight=w)
    new = np.linspace(-4.0, 4.0, 7)[:, None]
    f, std = m.predict(new, return_std=True)
    Z, z = K, k(new, X)
    ridge = alpha * np.eye(n)
    if bias:
        Z, z = np.column_stack([Z, np.ones(n)]), np.column_stack([z, np.ones(7)])
        ridge = np.diag(np.r_[np.full(n, alpha), 0.0])
    H = Z.T @ (w[:, None] * Z) + ridge
    variance = m.noise_variance_ * (1.0 + np.einsum("ij,ij->i", z @ np.linalg.inv(H), z))
    assert_allclose(std, np.sqrt(variance), rtol=1e-4)
    assert_allclose(f, m.predict(new))


def test_the_standard_deviation_covers_new_data_M2():
    new = rng.uniform(-3.0, 3.0, size=(2000, 1))
    truth = np.sinc(new[:, 0]) + 0.1 * rng.normal(size=2000)
    f, std = L2VMRegressor(k, alpha="evidence").fit(X, y).predict(new, return_std=True)
    assert 0.92 < np.mean(np.abs(truth - f) < 1.96 * std) < 0.98


def test_a_precomputed_matrix_has_a_spread_too_I3():
    one = L2VMRegressor(k, alpha="evidence").fit(X, y).predict(X, return_std=True)
    assert_allclose(
        L2VMRegressor("precomputed", alpha="evidence").fit(K, y).predict(K, return_std=True), one, atol=1e-9
    )
