"""Linear machines on explicit features (M18): the kernel machine's answer with its proof, in time linear in n (C7)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from mercer import StoredGram, configure
from mercer.engine.interrupts import one_fit
from mercer.solvers.dual import nu_svc, one_class, solve, svc, svr
from mercer.solvers.linear_svm import best_bias, solve_linear

rng = np.random.default_rng(11)
n = 80
X = rng.normal(size=(n, 4)) + np.array([0.0, 2.0, 0.0, -1.0])
y = np.where(X[:, 0] + 0.7 * rng.normal(size=n) > 0.2, 1.0, -1.0)
t = X @ [1.0, -0.5, 0.0, 0.2] + 0.4 * rng.normal(size=n)
C = rng.uniform(0.1, 3.0, n)

PROBLEMS = {
    "svc": svc(y, 1.0),
    "svc, small C": svc(y, 1e-3),
    "svc, large C": svc(y, 1e3),
    "svc, a C for each": svc(y, C),
    "svc, some left out": svc(y, np.where(np.arange(n) % 3, C, 0.0)),
    "svc, no bias": svc(y, 1.0, bias=False),
    "svc, squared": svc(y, 1.0, squared=True),
    "svr": svr(t, 1.0, 0.1),
    "svr, no tube": svr(t, 1.0, 0.0),
    "svr, a C for each": svr(t, C, 0.2),
    "svr, no bias": svr(t, 1.0, 0.1, bias=False),
    "svr, squared": svr(t, 1.0, 0.1, squared=True),
}


def separated(n, seed=0, d=5):
    """Two overlapping clouds."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    return rng.normal(size=(n, d)) + 0.7 * y[:, None] * np.eye(d)[0], y


def loss(problem, f):
    """The losses of the textbook at the scores f."""
    slack = np.maximum(np.where(problem.epsilon or (problem.lo < 0).all(), abs(problem.z - f) - problem.epsilon,
                                1.0 - problem.z * f), 0.0)  # fmt: skip
    if len(problem.ridge):
        return float((slack**2 / (2.0 * problem.ridge)).sum())
    return float((np.maximum(problem.hi, -problem.lo) * slack).sum())


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("name", PROBLEMS)
def test_it_finds_what_the_kernel_machine_finds_M18(name, form):
    problem = PROBLEMS[name]
    ours = solve_linear(form(X), problem, tol=1e-6)
    kernel = solve(StoredGram(X @ X.T), problem, tol=1e-5, max_iter=10**6)
    assert ours.converged
    assert kernel.converged
    assert_allclose(ours.dual, kernel.dual, rtol=1e-6)
    assert_allclose(X @ ours.w + ours.bias, X @ (X.T @ kernel.coef) + kernel.bias, atol=1e-3)


@pytest.mark.parametrize("name", PROBLEMS)
def test_its_proof_can_be_recomputed_from_w_and_the_coefficients_M18(name):
    problem = PROBLEMS[name]
    s = solve_linear(X, problem, tol=1e-6)
    f = X @ s.w + s.bias
    assert_allclose(s.primal, 0.5 * s.w @ s.w + loss(problem, f), rtol=1e-12)
    norm2 = np.sum((X.T @ s.coef) ** 2) + float(np.sum(problem.ridge_times(s.coef) * s.coef))
    assert_allclose(s.dual, problem.z @ s.coef - problem.epsilon * abs(s.coef).sum() - 0.5 * norm2, rtol=1e-9)
    assert s.dual <= s.primal * (1.0 + 1e-12)
    assert s.gap <= 1e-6 * s.primal
    assert (s.coef >= problem.lo).all()
    assert (s.coef <= problem.hi).all()
    assert problem.bias or s.bias == 0.0
    assert not problem.bias or abs(s.coef.sum()) <= 1e-12 * abs(s.coef).sum()
    assert_allclose(s.w, X.T @ s.coef, atol=1e-5 * (1.0 + np.linalg.norm(s.w)))
    assert_allclose(s.gradient, X @ s.w - problem.z + problem.ridge_times(s.coef), atol=1e-9)


def test_the_intercept_is_not_penalised_so_a_shift_changes_nothing_else_M18():
    """liblinear's objective would move w; here only the intercept follows the shift."""
    near, far = (solve_linear(Z, svc(y, 1.0), tol=1e-8) for Z in (X, X + 100.0))
    assert_allclose(far.primal, near.primal, rtol=1e-9)
    assert_allclose(far.w, near.w, rtol=1e-6)
    assert_allclose(far.bias, near.bias - 100.0 * near.w.sum(), rtol=1e-6)


