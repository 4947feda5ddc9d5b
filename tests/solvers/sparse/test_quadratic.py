"""Quadratics with group penalties: optimality is the test, on matrices that coordinate descent gives up on (M3, M4)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mercer.solvers.sparse.hessian import DenseHessian, FactoredHessian
from mercer.solvers.sparse.quadratic import minimise, violation


def softmax_curvature(n, F, rng):
    """A'' of a softmax in coordinates that sum to 0: positive definite, of size 1/2 at most."""
    P = rng.dirichlet(np.ones(F + 1), size=n)
    C = P[:, :, None] * np.eye(F + 1) - P[:, :, None] * P[:, None]
    E = np.linalg.qr(np.column_stack([np.ones(F + 1), np.eye(F + 1)[:, :F]]))[0][:, 1:]
    return np.einsum("ca,ncd,db->nab", E, C, E)


def gaussian_columns(m, width):
    x = np.linspace(0.0, 1.0, m)
    return np.exp(-0.5 * ((x[:, None] - x) / width) ** 2)


def optimality(H, Q0, V, penalty):
    """The largest violation at V of a problem whose gradient at 0 is Q0."""
    return violation(H.times(V) + Q0, V, penalty).max()


@pytest.mark.parametrize("width", [0.1, 0.3, 1.0])
@pytest.mark.parametrize("penalty", [1e-1, 1e-4])
def test_the_optimality_conditions_hold_however_alike_the_columns_M3(width, penalty):
    Z = gaussian_columns(60, width)
    H, Q = DenseHessian(Z @ Z), -(Z @ np.sin(9.0 * np.linspace(0.0, 1.0, 60)))[:, None]
    found = minimise(H, Q, penalty, np.zeros((60, 1)), tol=1e-9)
    assert optimality(H, Q, found.V, penalty) <= 1e-9
    assert 0 < np.count_nonzero(found.V) < 60


def test_orthogonal_columns_have_the_soft_threshold_as_answer_M3():
    q = np.array([3.0, -0.5, -2.0, 1.0])
    found = minimise(DenseHessian(np.diag([1.0, 1.0, 4.0, 1.0])), -q[:, None], 1.0, np.zeros((4, 1)), tol=1e-12)
    assert_allclose(found.V[:, 0], [2.0, 0.0, -0.25, 0.0], atol=1e-12)


def test_orthogonal_groups_are_shortened_by_lambda_M4():
    Q = -np.array([[3.0, 4.0], [0.6, 0.0], [-6.0, 8.0]])
    found = minimise(DenseHessian(np.eye(6), functions=2), Q, 1.0, np.zeros((3, 2)), tol=1e-12)
    assert_allclose(found.V, -Q * np.array([[0.8], [0.0], [0.9]]), atol=1e-10)


@given(st.integers(0, 2**32 - 1))
def test_any_start_and_scale_lead_to_an_optimum_M3(seed):
    rng = np.random.default_rng(seed)
    m, F = int(rng.integers(1, 12)), int(rng.integers(1, 4))
    Z, C = rng.normal(size=(m, 15)) * 10.0 ** rng.uniform(-3.0, 3.0, size=(m, 1)), softmax_curvature(15, F, rng)
    if m > 2:
        Z[1] = Z[0]  # a column that comes twice
    H, R = DenseHessian.of(Z, C, intercept=True), rng.normal(size=(15, F))
    Q = -Z @ (R - R.mean(axis=0))
    penalty = float(np.abs(Q).max()) * 10.0 ** rng.uniform(-3.0, 0.5)
    start = rng.normal(size=(m, F))
    found = minimise(H, Q + H.times(start), penalty, start, tol=1e-6 * penalty)
    assert optimality(H, Q, found.V, penalty) <= 1e-6 * penalty


def test_columns_that_come_twice_share_what_one_of_them_would_have_M3():
    Z = gaussian_columns(20, 0.1)
    target = np.sin(9.0 * np.linspace(0.0, 1.0, 20))
    once = minimise(DenseHessian(Z @ Z), -(Z @ target)[:, None], 0.01, np.zeros((20, 1)), tol=1e-10).V
    Y = np.vstack([Z, Z])
    twice = minimise(DenseHessian(Y @ Y.T), -(Y @ target)[:, None], 0.01, np.zeros((40, 1)), tol=1e-10).V
    assert_allclose(twice[:20] + twice[20:], once, atol=1e-6)


def test_columns_of_zeros_get_no_weight():
    H = np.diag([1.0, 0.0])
    found = minimise(DenseHessian(H), np.array([[-2.0], [0.0]]), 1.0, np.zeros((2, 1)), tol=1e-12)
    assert_array_equal(found.V, [[1.0], [0.0]])


@pytest.mark.parametrize("intercept", [True, False])
def test_a_matrix_and_its_factors_are_one_curvature_M4(intercept):
    rng = np.random.default_rng(1)
    Z, C = rng.normal(size=(7, 30)), softmax_curvature(30, 3, rng)
    dense, factored = (kind.of(Z, C, intercept=intercept) for kind in (DenseHessian, FactoredHessian))
    V, A = rng.normal(size=(7, 3)), np.array([0, 2, 5])
    assert_allclose(factored.times(V), dense.times(V), atol=1e-12)
    B, right = np.tile(0.1 * np.eye(3), (3, 1, 1)), rng.normal(size=(3, 3))
    assert_allclose(factored.solve(A, B, right), dense.solve(A, B, right), rtol=1e-3)
    Q, start = rng.normal(size=(7, 3)), np.zeros((7, 3))
    a, b = (minimise(H, Q, 0.3, start, tol=1e-8).V for H in (dense, factored))
    assert_allclose(a, b, atol=1e-6)


def test_the_intercept_is_eliminated_M3():
    """H is what is left of the curvature in (V, b) after the minimum over b."""
    rng = np.random.default_rng(2)
    Z, C = rng.normal(size=(4, 20)), softmax_curvature(20, 2, rng)
    whole = np.vstack([Z, np.ones(20)])
    J = np.einsum("jn,nab,kn->jakb", whole, C, whole).reshape(10, 10)
    schur = J[:8, :8] - J[:8, 8:] @ np.linalg.solve(J[8:, 8:], J[8:, :8])
    assert_allclose(DenseHessian.of(Z, C, intercept=True).H, schur, atol=1e-12)
    one = DenseHessian.of(Z, C[:, :1, :1], intercept=True).H
    s = C[:, 0, 0]
    assert_allclose(one, (Z * s) @ Z.T - np.outer(Z @ s, Z @ s) / s.sum(), atol=1e-12)
