"""The evidence of labels: the mode, Laplace's formula, S and Q, for two classes and for more (M6)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.solvers.rvm.relevance_data import labels, laplace_evidence, matrix

weight = np.linspace(0.5, 1.5, 80)
CASES = {
    "two": (lambda: labels(weight=weight), np.array([3, 10, 44, 80]), np.array([0.5, 2.0, 1.0, 0.7])),
    "three": (
        lambda: labels(edges=(0.2, 1.0), weight=weight),
        np.array([3, 10, 80, 81 + 5, 81 + 80, 162 + 3, 162 + 7]),
        np.array([0.5, 2.0, 1.0, 3.0, 1.0, 0.7, 0.2]),
    ),
}
cases = pytest.mark.parametrize("case", CASES)


@cases
def test_the_mode_is_flat_and_the_evidence_is_laplaces_formula_M6(case):
    make, index, tau = CASES[case]
    model = make()
    fit = model.at(index, tau, model.start())
    value, slope, H = laplace_evidence(model, index, tau, fit.mean)
    assert_allclose(slope, 0.0, atol=1e-5)
    assert_allclose(fit.evidence, value, atol=1e-8)
    assert_allclose(fit.factor.covariance(), np.linalg.inv(H), atol=1e-6)


@cases
def test_S_and_Q_are_those_of_numbers_with_the_curvature_as_precision_M6(case):
    """t = f + B^-1 e with noise B^-1, written out for all functions and classes."""
    make, index, tau = CASES[case]
    model = make()
    fit = model.at(index, tau, model.start())
    Phi, n, C = matrix(model), model.basis.n, model.C
    J = np.kron(np.eye(C), Phi)  # (C n, C N): classes one after the other, as candidates are
    B = np.zeros((C * n, C * n))
    for i in range(n):
        B[i::n, i::n] = model.weight[i] * (np.diag(fit.p[i]) - np.outer(fit.p[i], fit.p[i]))
    S = np.linalg.inv(np.diag(1.0 / tau) + J[:, index].T @ B @ J[:, index])
    P = J.T @ B @ J - J.T @ B @ J[:, index] @ S @ J[:, index].T @ B @ J
    Q = J.T @ (model.weight * (model.y - fit.p).T).ravel()
    view = model.view(fit)
    assert_allclose(view.S, np.diag(P), atol=1e-9)
    assert_allclose(view.Q, Q, atol=1e-9)
    assert_allclose(view.pairs(), P[index], atol=1e-8)
    assert_allclose(view.Q[index], fit.mean / tau, atol=1e-4)  # the mode
    chosen = np.union1d(index, [0, 33, len(model) - 2])
    local = model.local(fit, chosen)
    assert_allclose(local[0], P[np.ix_(chosen, chosen)], atol=1e-9)
    assert_allclose(local[1], Q[chosen], atol=1e-9)


def test_candidates_of_other_classes_are_not_alike():
    model = labels(edges=(0.2, 1.0))
    likeness = model.likeness(81 + 4).reshape(3, 81)
    assert likeness[1, 4] == 1.0
    assert likeness[1].sum() > 1.0
    assert not likeness[[0, 2]].any()


def test_with_nothing_active_all_classes_are_equally_probable_M6():
    for model, k in ((labels(), 2), (labels(edges=(0.2, 1.0)), 3)):
        assert_allclose(model.start().evidence, -80.0 * np.log(k))
