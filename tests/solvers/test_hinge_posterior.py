"""The hinge as a pseudo-likelihood (T26): EM for its mode (M24), Gibbs draws from it (M25)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.integrate import quad

from mercer.solvers.hinge_posterior import (
    draw_scales,
    effective_sample_size,
    hinge_em,
    hinge_gibbs,
)
from mercer.testing.quadratic_program import QP, solve_qp

rng = np.random.default_rng(4)
X = rng.normal(size=(40, 3))
y = np.where(X[:, 0] + 0.7 * rng.normal(size=40) > 0.0, 1.0, -1.0)
x1, y1 = np.array([[1.0], [2.0], [-0.5], [0.3], [1.5]]), np.array([1.0, 1.0, 1.0, -1.0, -1.0])


def pseudo_likelihood(margin, C=2.0):
    return np.exp(-C * np.maximum(1.0 - margin, 0.0))


def mixture_density(scale, margin):
    """Its integral over the scale l > 0 is the pseudo-likelihood of the margin."""
    return np.exp(-((1.0 + scale - margin) ** 2) / (2.0 * scale)) / np.sqrt(2.0 * np.pi * scale)


def svm_without_intercept(K, y, C):
    """alpha of min 1/2 a'Qa - sum a, 0 <= a <= C."""
    n = len(y)
    box = np.vstack([-np.eye(n), np.eye(n)])
    return solve_qp(QP(np.outer(y, y) * K, -np.ones(n), box, np.repeat([0.0, C], n))).x


def exact_1d(tau):
    """The grid, density and distribution function of w for the data x1, y1, by summation."""
    w = np.linspace(-12.0, 12.0, 40001)
    energy = 2.0 * np.maximum(0.0, 1.0 - y1[:, None] * x1 * w).sum(axis=0)
    density = np.exp(-energy) * (np.exp(-0.5 * tau * w**2) if np.isscalar(tau) else tau(w))
    return w, density / density.sum(), np.cumsum(density) / density.sum()


@pytest.mark.parametrize(("margin", "value"), [(-1.0, 0.0183156), (0.3, 0.2465970), (1.0, 1.0), (2.5, 1.0)])
def test_the_hinge_is_a_mixture_of_gaussians_T26(margin, value):
    # l = t^2 takes the singularity at 0 out of the integrand
    mixed = quad(lambda t: 2.0 * t * mixture_density(t * t, margin), 0.0, np.inf)[0]
    assert_allclose(mixed, pseudo_likelihood(margin), rtol=1e-7)
    assert_allclose(pseudo_likelihood(margin), value, atol=5e-8)


@pytest.mark.parametrize("C", [0.1, 1.0, 2.0, 10.0])
def test_the_pseudo_likelihood_of_both_labels_is_not_constant_T26(C):
    total = pseudo_likelihood(np.array([0.0, 1.0]), C) + pseudo_likelihood(-np.array([0.0, 1.0]), C)
    assert_allclose(total, [2.0 * np.exp(-C), 1.0 + np.exp(-2.0 * C)])
    assert abs(total[0] - total[1]) > 1e-3


def test_em_never_raises_its_objective_M24():
    found = hinge_em(X, y, tau=0.5, tol=1e-9)
    assert found.converged
    assert (np.diff(found.objectives) <= 0.5e-9 * len(y)).all()
    assert found.objectives[-1] == found.primal
    assert found.n_iter == len(found.objectives) - 1


@pytest.mark.parametrize("tau", [0.1, 1.0, 10.0])
def test_em_ends_at_the_svm_without_intercept_M24(tau):
    found = hinge_em(X, y, tau=tau, tol=1e-10)
    w = X.T @ (y * svm_without_intercept(X @ X.T, y, 2.0 / tau))
    assert_allclose(found.w, w, atol=1e-6)
    assert found.dual <= found.primal
    assert found.gap <= 1e-10 * found.primal


def test_em_on_a_factor_of_a_gram_is_the_kernel_machine_M24():
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    phi = np.linalg.cholesky(K)
    found = hinge_em(phi, y, tau=1.0, tol=1e-8)
    assert_allclose(phi @ found.w, K @ (y * svm_without_intercept(K, y, 2.0)), atol=1e-3)


def test_em_can_start_from_its_answer_and_stop_at_once_M24():
    found = hinge_em(X, y, tol=1e-9)
    assert hinge_em(X, y, tol=1e-8, start=found.w).n_iter <= 2
    assert hinge_em(X, y, max_iter=1).reason == "max_iter"


@pytest.mark.parametrize("margin", [-1.0, 0.3, 1.0 - 1e-7, 1.0 + 1e-3, 2.5])
def test_scales_follow_the_inverse_gaussian_M25(margin):
    scale = draw_scales(np.full(20_000, margin), np.random.default_rng(1))
    law = stats.invgauss(mu=1.0 / abs(1.0 - margin), scale=1.0)
    assert stats.kstest(1.0 / scale, law.cdf).pvalue > 1e-3


