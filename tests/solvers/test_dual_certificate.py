"""The proof of a dual solution: weak duality on random points (T17), closed gaps (T18), and what is said else."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.solvers.machines import MACHINES, K, X, n, t, y

from mercer.estimators.svm.verify import project
from mercer.gram import StoredGram
from mercer.solvers.dual import one_class, solve, svc, svr
from mercer.solvers.dual.certificate import biases, certify, conjugate, objectives
from mercer.solvers.dual.optimality import conditions
from mercer.testing.quadratic_program import solve_qp

machines = pytest.mark.parametrize("name", MACHINES)
CORNERS, XOR = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]), np.array([1.0, 1.0, -1.0, -1.0])


def feasible(problem, rng):
    """A random point of the box with the prescribed sums, some of its entries at bounds or zero."""
    lo, hi = np.maximum(problem.lo, -3.0), np.minimum(problem.hi, 3.0)
    return project(lo + (hi - lo) * np.clip(rng.uniform(-0.5, 1.5, len(problem)), 0.0, 1.0), problem)


def offsets(problem, bias, margin):
    if not problem.bias:
        return np.zeros(len(problem))
    return np.full(len(problem), bias) if problem.second is None else bias + np.where(problem.second, -margin, margin)


@machines
def test_no_feasible_coefficients_pass_any_machine_T17(name):
    """dual(b) <= primal(w, bias, margin) for independent random b and (w, bias, margin)."""
    machine, rng = MACHINES[name], np.random.default_rng(1)
    p = machine.problem
    for _ in range(30):
        b = feasible(p, rng)
        _, dual = objectives(b, machine.gradient(b), p, np.zeros(len(b)))
        for _ in range(10):
            w = np.zeros(len(p))
            w[:n] = rng.normal(scale=rng.choice([0.1, 1.0, 5.0]), size=n)
            bias, margin = (rng.normal() if p.bias else 0.0), rng.exponential()
            assert dual <= machine.primal(w, bias, margin) + 1e-9


@machines
def test_both_values_enclose_the_optimum_of_the_quadratic_program_T17(name):
    machine, rng = MACHINES[name], np.random.default_rng(2)
    optimum = -(machine.scale**2) * solve_qp(machine.qp).primal
    for _ in range(50):
        b = feasible(machine.problem, rng)
        r = offsets(machine.problem, rng.normal(), rng.exponential())
        primal, dual = objectives(b, machine.gradient(b), machine.problem, r)
        assert dual <= optimum + 1e-6 * abs(optimum)
        assert optimum <= primal + 1e-6 * abs(optimum)


@machines
def test_the_primal_is_that_of_the_textbook_M16(name):
    machine, rng = MACHINES[name], np.random.default_rng(3)
    p = machine.problem
    for _ in range(20):
        b = feasible(p, rng)
        bias, margin = (rng.normal() if p.bias else 0.0), rng.exponential()
        primal, _ = objectives(b, machine.gradient(b), p, offsets(p, bias, margin))
        book = machine.primal(b, bias, margin)
        if np.isfinite(book):
            assert_allclose(primal, book, rtol=1e-10)
        else:
            assert primal == np.inf or name == "svc, hard"


@machines
def test_the_dual_is_the_objective_of_the_quadratic_program_M16(name):
    machine, rng = MACHINES[name], np.random.default_rng(4)
    sides = {"svc": lambda b: y * b, "svr": lambda b: np.r_[np.maximum(b, 0), np.maximum(-b, 0)], "one": lambda b: b}
    as_theirs = sides.get(name[:3], (lambda b: np.abs(b)))
    for _ in range(10):
        b = feasible(machine.problem, rng)
        _, dual = objectives(b, machine.gradient(b), machine.problem, np.zeros(len(b)))
        assert_allclose(-dual, machine.scale**2 * machine.qp.objective(as_theirs(b) / machine.scale), rtol=1e-10)


@machines
def test_the_loss_is_the_best_of_the_box_T17(name):
    """theta_P: the largest Lagrangian over the box, found here by trying."""
    p, rng = MACHINES[name].problem, np.random.default_rng(5)
    s = rng.normal(size=len(p))
    ridge = p.ridge if len(p.ridge) else np.zeros(len(p))
    c = np.linspace(np.maximum(p.lo, -50.0), np.minimum(p.hi, 50.0), 20_001)
    tried = (c * s - p.epsilon * np.abs(c) - 0.5 * ridge * c**2).max(axis=0)
    found = conjugate(s, p)
    finite = np.isfinite(found)
    assert_allclose(found[finite], tried[finite], rtol=1e-3, atol=1e-3)
    assert finite.all() or name == "svc, hard"
    assert (tried[~finite] > 1e-2).all()


def test_the_gap_is_never_negative_even_where_the_dual_is_no_bound_T18():
    """gap = sum of loss + conjugate - b t, each >= 0: without positivity it still measures stationarity."""
    rng = np.random.default_rng(6)
    A = rng.normal(size=(n, n))
    indefinite = (A + A.T) / 2.0
    for problem in (svc(y, 1.0), svr(t, 1.0, 0.1)):
        for _ in range(20):
            b = feasible(problem, rng)
            F = indefinite @ b - problem.z
            primal, dual = objectives(b, F, problem, biases(b, F, problem)[0])
            assert primal >= dual - 1e-9


@machines
def test_the_gap_closes_as_the_tolerance_falls_T18(name):
    machine = MACHINES[name]
    gram = StoredGram(machine.K).sub(np.tile(np.arange(n), len(machine.problem) // n))
    optimum = -(machine.scale**2) * solve_qp(machine.qp).primal
    gaps = []
    for tol in (1e-1, 1e-3, 1e-6):
        found = solve(gram, machine.problem, tol=tol)
        assert found.converged
        assert found.violation <= tol
        assert found.dual <= optimum + 1e-6 * abs(optimum)
        assert optimum <= found.primal + 1e-6 * abs(optimum)
        gaps.append(found.gap)
    assert gaps[2] <= 1e-6 * abs(optimum) + 1e-12
    assert gaps[2] <= gaps[0] + 1e-9


@machines
def test_another_bias_widens_the_gap_T18(name):
    machine = MACHINES[name]
    p = machine.problem
    gram = StoredGram(machine.K).sub(np.tile(np.arange(n), len(p) // n))
    found = solve(gram, p, tol=1e-7)
    r = offsets(p, found.bias + 0.5, found.margin) if p.bias else np.full(len(p), 0.5)
    assert objectives(found.coef, found.gradient, p, r)[0] > found.primal + 1e-6


def test_a_hard_margin_has_a_finite_primal_whenever_w_separates_M15():
    X2 = np.random.default_rng(0).normal(size=(30, 2)) + 3.0 * np.repeat([[1.0], [-1.0]], 15, axis=0)
    labels = np.repeat([1.0, -1.0], 15)
    found = solve(StoredGram(X2 @ X2.T), svc(labels, np.inf), tol=1e-2)
    w = X2.T @ found.coef
    margin = (labels * (X2 @ w + found.bias)).min()
    assert 0.0 < margin < 1.0  # the tolerance lets samples in, so w as it is would be infeasible
    assert_allclose(found.primal, 0.5 * w @ w / margin**2, rtol=1e-9)
    exact = solve(StoredGram(X2 @ X2.T), svc(labels, np.inf), tol=1e-9)
    assert found.dual <= exact.primal + 1e-9
    assert exact.dual <= found.primal + 1e-9


def test_a_hard_margin_between_inseparable_classes_is_called_unbounded_T21():
    found = solve(StoredGram(CORNERS @ CORNERS.T), svc(XOR, np.inf))
    assert not found.converged
    assert found.reason == "unbounded"
    assert found.primal == np.inf


def test_a_hard_tube_that_is_left_has_no_finite_primal_M26():
    """Scaling w up cures a margin, not a residual."""
    p = svr(0.1 * t, np.inf, 0.0)
    b = np.zeros(n)
    b[0], b[1] = 0.01, -0.01
    assert certify(b, K @ b - p.z, p, tol=1e-3, n_iter=0, reason="max_iter").primal == np.inf


def test_without_free_support_vectors_the_bias_is_the_middle_of_its_interval_M16():
    balanced = np.where(np.argsort(np.argsort(X[:, 0])) < n // 2, -1.0, 1.0)
    found = solve(StoredGram(K), svc(balanced, 1e-2), tol=1e-9)
    assert (np.abs(found.coef) == 1e-2).all()  # all held at C: y (g + bias) <= 1 for every sample
    ends = balanced - K @ found.coef
    low, high = ends[balanced < 0].max(), ends[balanced > 0].min()
    assert low < high
    assert_allclose(found.bias, 0.5 * (low + high))


def test_a_free_support_vector_alone_gives_the_bias_M16():
    p = MACHINES["svc"].problem
    found = solve(StoredGram(K), p, tol=1e-10)
    free = (found.coef != 0.0) & (np.abs(found.coef) < 2.0)
    assert_allclose(found.bias, (y - K @ found.coef)[free], atol=1e-8)


def test_certify_says_how_it_ended():
    p = svc(y, 1.0)
    b = np.zeros(n)
    early = certify(b, -p.z, p, tol=1e-3, n_iter=5, reason="time_limit")
    assert not early.converged
    assert early.reason == "time_limit"
    assert early.n_iter == 5
    assert_allclose(early.dual, 0.0)
    assert early.violation == 2.0
    assert certify(b, -p.z, p, tol=2.0, n_iter=5, reason="time_limit").reason == "converged"


def test_the_violation_is_zero_only_at_optima_T19():
    p = MACHINES["svc"].problem
    found = solve(StoredGram(K), p, tol=1e-10)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-1):
        b = project(found.coef + size * rng.normal(size=n) * (found.coef != 0.0), p)
        assert conditions(b, K @ b - p.z, p).violation > 100.0 * max(found.violation, 1e-10)


def test_duplicates_with_opposite_labels_share_a_finite_optimum_M15():
    twice, labels = np.vstack([X, X]), np.concatenate([y, -y])
    G = np.exp(-0.5 * ((twice[:, None] - twice) ** 2).sum(axis=2))
    found = solve(StoredGram(G), svc(labels, 3.0), tol=1e-8)
    assert found.converged
    assert_allclose(found.primal, 3.0 * 2 * n, rtol=1e-8)  # f = 0 is best: every sample loses 1
    assert_allclose(G @ found.coef, 0.0, atol=1e-6)
    assert solve(StoredGram(G), svc(labels, np.inf)).reason == "unbounded"


def test_one_class_counts_its_outliers_T24():
    for nu in (0.1, 0.3, 0.6):
        found = solve(StoredGram(K), one_class(n, nu), tol=1e-8)
        f = K @ found.coef + found.bias
        assert (f < -1e-6).mean() <= nu + 1e-12
        assert nu <= (found.coef > 0.0).mean() + 1e-12


# ---- the best multiple of f


@machines
def test_the_best_multiple_of_f_bounds_the_optimum_and_is_the_best_T17(name):
    machine, rng = MACHINES[name], np.random.default_rng(7)
    p = machine.problem
    optimum = -(machine.scale**2) * solve_qp(machine.qp).primal
    for _ in range(20):
        b = feasible(p, rng)
        F, r = machine.gradient(b), offsets(p, 0.3 * rng.normal(), rng.exponential())
        plain, dual = objectives(b, F, p, r)
        best, same = objectives(b, F, p, r, multiples=True)
        assert same == dual
        assert max(dual, optimum) - 1e-6 * abs(optimum) <= best <= plain
        if p.start.any() or plain - dual <= 0.01 * max(abs(plain), abs(dual)):
            assert best == plain
            continue
        w2, f = float(b @ (F + p.z - p.ridge_times(b))), F + p.z - p.ridge_times(b) + r
        tried = [m * m / 2 * w2 + m * (r @ b) + conjugate(p.z - m * f, p).sum() for m in np.linspace(0.0, 2.0, 2001)]
        assert best <= min(plain, *tried) + 1e-9 * abs(best)
