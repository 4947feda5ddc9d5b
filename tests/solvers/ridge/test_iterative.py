"""Ridge regression by conjugate gradients: the answer of a factor, from products with a Gram that is not stored."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer import KernelRidge, LazyGram
from mercer.kernels import RBF, Exponential, Laplacian
from mercer.linalg.partial_cholesky import partial_cholesky, partial_factor
from mercer.solvers.ridge import Iterated, Targets, solve_ridge
from mercer.solvers.ridge.iterative import Preconditioner

rng = np.random.default_rng(3)
X = rng.normal(size=(150, 4))
Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]])
weight = rng.uniform(0.1, 3.0, size=150)


@pytest.mark.parametrize(
    "kernel", [RBF(1.5), Exponential(2.0), Laplacian(3.0)], ids=["rbf", "exponential", "laplacian"]
)
@pytest.mark.parametrize("alpha", [1e-3, 1.0])
@pytest.mark.parametrize("intercept", [False, True])
def test_it_is_the_solution_of_the_normal_equations(kernel, alpha, intercept):
    targets = Targets(Y, weight, intercept)
    K = kernel(X)
    found = solve_ridge(Iterated(LazyGram(kernel, X), targets.s), targets, alpha)
    rho = Y - found.intercept - K @ found.coef - alpha * found.coef / weight[:, None]
    assert np.abs(rho).max() < 1e-5 * np.abs(Y).max()
    exact = KernelRidge(alpha, kernel=kernel, fit_intercept=intercept).fit(X, Y, weight)
    assert_allclose(K @ found.coef + found.intercept, exact.predict(X), atol=1e-4)


def test_as_a_solver_of_kernel_ridge_it_is_certified_and_leaves_one_out():
    exact, ours = (
        KernelRidge(0.1, kernel=RBF(1.0), fit_intercept=True, solver=s).fit(X, Y) for s in ("dual", "iterative")
    )
    assert ours.solver_ == "iterative"
    assert ours.certificate_.converged
    assert ours.certificate_.relative_gap < 1e-9
    assert_allclose(ours.predict(X[:20] + 0.1), exact.predict(X[:20] + 0.1), atol=1e-5)
    assert_allclose(ours.leave_one_out(), exact.leave_one_out(), atol=1e-5)


def test_every_alpha_has_its_solution_and_its_diagonal():
    kernel, s, alphas = RBF(1.0), np.sqrt(weight), np.array([0.1, 2.0])
    system, A = Iterated(LazyGram(kernel, X), s), kernel(X) * np.outer(s, s)
    for i, alpha in enumerate(alphas):
        M = A + alpha * np.eye(150)
        assert_allclose(system.solve(Y, alphas)[i], np.linalg.solve(M, Y), atol=1e-4)
        assert_allclose(system.inverse_diagonals(alphas)[i], np.diag(np.linalg.inv(M)), rtol=1e-8)


def test_the_preconditioner_is_the_inverse_of_its_low_rank_matrix():
    kernel, s = RBF(1.0), np.sqrt(weight)
    made = Preconditioner.of(LazyGram(kernel, X), s, 0.5)
    A = kernel(X) * np.outer(s, s)
    found = partial_cholesky(A, 150 // 8, 10.0)
    M = found.L @ found.L.T + made.m * np.eye(150)
    assert_allclose(made(Y.T), np.linalg.solve(M, Y).T, atol=1e-5)


def test_a_factor_from_rows_is_that_of_the_matrix():
    K = RBF(1.0)(X)
    whole, by_rows = partial_cholesky(K, 20, 0.0), partial_factor(lambda some: K[some], np.diag(K), 20, 0.0)
    assert (whole.L == by_rows.L).all()


def test_a_gram_in_single_precision_and_a_streamed_one_give_answers_of_double_precision():
    kernel, s = Exponential(2.0), np.sqrt(weight)
    M = kernel(X) * np.outer(s, s) + 1e-3 * np.eye(150)
    held = Iterated(LazyGram(kernel, X), s)
    with mercer.configure(memory=2**16):
        streamed = Iterated(LazyGram(kernel, X), s)
        assert streamed._stored is None
        answers = [streamed.solve(1e30 * Y, np.array([1e-3]))[0]]
    assert held._stored.dtype == np.float32
    answers.append(held.solve(1e30 * Y, np.array([1e-3]))[0])
    for answer in answers:
        assert np.abs(M @ answer / 1e30 - Y).max() < 1e-6 * np.abs(Y).max() * s.max()


def test_equal_items_and_targets_of_zero_are_taken():
    same = KernelRidge(0.5, kernel=RBF(1.0), solver="iterative").fit(np.zeros((20, 2)), np.arange(20.0))
    assert_allclose(same.predict(np.zeros((1, 2))), 190.0 / 20.5, rtol=1e-6)
    assert (KernelRidge(0.5, kernel=RBF(1.0), solver="iterative").fit(X, np.zeros(150)).predict(X) == 0.0).all()
