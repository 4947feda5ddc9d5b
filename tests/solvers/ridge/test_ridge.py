"""Kernel ridge as a linear system: bordered solutions, leave-one-out, GCV, and the proof (M10, T17, T18)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.linalg.spectrum import Spectrum
from mercer.solvers.ridge import (
    Expansion,
    Factored,
    Targets,
    certify_ridge,
    checked_alphas,
    factorised,
    leave_one_out,
    leave_one_out_residuals,
    solve_ridge,
)

rng = np.random.default_rng(3)
n = 25
x = np.sort(rng.uniform(-2.0, 2.0, n))
K = np.exp(-0.5 * (x[:, None] - x) ** 2)
Y = np.column_stack([np.sin(2.0 * x), x**2 + 3.0]) + 0.1 * rng.normal(size=(n, 2))
WEIGHTS = {"equal": np.ones(n), "unequal": rng.uniform(0.2, 3.0, n)}
ALPHAS = np.array([1e-3, 0.1, 5.0])
cases = pytest.mark.parametrize(
    ("weight", "intercept"), [(w, b) for w in WEIGHTS for b in (False, True)], ids=lambda v: str(v)
)


def systems(targets, alpha):
    return factorised(targets.scale(K.copy()), alpha), Spectrum.of_matrix(targets.scale(K.copy()))


def bordered(K, Y, w, alpha, intercept):
    """The system as it is written in the books, by a general solver."""
    m = len(K)
    A = np.zeros((m + 1, m + 1))
    A[:m, :m], A[:m, m], A[m, :m], A[m, m] = K + alpha * np.diag(1.0 / w), 1.0, 1.0, 0.0
    if not intercept:
        return np.linalg.solve(A[:m, :m], Y), np.zeros(Y.shape[1])
    answer = np.linalg.solve(A, np.vstack([Y, np.zeros(Y.shape[1])]))
    return answer[:m], answer[m]


@cases
def test_both_systems_give_the_solution_of_the_bordered_one_M10(weight, intercept):
    targets = Targets(Y, WEIGHTS[weight], intercept)
    coef, b = bordered(K, Y, targets.weight, 0.1, intercept)
    for system in systems(targets, 0.1):
        answer = solve_ridge(system, targets, 0.1)
        assert_allclose(answer.coef, coef, atol=1e-9)
        assert_allclose(answer.intercept, b, atol=1e-9)


@cases
def test_leaving_one_out_in_closed_form_equals_refits_M10(weight, intercept):
    targets = Targets(Y, WEIGHTS[weight], intercept)
    refits = np.empty_like(Y)
    for i in range(n):
        rest = np.delete(np.arange(n), i)
        coef, b = bordered(K[np.ix_(rest, rest)], Y[rest], targets.weight[rest], 0.1, intercept)
        refits[i] = Y[i] - K[i, rest] @ coef - b
    for system in systems(targets, 0.1):
        assert_allclose(leave_one_out_residuals(system, targets, 0.1), refits, atol=1e-9)
    errors = leave_one_out(systems(targets, 0.1)[1], targets, ALPHAS).errors
    assert_allclose(errors[1], np.average((refits**2).mean(axis=1), weights=targets.weight))


@cases
def test_gcv_is_that_of_the_hat_matrix_M10(weight, intercept):
    """The hat matrix column by column: what the fit gives for unit targets."""
    w = WEIGHTS[weight]
    targets = Targets(Y, w, intercept)
    found = leave_one_out(systems(targets, 0.1)[1], targets, ALPHAS)
    for alpha, gcv in zip(ALPHAS, found.gcv, strict=True):
        coef, b = bordered(K, np.eye(n), w, alpha, intercept)
        H = K @ coef + b
        squares = np.average(((Y - H @ Y) ** 2).mean(axis=1), weights=w)
        assert_allclose(gcv, squares / (1.0 - np.trace(H) / n) ** 2, rtol=1e-6)


def test_the_best_alpha_has_the_least_error():
    targets = Targets(Y, np.ones(n))
    found = leave_one_out(Spectrum.of_matrix(K.copy()), targets, ALPHAS)
    assert found.errors[found.best] == found.errors.min()


def test_an_alpha_for_every_output_is_as_many_problems():
    targets, alphas = Targets(Y, np.ones(n), True), np.array([0.01, 2.0])
    spectrum = Spectrum.of_matrix(K.copy())
    both, left = solve_ridge(spectrum, targets, alphas), leave_one_out_residuals(spectrum, targets, alphas)
    for j, alpha in enumerate(alphas):
        one = targets.output(j)
        alone = solve_ridge(factorised(K.copy(), alpha), one, alpha)
        assert_allclose(both.coef[:, [j]], alone.coef, atol=1e-9)
        assert_allclose(both.intercept[[j]], alone.intercept, atol=1e-9)
        assert_allclose(left[:, [j]], leave_one_out_residuals(spectrum, one, alpha), atol=1e-12)


@pytest.mark.parametrize("D", [5, 60])
@pytest.mark.parametrize("alpha", [1e-2, 3.0])
def test_primal_and_dual_solutions_are_the_same_T27(D, alpha):
    F = rng.normal(size=(n, D))
    primal = np.linalg.solve(F.T @ F + alpha * np.eye(D), F.T @ Y)
    targets = Targets(Y, np.ones(n))
    for system in (Spectrum.of_features(F), factorised(F @ F.T, alpha), Spectrum.of_matrix(F @ F.T)):
        assert_allclose(F.T @ solve_ridge(system, targets, alpha).coef, primal, atol=1e-8)


def test_the_limit_of_alpha_to_zero_is_the_shortest_solution_T27():
    F = rng.normal(size=(n, 4))
    targets = Targets(Y, np.ones(n))
    limit = F.T @ solve_ridge(Spectrum.of_features(F), targets, 0.0).coef
    assert_allclose(limit, np.linalg.lstsq(F, Y, rcond=None)[0], atol=1e-8)
    assert_allclose(limit, F.T @ solve_ridge(Spectrum.of_features(F), targets, 1e-7).coef, atol=1e-5)


def test_a_gram_without_a_factor_falls_to_its_eigenvectors_M10():
    twice = np.tile(K[:3, :3], (2, 2))
    given = twice.copy()
    system = factorised(given, 0.0)
    assert isinstance(system, Spectrum)
    assert isinstance(factorised(twice.copy(), 0.1), Factored)
    y = Targets(Y[[0, 1, 2, 0, 1, 2]], np.ones(6))
    assert_allclose(twice @ solve_ridge(system, y, 0.0).coef, y.Y, atol=1e-8)


@cases
def test_the_gap_is_primal_less_dual_and_bounds_every_other_answer_T17_T18(weight, intercept):
    targets, alpha = Targets(Y, WEIGHTS[weight], intercept), 0.1
    w = targets.weight[:, None]
    answer = solve_ridge(factorised(targets.scale(K.copy()), alpha), targets, alpha)
    proof = certify_ridge(targets, answer, alpha, K @ answer.coef, psd=True)
    assert proof.converged
    assert proof.residual < 1e-10
    assert_allclose(proof.primal, proof.dual, rtol=1e-12)
    noise = rng.normal(size=Y.shape)
    moved = Expansion(answer.coef + 0.1 * (noise - noise.mean(axis=0)), answer.intercept)
    worse = certify_ridge(targets, moved, alpha, K @ moved.coef, psd=True)
    a = moved.coef
    primal = np.sum(w * (Y - K @ a - moved.intercept) ** 2) + alpha * np.sum(a * (K @ a))
    dual = alpha * np.sum(2.0 * a * Y - a * (K @ a + alpha * a / w))
    assert_allclose([worse.primal, worse.dual], [primal, dual], rtol=1e-8)
    assert worse.dual <= proof.dual <= proof.primal <= worse.primal
    assert not worse.converged
    assert "within" in str(proof)


def test_a_proof_for_a_kernel_that_is_not_positive_claims_no_minimum():
    targets = Targets(Y, np.ones(n))
    answer = solve_ridge(Spectrum.of_matrix(K.copy()), targets, 0.1)
    assert "stationary" in str(certify_ridge(targets, answer, 0.1, K @ answer.coef, psd=False))


def test_an_unbalanced_answer_is_no_answer_with_an_intercept():
    targets = Targets(Y, np.ones(n), True)
    answer = solve_ridge(factorised(K.copy(), 0.1), Targets(Y, np.ones(n)), 0.1)
    assert not certify_ridge(targets, answer, 0.1, K @ answer.coef).converged


@pytest.mark.parametrize("alpha", [-1.0, np.nan, np.inf, "x", [], [[1.0]], [1.0, -2.0]])
def test_an_alpha_that_is_no_penalty_is_refused_M10(alpha):
    with pytest.raises(ValueError, match="alpha must be a number >= 0"):
        checked_alphas("KernelRidge", alpha)
