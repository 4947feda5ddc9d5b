"""mercer.verify of feature machines: the proof of fit is made again, and wrong weights show (M1-M6, M34)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

import mercer
from mercer import verify
from mercer.kernels import RBF, Polynomial

rng = np.random.default_rng(0)
X = rng.normal(size=(50, 2))
numbers = np.sin(2.0 * X[:, 0]) + 0.2 * rng.normal(size=50)
two = np.where(numbers > 0.0, "up", "down")
three = np.digitize(numbers, [-0.4, 0.4])
counts = rng.poisson(np.exp(0.5 + 0.5 * X[:, 0]))
w = np.where(np.arange(50) % 12 == 0, 0.0, rng.uniform(0.5, 2.0, 50))
K = RBF(1.0)

CONVEX = {
    "l1 of numbers": (mercer.L1VMRegressor(K, alpha=0.3), numbers),
    "l1 of numbers through 0": (mercer.L1VMRegressor(K, alpha=0.3, fit_intercept=False), numbers),
    "l1 chosen": (mercer.L1VMRegressor(K, alpha=(0.1, 1.0), cv=3), numbers),
    "l1 of two": (mercer.L1VMClassifier(K, alpha=0.3), two),
    "l1 of three": (mercer.L1VMClassifier(K, alpha=0.3, class_weight="balanced"), three),
    "l2 of numbers": (mercer.L2VMRegressor(K, alpha=0.3), numbers),
    "l2 by evidence": (mercer.L2VMRegressor(K, alpha="evidence"), numbers),
    "l2 with a tuned kernel": (mercer.L2VMRegressor(K, alpha="evidence", tune_kernel=True), numbers),
    "l2 of two": (mercer.L2VMClassifier(K, alpha=0.3), two),
    "l2 of three": (mercer.L2VMClassifier(K, alpha=0.3), three),
    "network": (mercer.RBFNetworkRegressor(K, alpha=0.3), numbers),
    "network of centres": (mercer.RBFNetworkRegressor(K, prototypes=5, random_state=0), numbers),
    "network of medoids": (mercer.RBFNetworkClassifier(K, prototypes=5, init="medoids", random_state=0), two),
    "network moved": (mercer.RBFNetworkRegressor(K, prototypes=3, optimise=True, n_init=1, random_state=0), numbers),
    "network of three": (mercer.RBFNetworkClassifier(K, prototypes=5, random_state=0), three),
    "monomials": (mercer.FeatureGLMRegressor(2), numbers),
    "monomials without a penalty": (mercer.FeatureGLMRegressor(2, alpha=0.0), numbers),
    "more monomials than items": (mercer.FeatureGLMClassifier(10), two),
    "map of a kernel": (mercer.FeatureGLMClassifier(Polynomial(2)), three),
    "poisson": (mercer.FeatureGLMRegressor(2, family="poisson"), counts),
    "probit": (mercer.FeatureGLMClassifier(2, link="probit"), two),
    "cloglog": (mercer.FeatureGLMClassifier(2, link="cloglog"), two),
}
convex = pytest.mark.parametrize(("machine", "y"), CONVEX.values(), ids=CONVEX)
RELEVANCE = {
    "of numbers": (mercer.RVMRegressor(K, n_restarts=0), numbers),
    "beta given": (mercer.RVMRegressor(K, n_restarts=0, beta=20.0, fit_intercept=False), numbers),
    "by mackay": (mercer.RVMRegressor(K, method="mackay"), numbers),
    "by em": (mercer.RVMRegressor(K, method="em"), numbers),
    "of two": (mercer.RVMClassifier(K, n_restarts=0), two),
    "of three": (mercer.RVMClassifier(K, n_restarts=0), three),
}
relevance = pytest.mark.parametrize(("machine", "y"), RELEVANCE.values(), ids=RELEVANCE)


def weights_of(m):
    return "_coef" if hasattr(m, "_coef") else "dual_coef_"


@convex
def test_the_proof_of_fit_is_found_again_M1(machine, y):
    m = machine.fit(X, y, w)
    proof = verify(m, X, y, w)
    assert proof.converged, proof
    assert_allclose(proof.primal, m.certificate_.primal, rtol=1e-6)
    assert -1e-9 <= proof.relative_gap <= max(1.2 * getattr(m, "tol", 0.0), 1e-8)
    assert proof.n_iter == m.n_iter_
    assert "within" in str(proof)


@convex
def test_a_wrong_weight_or_intercept_is_found_out_M1(machine, y):
    m = machine.fit(X, y)
    name = weights_of(m)
    right = getattr(m, name)
    setattr(m, name, right + 0.2 * np.eye(*right.shape))
    proof = verify(m, X, y)
    assert not proof.converged
    assert proof.gap > 1e-4
    setattr(m, name, right)
    if m.fit_intercept:
        m.intercept_ = m.intercept_ + 0.5 * np.eye(1, len(m.intercept_))[0]
        assert not verify(m, X, y).converged


def test_a_shift_of_all_classes_costs_its_penalty():
    """It changes no probability, but the weights are no longer the shortest."""
    m = mercer.L2VMClassifier(K, alpha=0.3).fit(X, three)
    m.dual_coef_ = m.dual_coef_ + 0.1
    assert not verify(m, X, three).converged


def test_weights_outside_the_span_of_the_items_cost_their_penalty():
    m = mercer.FeatureGLMClassifier(10).fit(X, two)
    Phi = m._phi(X)
    _, _, V = np.linalg.svd(Phi)
    m._coef = m._coef + V[-1]
    assert_allclose(Phi @ V[-1], 0.0, atol=1e-6)
    assert not verify(m, X, two).converged


def test_a_link_without_a_convex_loss_is_judged_by_its_gradient():
    y = np.exp(0.5 * X[:, 0]) + 0.1 * rng.normal(size=50)
    m = mercer.FeatureGLMRegressor(1, link="log", alpha=0.1).fit(X, y)
    proof = verify(m, X, y)
    assert proof.converged
    assert proof.dual == -np.inf
    m._coef = m._coef + 0.1
    assert not verify(m, X, y).converged


@relevance
def test_the_witness_of_relevance_vectors_is_found_again_M5(machine, y):
    m = machine.fit(X, y, w)
    proof = verify(m, X, y, w)
    assert proof.converged, proof
    assert_allclose(proof.log_evidence, m.log_evidence_, rtol=1e-8)
    assert_allclose(proof.alpha, m.alpha_)
    assert_allclose(proof.noise, m.certificate_.noise, atol=1e-6)


@relevance
def test_weights_and_precisions_that_do_not_belong_together_are_found_out_M5(machine, y):
    m = machine.fit(X, y)
    right = m.dual_coef_
    m.dual_coef_ = 1.1 * right
    proof = verify(m, X, y)
    assert not proof.converged
    assert "posterior mean" in proof.reason
    m.dual_coef_ = right
    m.alpha_ = 50.0 * m.alpha_
    assert not verify(m, X, y).converged


def test_sparse_rows_and_given_matrices_are_proved_too():
    S = csr_array(np.where(np.abs(X) < 0.5, 0.0, X))
    G = K(X)
    for machine, y in [(mercer.L1VMRegressor, numbers), (mercer.L2VMClassifier, two), (mercer.RVMRegressor, numbers),
                       (mercer.RBFNetworkClassifier, three)]:  # fmt: skip
        assert verify(machine(K).fit(S, y), S, y).converged
        assert verify(machine("precomputed").fit(G, y), G, y).converged
    chosen = mercer.RBFNetworkRegressor("precomputed", prototypes=[3, 7, 20]).fit(G, numbers)
    assert verify(chosen, G, numbers).converged


def test_single_precision_is_proved_in_double():
    Z = X.astype(np.float32)
    m = mercer.L2VMRegressor(K).fit(Z, numbers)
    assert verify(m, Z, numbers).converged


def test_a_proof_needs_the_data_of_the_fit():
    m = mercer.L1VMClassifier(K).fit(X, two)
    with pytest.raises(ValueError, match="targets of the fit"):
        verify(m, X)
    with pytest.raises(ValueError, match="the 50 samples"):
        verify(m, X[:40], two[:40])
    with pytest.raises(ValueError, match="labels of the classes"):
        verify(m, X, three)
