"""The Laplace approximation of several classes (M38), against the dense formulas of its n C unknowns."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.config import configure
from mercer.errors import MemoryBudgetError
from mercer.gram import LazyGram
from mercer.kernels import RBF, Linear, Matern
from mercer.solvers.laplace import Laplace
from mercer.solvers.laplace_softmax import SoftmaxLaplace, softmax
from mercer.solvers.losses import Logistic

rng = np.random.default_rng(0)
n, C = 30, 3
X = rng.normal(size=(n, 2))
codes = (X[:, 0] + 0.5 * rng.normal(size=n) > 0.0).astype(int) + (X[:, 1] > 0.5)
KERNEL = 3.0 * RBF((0.7, 1.5))
K = KERNEL(X)
found = SoftmaxLaplace.of(K, codes, C)


def dense_curvature(P):
    """W = diag(pi) - Pi Pi' over all n C latent values, class after class."""
    Pi = np.vstack([np.diag(p) for p in P.T])
    return np.diag(P.T.ravel()) - Pi @ Pi.T


BIG, W = np.kron(np.eye(C), K), dense_curvature(softmax(found.mode.latent))


def test_the_slope_of_psi_vanishes_at_the_mode_M38():
    assert found.mode.converged
    assert_allclose(found.mode.coef, np.eye(C)[codes] - softmax(found.mode.latent), atol=1e-8)
    assert_allclose(found.mode.latent.sum(axis=1), 0.0, atol=1e-10)  # what all classes share is nothing
    rough = SoftmaxLaplace.of(K, codes, C, max_iter=1).mode
    assert rough.dual < found.mode.primal < rough.primal


def test_the_evidence_is_the_dense_formula_M38():
    wanted = -found.mode.primal - 0.5 * np.linalg.slogdet(np.eye(n * C) + BIG @ W)[1]
    assert_allclose(found.evidence, wanted, rtol=1e-12)


def test_solving_with_the_curvature_is_the_dense_inverse_M38():
    V = rng.normal(size=(n, C))
    wanted = np.linalg.solve(np.eye(n * C) + W @ BIG, W @ V.T.ravel()).reshape(C, n).T
    assert_allclose(found.curvature.solve(V), wanted, atol=1e-11)


@pytest.mark.parametrize("kernel", [KERNEL, Matern(1.0, nu=2.5) + 2.0 * Linear(), 100.0 * RBF(0.3)], ids=repr)
def test_the_slope_of_the_evidence_is_that_of_differences_M38(kernel):
    def evidence(theta):
        return SoftmaxLaplace.of(kernel.with_theta(theta)(X), codes, C).evidence

    gram = LazyGram(kernel, X)
    dense = gram.dense()
    M = SoftmaxLaplace.of(dense, codes, C).slope(dense)
    steps = 1e-5 * np.eye(kernel.theta.size)
    wanted = [(evidence(kernel.theta + h) - evidence(kernel.theta - h)) / 2e-5 for h in steps]
    assert_allclose(gram.vjp(M), wanted, rtol=1e-6, atol=1e-7)
    assert_allclose(M, M.T, atol=1e-12)


def test_predictions_are_the_dense_formulas_M38():
    new = rng.normal(size=(5, 2))
    cross = KERNEL(new, X)
    mean, covariance = found.predict(cross, np.full(5, 3.0))
    assert_allclose(mean, cross @ found.mode.coef, atol=1e-12)
    big = np.kron(np.eye(C), cross)
    wanted = 3.0 * np.eye(5 * C) - big @ np.linalg.solve(np.eye(n * C) + W @ BIG, W @ big.T)
    for i in range(5):
        at = i + 5 * np.arange(C)
        assert_allclose(covariance[i], wanted[np.ix_(at, at)], atol=1e-10)


def test_two_classes_are_the_logistic_approximation_with_twice_the_kernel_M38():
    """f_1 - f_0 has the prior 2 K and is all the labels see; f_0 + f_1 keeps its prior."""
    two = (codes > 0).astype(int)
    several, one = SoftmaxLaplace.of(K, two, 2), Laplace.of(2.0 * K, 2.0 * two - 1.0, Logistic())
    assert_allclose(several.evidence, one.evidence, rtol=1e-12)
    assert_allclose(several.mode.latent[:, 1] - several.mode.latent[:, 0], one.mode.latent, atol=1e-8)
    assert_allclose(several.slope(K), 2.0 * one.slope(2.0 * K), atol=1e-9)


def test_a_class_that_no_item_has_is_allowed_M38():
    more = SoftmaxLaplace.of(K, codes, C + 1)
    assert more.mode.converged
    assert more.evidence < found.evidence
    assert (more.mode.latent[:, C] < 0.0).any()


@pytest.mark.parametrize("variance", [1e-6, 1e4, 1e8])
def test_separable_data_and_huge_variances_stay_finite_M38(variance):
    Z = np.concatenate([c + np.linspace(-0.2, 0.2, 8) for c in (-4.0, 0.0, 4.0)])[:, None]
    t = np.repeat([0, 1, 2], 8)
    gram = (variance * RBF(0.7))(Z)
    wide = SoftmaxLaplace.of(gram, t, 3)
    assert wide.mode.converged
    assert np.isfinite(wide.evidence)
    assert np.isfinite(wide.slope(gram)).all()
    assert (wide.mode.latent.argmax(axis=1) == t).all()


def test_memory_is_asked_for_before_it_is_taken_M38():
    with configure(memory=2**16), pytest.raises(MemoryBudgetError, match="one_vs_rest"):
        SoftmaxLaplace.of(K, codes, 20)