def test_few_coefficients_are_free_and_the_others_sit_exactly_on_a_bound_M18():
    s = solve_linear(X, svc(y, 1.0), tol=1e-8)
    free = (s.coef != 0.0) & (abs(s.coef) < 1.0)
    assert 1 <= free.sum() <= X.shape[1] + 1
    assert_allclose(y[free] * (X[free] @ s.w + s.bias), 1.0, atol=1e-7)


def test_the_work_is_linear_in_n_C7():
    """The number of passes over X does not grow with n, so the work n * passes has an exponent near 1."""
    sizes = np.array([1000, 4000, 16000])
    runs = [solve_linear(*_problem(size), tol=1e-4) for size in sizes]
    assert all(run.converged for run in runs)
    exponent = np.polyfit(np.log(sizes), np.log([size * run.passes for size, run in zip(sizes, runs, strict=True)]), 1)[
        0
    ]
    assert 0.6 <= exponent <= 1.3
    assert max(run.passes for run in runs) < 200


def _problem(size, C=1.0):
    Z, labels = separated(size)
    return Z, svc(labels, C)


def test_a_large_C_costs_little_more_than_a_small_one_M18():
    steps = [solve_linear(*_problem(2000, C), tol=1e-5).n_iter for C in (1e-2, 1.0, 1e2, 1e6)]
    assert max(steps) <= 4 * min(steps) + 20


def test_it_starts_from_given_coefficients():
    Z, problem = _problem(2000)
    cold = solve_linear(Z, problem, tol=1e-5)
    assert solve_linear(Z, problem, tol=1e-4, start=cold.coef).n_iter == 0
    again = solve_linear(Z, svc(problem.z, 1.05), tol=1e-5, start=1.05 * cold.coef)
    assert again.converged
    assert again.n_iter < cold.n_iter


def test_limits_end_it_with_a_usable_answer_and_an_honest_gap():
    Z, problem = _problem(2000)
    best = solve_linear(Z, problem, tol=1e-8)
    for limits, reason in [({"max_iter": 3}, "max_iter"), ({"time_limit": 0.0}, "time_limit")]:
        s = solve_linear(Z, problem, **limits)
        assert (s.reason, s.converged) == (reason, False)
        assert s.dual <= best.primal
        assert s.primal >= best.dual
        assert abs(s.coef.sum()) < 1e-9
    assert solve_linear(Z, problem, max_iter=3).n_iter == 3


def test_an_interrupt_leaves_the_best_answer_so_far():
    seen = []

    def interrupt(free, violation, dual):
        seen.append(dual)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with one_fit(object()):
        s = solve_linear(X, svc(y, 1.0), tol=1e-9, progress=interrupt)
    assert s.reason == "interrupted"
    assert s.dual == max(seen)
    assert [dual for *_, dual in s.trace] == seen


def test_equal_calls_give_equal_answers_on_any_number_of_threads():
    answers = []
    for threads in (1, 2):
        with configure(threads=threads):
            answers.append(solve_linear(X, svc(y, 1.0)))
    assert_allclose(answers[0].w, answers[1].w, rtol=0.0)
    assert_allclose(answers[0].coef, answers[1].coef, rtol=0.0)


def test_single_precision_data_are_solved_in_double():
    s = solve_linear(X.astype(np.float32), svc(y, 1.0), tol=1e-8)
    assert s.w.dtype == np.float64
    assert s.gap <= 1e-8 * s.primal


@pytest.mark.parametrize("C", [1.0, 1e6])
@pytest.mark.parametrize("case", ["columns of 1e6", "far away", "constant column", "duplicates", "wide", "all zero"])
def test_hard_data_end_with_a_closed_gap_M18(case, C):
    Z, labels = X.copy(), y
    if case == "columns of 1e6":
        Z = Z * [1e6, 1.0, 1e-3, 1.0]
    elif case == "far away":
        Z = Z + 1e4
    elif case == "constant column":
        Z[:, 1] = 7.0
    elif case == "duplicates":
        Z, labels = np.vstack([Z] * 5 + [Z]), np.concatenate([y] * 5 + [-y])
    elif case == "wide":
        Z = rng.normal(size=(n, 300))
    else:
        Z = np.zeros_like(Z)
    s = solve_linear(Z, svc(labels, C))
    assert s.converged
    assert 0.0 <= s.gap + 1e-9 * s.primal <= 2e-3 * s.primal


