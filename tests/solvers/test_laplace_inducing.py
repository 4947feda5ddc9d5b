"""Laplace's approximation on a low-rank prior plus a diagonal: against the dense one on the same prior (M38)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.kernels import RBF
from mercer.solvers.label_sites import SignSites, SoftmaxSites
from mercer.solvers.laplace import Laplace
from mercer.solvers.laplace_inducing import InducingLaplace, InducingPrior, quadratic_forms
from mercer.solvers.laplace_softmax import SoftmaxLaplace
from mercer.solvers.losses import Logistic, Probit

rng = np.random.default_rng(0)
X = rng.uniform(-2.0, 2.0, (40, 2))
Z, NEW = X[::6], rng.uniform(-2.0, 2.0, (5, 2))
WEIGHT = rng.uniform(0.3, 2.5, 40)
SIGNS = np.where(X[:, 0] + 0.6 * rng.normal(size=40) > 0.0, 1.0, -1.0)
CODES = (X[:, 0] > 0.3).astype(int) + (X[:, 1] + 0.5 * rng.normal(size=40) > 0.5)
KINDS = ["logistic", "probit", "softmax"]
kinds = pytest.mark.parametrize("kind", KINDS)


class Rows:
    """Features in memory, in three panels."""

    def __init__(self, Phi):
        self.Phi, self.shape = Phi, Phi.shape
        self.panels = [slice(0, 15), slice(15, 16), slice(16, len(Phi))]

    def block(self, r):
        return self.Phi[r]

    def folded(self, work):
        return [sum(column) for column in zip(*map(work, self.panels), strict=True)]

    def each(self, work):
        for r in self.panels:
            work(r)


def features(k, items):
    return np.linalg.solve(np.linalg.cholesky(k(Z)), k(Z, items)).T


def sites(kind):
    if kind == "softmax":
        return SoftmaxSites(CODES, WEIGHT, 3)
    return SignSites(SIGNS, WEIGHT, Logistic() if kind == "logistic" else Probit())


def prior(k):
    return InducingPrior.of(Rows(features(k, X)), np.diag(k(X)))


def low_rank(kind, lengthscale=0.8, variance=3.0):
    return InducingLaplace.of(prior(variance * RBF(lengthscale)), sites(kind))


def dense(kind, lengthscale=0.8, variance=3.0):
    k = variance * RBF(lengthscale)
    Q = features(k, X) @ features(k, X).T
    K = Q + np.diag(np.diag(k(X)) - np.diag(Q))
    if kind == "softmax":
        return K, SoftmaxLaplace.of(K, CODES, 3, weight=WEIGHT)
    return K, Laplace.of(K, SIGNS, Logistic() if kind == "logistic" else Probit(), weight=WEIGHT)


@kinds
def test_mode_and_evidence_are_those_of_the_dense_prior_M38(kind):
    found, (_, expected) = low_rank(kind), dense(kind)
    assert found.mode.converged
    assert_allclose(found.mode.coef.ravel(), expected.mode.coef.ravel(), atol=1e-8)
    assert_allclose(found.mode.latent.ravel(), expected.mode.latent.ravel(), atol=1e-8)
    assert_allclose(found.evidence, expected.evidence, rtol=1e-10)


@kinds
def test_the_gap_is_that_between_primal_and_dual_M38(kind):
    begun, done = InducingLaplace.of(prior(3.0 * RBF(0.8)), sites(kind), max_iter=1), low_rank(kind)
    assert begun.mode.gap > 1e-6 > done.mode.gap
    assert begun.mode.dual - 1e-9 <= done.mode.primal <= begun.mode.primal


@kinds
def test_the_slope_is_that_of_the_dense_prior_M38(kind):
    found = low_rank(kind).slopes()
    K, expected = dense(kind)
    M, Phi = expected.slope(K), features(3.0 * RBF(0.8), X)
    assert_allclose(found.diagonal, np.diag(M), atol=1e-8)
    off = M - np.diag(np.diag(M))
    panels = np.vstack([found.of_panel(slice(0, 9)), found.of_panel(slice(9, 40))])
    assert_allclose(panels, 2.0 * off @ Phi, atol=1e-7)
    assert_allclose(found.landmarks, -Phi.T @ off @ Phi, atol=1e-7)


@kinds
def test_the_slope_is_that_of_differences_M38(kind):
    k, step = 3.0 * RBF(0.8), 1e-5
    found, L = low_rank(kind).slopes(), np.linalg.cholesky(k(Z))
    half = np.linalg.inv(L)

    def moved(A, B):
        squares = ((A[:, None] - B) ** 2).sum(axis=2)
        return k(A, B) * squares / 0.8**3

    in_lengthscale = (found.of_panel(slice(0, 40)) @ half * moved(X, Z)).sum()
    in_lengthscale += (half.T @ found.landmarks @ half * moved(Z, Z)).sum()
    up, down = low_rank(kind, 0.8 + step).evidence, low_rank(kind, 0.8 - step).evidence
    assert_allclose(in_lengthscale, (up - down) / (2.0 * step), rtol=1e-5)
    in_variance = (found.of_panel(slice(0, 40)) @ half * k(X, Z)).sum() + (half.T @ found.landmarks @ half * k(Z)).sum()
    in_variance += 3.0 * found.diagonal.sum()
    up, down = low_rank(kind, variance=3.0 + step).evidence, low_rank(kind, variance=3.0 - step).evidence
    assert_allclose(in_variance / 3.0, (up - down) / (2.0 * step), rtol=1e-5)


@kinds
def test_new_items_have_the_moments_of_the_dense_prior_M38(kind):
    k, found = 3.0 * RBF(0.8), low_rank(kind)
    expected = dense(kind)[1]
    Phi = features(k, NEW)
    mean, spread = expected.predict(Phi @ features(k, X).T, np.diag(k(NEW)))
    assert_allclose((Phi @ found.weights()).ravel(), mean.ravel(), atol=1e-8)
    V = quadratic_forms(Phi, found.curvature.inverse())
    rest = 3.0 - np.einsum("ij,ij->i", Phi, Phi)
    V += rest[:, None, None] * np.eye(V.shape[1])
    assert_allclose(V.ravel(), spread.ravel(), atol=1e-8)