def test_scales_are_the_mixture_given_the_margin_M25():
    """p(l | m) is the mixture density over its integral."""
    scale = draw_scales(np.full(20_000, -0.4), np.random.default_rng(2))
    t = np.linspace(0.0, 8.0, 40_001)
    cdf = np.concatenate([[0.0], np.cumsum(2.0 * t[1:] * mixture_density(t[1:] ** 2, -0.4))])
    assert stats.kstest(np.sqrt(scale), lambda s: np.interp(s, t, cdf / cdf[-1])).pvalue > 1e-3


def test_scales_on_the_margin_take_the_limit_M25():
    scale = draw_scales(np.ones(20_000), np.random.default_rng(3))
    assert stats.kstest(1.0 / scale, stats.levy.cdf).pvalue > 1e-3
    assert stats.kstest(scale, stats.chi2(1).cdf).pvalue > 1e-3


def test_draws_follow_the_posterior_in_one_dimension_M25():
    found = hinge_gibbs(x1, y1, tau=0.7, draws=4000, thin=3, seed=1)
    w, density, cdf = exact_1d(0.7)
    assert stats.kstest(found.w[:, 0], lambda v: np.interp(v, w, cdf)).pvalue > 1e-3
    mode = w[density.argmax()]
    assert_allclose(hinge_em(x1, y1, tau=0.7, tol=1e-9).w, mode, atol=1e-3)
    # the mode of the draws: the tallest of the bins of a histogram lies near EM's answer
    count, edges = np.histogram(found.w[:, 0], bins=25)
    assert abs(0.5 * (edges[count.argmax()] + edges[count.argmax() + 1]) - mode) < 2.0 * (edges[1] - edges[0])
    assert (found.tau == 0.7).all()


def test_a_hyper_prior_is_integrated_out_M25():
    """With tau ~ Gamma(a, r) the prior of w is (r + w^2/2)^-(a + 1/2), a Student t."""
    shape, rate = 2.0, 1.5
    found = hinge_gibbs(x1, y1, prior=(shape, rate), draws=4000, thin=5, seed=5)
    w, _, cdf = exact_1d(lambda w: (rate + 0.5 * w**2) ** -(shape + 0.5))
    assert stats.kstest(found.w[:, 0], lambda v: np.interp(v, w, cdf)).pvalue > 1e-3
    tau = np.linspace(1e-4, 12.0, 4000)
    grid = np.linspace(-12.0, 12.0, 1201)
    given_w = np.exp(-2.0 * np.maximum(0.0, 1.0 - y1[:, None] * x1 * grid).sum(axis=0) - 0.5 * tau[:, None] * grid**2)
    density = stats.gamma(shape, scale=1.0 / rate).pdf(tau) * tau**0.5 * given_w.sum(axis=1)
    cdf = np.cumsum(density) / density.sum()
    assert stats.kstest(found.tau, lambda t: np.interp(t, tau, cdf)).pvalue > 1e-3


def test_draws_in_three_dimensions_have_the_mean_of_importance_sampling_M25():
    found = hinge_gibbs(X, y, tau=1.0, draws=4000, seed=2)
    proposal = stats.multivariate_t(found.mean, 1.5 * np.cov(found.w.T), df=8, seed=0)
    W = proposal.rvs(20_000)
    energy = 2.0 * np.maximum(0.0, 1.0 - (W @ X.T) * y).sum(axis=1) + 0.5 * (W**2).sum(axis=1)
    weight = np.exp(-energy - proposal.logpdf(W) + energy.min())
    error = found.w.std(axis=0) / np.sqrt(found.effective)
    assert (np.abs(found.mean - weight @ W / weight.sum()) < 4.0 * error).all()


def test_seeds_burn_in_and_thinning_do_what_they_say_M25():
    a, b = hinge_gibbs(X, y, draws=20, seed=7), hinge_gibbs(X, y, draws=20, seed=7)
    assert_array_equal(a.w, b.w)
    assert not np.array_equal(a.w, hinge_gibbs(X, y, draws=20, seed=8).w)
    whole = hinge_gibbs(X, y, draws=70, burn_in=0, seed=7)
    part = hinge_gibbs(X, y, draws=20, burn_in=10, thin=3, seed=7)
    assert_array_equal(part.w, whole.w[12::3])
    assert part.n_iter == 70


def test_effective_sample_size_of_an_autoregression_M25():
    """x' = r x + noise is worth (1 - r) / (1 + r) of independent draws."""
    noise = np.random.default_rng(0).normal(size=(20_000, 3))
    chain, r = noise.copy(), np.array([0.0, 0.6, 0.9])
    for t in range(1, len(chain)):
        chain[t] += r * chain[t - 1]
    assert_allclose(effective_sample_size(chain) / len(chain), (1.0 - r) / (1.0 + r), rtol=0.15)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="one label -1 or \\+1 per row"):
        hinge_em(X, np.zeros(40))
    with pytest.raises(ValueError, match="tau must be positive"):
        hinge_gibbs(X, y, tau=0.0)
    with pytest.raises(ValueError, match="X must be finite"):
        hinge_em(X * np.inf, y)
    with pytest.raises(ValueError, match="thin"):
        hinge_gibbs(X, y, thin=0)