def test_a_tube_wider_than_the_targets_gives_a_constant_M26():
    s = solve_linear(X, svr(t, 1.0, epsilon=2.0 * np.ptp(t)))
    assert (s.primal, s.dual) == (0.0, 0.0)
    assert not s.w.any()


def test_two_points_have_the_textbook_answer_M26():
    """(-1, -1) and (1, 1) with epsilon 0.1 and a large C: w = 0.9, b = 0, coefficients -0.45 and 0.45."""
    s = solve_linear(np.array([[-1.0], [1.0]]), svr(np.array([-1.0, 1.0]), 100.0, 0.1), tol=1e-8)
    assert_allclose([*s.w, s.bias, *s.coef], [0.9, 0.0, -0.45, 0.45], atol=1e-6)


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.3]), st.booleans())
@settings(max_examples=40)
def test_the_bias_minimises_the_primal_exactly(seed, epsilon, whole):
    """No other r is better, on whole numbers with many ties too; of an interval of minima it is the middle."""
    rng = np.random.default_rng(seed)
    u = rng.integers(-3, 4, 9).astype(float) if whole else rng.normal(size=9)
    targets = rng.integers(-3, 4, 9).astype(float)
    C = rng.integers(0, 3, 9).astype(float)
    problem = svr(targets, C, epsilon)

    def primal(r):
        return float((C * np.maximum(abs(targets - u - r) - epsilon, 0.0)).sum())

    r = best_bias(u, problem)
    kinks = np.concatenate([targets - u - epsilon, targets - u + epsilon])
    lowest = min(map(primal, kinks))
    assert primal(r) <= lowest + 1e-12
    if (C > 0.0).any():
        flat = [k for k in kinks if primal(k) <= lowest + 1e-12]
        assert_allclose(r, 0.5 * (min(flat) + max(flat)), atol=1e-9)


def test_the_bias_of_squared_slacks_balances_them():
    problem, u = svr(t, C, 0.1, squared=True), X[:, 0]
    r = best_bias(u, problem)
    slack = t - u - r
    assert_allclose((C * np.sign(slack) * np.maximum(abs(slack) - 0.1, 0.0)).sum(), 0.0, atol=1e-9)


@given(st.integers(0, 10**6))
@settings(max_examples=40)
def test_feasible_coefficients_lie_in_the_box_and_sum_to_zero(seed):
    rng = np.random.default_rng(seed)
    labels = np.where(np.arange(12) < rng.integers(1, 12), 1.0, -1.0)
    problem = svc(labels, rng.uniform(0.1, 2.0, 12))
    b = problem.feasible(rng.normal(size=12) * 3.0)
    assert (b >= problem.lo).all()
    assert (b <= problem.hi).all()
    assert abs(b.sum()) < 1e-12
    assert_allclose(problem.feasible(b), b, atol=1e-12)


def test_feasible_moves_free_coefficients_only_while_they_can_take_it():
    problem = svc(np.array([1.0, 1.0, -1.0, -1.0]), 1.0)
    assert_allclose(problem.feasible(np.array([1.0, 0.5, 0.0, -1.0])), [1.0, 0.0, 0.0, -1.0], atol=1e-15)


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (nu_svc(y, 0.2), "single sum of coefficients"),
        (svc(y, np.inf), "finite"),
        (svc(y[1:], 1.0), "one row per label"),
    ],
)
def test_what_it_cannot_solve_is_refused_at_once(problem, said):
    with pytest.raises(ValueError, match=said):
        solve_linear(X, problem)


@pytest.mark.parametrize("nu", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("shift", [0.0, 1.0, 30.0])
def test_one_class_is_solved_on_the_features_with_the_same_answer(nu, shift):
    Z = X + shift
    problem = one_class(n, nu)
    ours, kernel = solve_linear(Z, problem, tol=1e-6), solve(StoredGram(Z @ Z.T), problem, tol=1e-6)
    assert ours.converged
    size = max(abs(kernel.dual), 1e-3)
    assert_allclose(ours.dual, kernel.dual, atol=1e-5 * size)
    assert_allclose(ours.primal, kernel.primal, atol=1e-4 * size)
    assert_allclose(ours.coef.sum(), nu * n, rtol=1e-10)
    assert ((ours.coef >= 0.0) & (ours.coef <= 1.0)).all()
    assert_allclose(Z @ ours.w + ours.bias, Z @ Z.T @ kernel.coef + kernel.bias, atol=1e-3 * np.sqrt(size))
