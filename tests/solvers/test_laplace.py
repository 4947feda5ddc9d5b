"""The Laplace approximation of two classes (M38): its mode, evidence, slope and predictions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.errors import NotPositiveDefinite
from mercer.gram import LazyGram
from mercer.kernels import RBF, Linear, Matern, White
from mercer.solvers import laplace
from mercer.solvers.laplace import Laplace, factored
from mercer.solvers.losses import Logistic, Probit

LIKELIHOODS = [Logistic(), Probit()]
likelihoods = pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=lambda p: type(p).__name__)
rng = np.random.default_rng(0)
X = rng.normal(size=(40, 2))
y = np.where(X[:, 0] + 0.5 * rng.normal(size=40) > 0.0, 1.0, -1.0)
KERNEL = 3.0 * RBF((0.7, 1.5))
K = KERNEL(X)


@likelihoods
def test_the_slope_of_psi_vanishes_at_the_mode_M38(likelihood):
    mode = Laplace.of(K, y, likelihood).mode
    z = y * mode.latent
    assert mode.converged
    assert_allclose(mode.coef, -y * likelihood.slope(z), atol=1e-8)
    assert_allclose(K @ mode.coef, mode.latent, atol=1e-12)


@likelihoods
def test_the_gap_is_that_of_the_fenchel_dual_M38(likelihood):
    """After one step: the primal and dual values bound the optimum, and the gap bounds the distance to it."""
    rough, best = (Laplace.of(K, y, likelihood, max_iter=m).mode for m in (1, 100))
    assert rough.reason == "max_iter"
    assert not rough.converged
    assert rough.dual < best.primal < rough.primal
    d = rough.coef - best.coef
    assert 0.5 * d @ K @ d <= rough.gap
    assert best.gap < 1e-12


@likelihoods
def test_the_evidence_is_the_dense_formula_M38(likelihood):
    found = Laplace.of(K, y, likelihood)
    f, W = found.mode.latent, likelihood.curvature(y * found.mode.latent)
    wanted = -likelihood.value(y * f).sum() - 0.5 * f @ np.linalg.solve(K + 1e-13 * np.eye(40), f)
    wanted -= 0.5 * np.linalg.slogdet(np.eye(40) + K * W)[1]
    assert_allclose(found.evidence, wanted, rtol=1e-9)


@likelihoods
def test_the_evidence_of_one_item_is_close_to_its_integral_M38(likelihood):
    """p(y) = 1/2 for any variance, by symmetry; Laplace's value is near it, and exact as the variance vanishes."""
    for variance, tol in ((1e-4, 1e-8), (0.1, 1e-3), (1.0, 0.03)):
        evidence = Laplace.of(np.array([[variance]]), np.ones(1), likelihood).evidence
        assert_allclose(np.exp(evidence), 0.5, atol=tol)


@likelihoods
@pytest.mark.parametrize(
    "kernel", [KERNEL, 0.5 * Matern(1.0, nu=2.5) + 2.0 * Linear() + White(0.1), 100.0 * RBF(0.3)], ids=repr
)
def test_the_slope_of_the_evidence_is_that_of_differences_M38(likelihood, kernel):
    def evidence(theta):
        return Laplace.of(kernel.with_theta(theta)(X), y, likelihood).evidence

    gram = LazyGram(kernel, X)
    dense = gram.dense()
    M = Laplace.of(dense, y, likelihood).slope(dense)
    steps = 1e-5 * np.eye(kernel.theta.size)
    wanted = [(evidence(kernel.theta + h) - evidence(kernel.theta - h)) / 2e-5 for h in steps]
    assert_allclose(gram.vjp(M), wanted, rtol=1e-6, atol=1e-7)
    assert_allclose(M, M.T, atol=1e-12)


@likelihoods
def test_predictions_are_the_dense_formulas_M38(likelihood):
    found, new = Laplace.of(K, y, likelihood), rng.normal(size=(7, 2))
    C, W = KERNEL(new, X), likelihood.curvature(y * found.mode.latent)
    mean, variance = found.predict(C, np.full(7, 3.0))
    assert_allclose(mean, C @ np.linalg.solve(K + 1e-12 * np.eye(40), found.mode.latent), atol=1e-6)
    assert_allclose(variance, 3.0 - np.einsum("ij,ij->i", C, C @ np.linalg.inv(K + np.diag(1.0 / W))), atol=1e-9)


@likelihoods
def test_a_start_at_the_mode_ends_there_and_a_bad_one_does_no_harm_M38(likelihood):
    cold = Laplace.of(K, y, likelihood)
    assert Laplace.of(K, y, likelihood, start=cold.mode.coef).mode.n_iter == 0
    for start in (0.9 * cold.mode.coef, -50.0 * y):
        assert_allclose(Laplace.of(K, y, likelihood, start=start).evidence, cold.evidence, rtol=1e-9)


@likelihoods
def test_a_factor_is_kept_while_it_serves_M38(likelihood, monkeypatch):
    """Fewer factorisations than steps, one of them at the maximum, and the same answer."""
    calls = []
    monkeypatch.setattr(laplace, "factored", lambda *args: calls.append(1) or factored(*args))
    kept = Laplace.of(K, y, likelihood)
    assert len(calls) < kept.mode.n_iter + 1
    monkeypatch.setattr(laplace, "_KEPT", 0.0)
    assert_allclose(kept.evidence, Laplace.of(K, y, likelihood).evidence, rtol=1e-9)


@likelihoods
@pytest.mark.parametrize("variance", [1e-6, 1.0, 1e4, 1e8])
def test_separable_data_and_huge_variances_stay_finite_M38(likelihood, variance):
    """Far apart and of one sign each: without the prior f would go to infinity."""
    Z = np.concatenate([np.linspace(-3.0, -2.0, 10), np.linspace(2.0, 3.0, 10)])[:, None]
    t = np.sign(Z[:, 0])
    gram = (variance * RBF(1.0))(Z)
    found = Laplace.of(gram, t, likelihood)
    assert found.mode.converged
    assert np.isfinite(found.evidence)
    assert np.isfinite(found.slope(gram)).all()
    assert (t * found.mode.latent > 0.0).all()


def test_equal_items_with_different_labels_share_their_latent_value_M38():
    """A singular K does no harm: it is never inverted."""
    Z = np.repeat(X[:5], 4, axis=0)
    t = np.tile([1.0, 1.0, 1.0, -1.0], 5)
    found = Laplace.of((4.0 * RBF(0.1))(Z), t, Logistic())
    f = found.mode.latent.reshape(5, 4)
    assert_allclose(f, f[:, :1].repeat(4, axis=1), atol=1e-12)
    assert (f > 0.0).all()


def test_an_indefinite_gram_is_refused_with_a_cure_M38():
    with pytest.raises(NotPositiveDefinite, match="psd=True"):
        Laplace.of(-9.0 * K, y, Logistic())
