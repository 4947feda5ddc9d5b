"""Convex QPs with certificates (M36), weak and strong duality (T17, T18), KKT residuals (T19), sizes (T34)."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog, minimize

from mercer.errors import NotPositiveDefinite
from mercer.testing.quadratic_program import QP, solve_qp
from mercer.testing.svm_programs import (
    nu_svc_dual,
    nu_svr_dual,
    one_class_dual,
    svc_dual,
    svc_primal,
    svr_dual,
    svr_primal,
)

rng = np.random.default_rng(3)
X = rng.normal(size=(24, 3))
y = np.where(X[:, 0] + 0.8 * rng.normal(size=24) > 0.0, 1.0, -1.0)
z = X[:, 0] ** 2 + 0.3 * rng.normal(size=24)
K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))

CORNERS = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
XOR = np.array([1.0, 1.0, -1.0, -1.0])

MACHINES = {
    "svc": svc_dual(K, y, 2.0),
    "hard svc": svc_dual(K, y, np.inf),
    "svc primal": svc_primal(X, y, 2.0),
    "nu svc": nu_svc_dual(K, y, 0.4),
    "svr": svr_dual(K, z, 3.0, 0.1),
    "svr primal": svr_primal(X, z, 3.0, 0.1),
    "nu svr": nu_svr_dual(K, z, 30.0, 0.3),
    "one class": one_class_dual(K, 0.3),
}


def random_qp(seed, rank):
    """A feasible QP in 6 variables with 8 inequalities and 2 equalities, P of the given rank."""
    rng = np.random.default_rng(seed)
    F, inside = rng.normal(size=(rank, 6)), rng.normal(size=6)
    G = np.vstack([rng.normal(size=(8, 6)), np.eye(6), -np.eye(6)])  # the box keeps it bounded
    A = rng.normal(size=(2, 6))
    return QP(F.T @ F, rng.normal(size=6), G, G @ inside + rng.uniform(0.0, 2.0, 20), A, A @ inside)


@pytest.mark.parametrize("rank", [6, 3, 1])
@pytest.mark.parametrize("seed", range(3))
def test_it_agrees_with_scipy_on_random_problems_M36(seed, rank):
    qp = random_qp(seed, rank)
    limits = [
        {"type": "ineq", "fun": lambda x: qp.h - qp.G @ x, "jac": lambda x: -qp.G},
        {"type": "eq", "fun": lambda x: qp.A @ x - qp.b, "jac": lambda x: qp.A},
    ]
    rival = minimize(
        qp.objective,
        np.zeros(6),
        method="SLSQP",
        jac=lambda x: qp.P @ x + qp.q,
        constraints=limits,
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    ours = solve_qp(qp)
    assert ours.converged
    assert ours.reason == "converged"
    assert_allclose(ours.primal, rival.fun, rtol=1e-7, atol=1e-7)
    assert_allclose(ours.x @ qp.P @ ours.x, rival.x @ qp.P @ rival.x, rtol=1e-4, atol=1e-6)


def test_a_linear_program_is_a_qp_without_curvature_M36():
    qp = random_qp(0, 3)
    lp = QP(np.zeros((6, 6)), qp.q, qp.G, qp.h, qp.A, qp.b)
    rival = linprog(qp.q, A_ub=qp.G, b_ub=qp.h, A_eq=qp.A, b_eq=qp.b, bounds=(None, None))
    assert_allclose(solve_qp(lp).primal, rival.fun, rtol=1e-9)


def test_redundant_rows_change_nothing_M36():
    qp = random_qp(1, 4)
    twice = QP(qp.P, qp.q, np.vstack([qp.G, 2.0 * qp.G]), np.r_[qp.h, 2.0 * qp.h],
               np.vstack([qp.A, qp.A.sum(axis=0)]), np.r_[qp.b, qp.b.sum()])  # fmt: skip
    once, again = solve_qp(qp), solve_qp(twice)
    assert again.converged
    assert_allclose(again.primal, once.primal, rtol=1e-9)


def test_without_constraints_it_solves_the_normal_equations_M36():
    P, q = K + np.eye(24), z
    found = solve_qp(QP(P, q))
    assert_allclose(found.x, -np.linalg.solve(P, q), atol=1e-9)
    assert found.inequality.shape == found.equality.shape == (0,)


@pytest.mark.parametrize("name", MACHINES)
def test_every_machine_comes_with_a_closed_gap_T18(name):
    found = solve_qp(MACHINES[name])
    assert found.converged
    assert abs(found.gap) <= 1e-8 * (1.0 + abs(found.primal))
    assert found.kkt.worst <= 1e-8


def balanced(seed, sign, C):
    """Random a with 0 <= a <= C and sign'a = 0."""
    a = np.random.default_rng(seed).uniform(0.0, C, len(sign))
    up, down = a[sign > 0].sum(), a[sign < 0].sum()
    return a * np.where(sign > 0, min(1.0, down / up), min(1.0, up / down))


@pytest.mark.parametrize("seed", range(10))
def test_no_dual_point_of_an_svc_passes_a_primal_one_T17(seed):
    """inf_x L is sum a - 1/2 |sum a_i y_i x_i|^2 at the multipliers (a, C - a), and at most every primal value."""
    primal, C = svc_primal(X, y, 2.0), 2.0
    a = balanced(seed, y, C)
    bound = primal.dual_objective(np.r_[a, C - a], np.empty(0))
    assert_allclose(bound, -svc_dual(X @ X.T, y, C).objective(a), rtol=1e-9)
    w, b = np.random.default_rng(seed).normal(size=3), 0.1 * seed
    assert bound <= primal.objective(np.r_[w, b, np.maximum(0.0, 1.0 - y * (X @ w + b))])


@pytest.mark.parametrize("seed", range(10))
def test_no_dual_point_of_an_svr_passes_a_primal_one_T17(seed):
    primal, C = svr_primal(X, z, 3.0, 0.1), 3.0
    a = balanced(seed, np.repeat([1.0, -1.0], 24), C)
    bound = primal.dual_objective(np.r_[a, C - a], np.empty(0))
    assert_allclose(bound, -svr_dual(X @ X.T, z, C, 0.1).objective(a), rtol=1e-9)
    w, b = np.random.default_rng(seed).normal(size=3), 0.1 * seed
    f = X @ w + b
    slack = np.maximum(0.0, np.r_[z - f - 0.1, f - z - 0.1])
    assert bound <= primal.objective(np.r_[w, b, slack])


def test_a_dual_point_that_breaks_stationarity_bounds_nothing_T17():
    primal = svc_primal(X, y, 2.0)
    assert primal.dual_objective(np.ones(48) * 0.9, np.empty(0)) == -np.inf


def test_the_dual_of_kernel_ridge_never_passes_its_primal_T17():
    """min 1/2 |r|^2 + lam/2 a'Ka subject to r + Ka = z: G(v) <= f for every v, with equality at the optimum."""
    n, lam = len(z), 0.3
    P = np.diag(np.repeat([0.0, 1.0], n))
    P[:n, :n] = lam * K
    ridge = QP(P, np.zeros(2 * n), A=np.hstack([K, np.eye(n)]), b=z)
    a = np.linalg.solve(K + lam * np.eye(n), z)
    optimum = 0.5 * lam * z @ a
    rng = np.random.default_rng(2)
    for _ in range(10):
        any_a, v = rng.normal(size=n), K @ rng.normal(size=n)
        bound = ridge.dual_objective(np.empty(0), v)
        assert bound <= optimum + 1e-9 <= ridge.objective(np.r_[any_a, z - K @ any_a]) + 2e-9
    assert_allclose(ridge.dual_objective(np.empty(0), -lam * a), optimum, rtol=1e-6)
    assert_allclose(solve_qp(ridge).primal, optimum, rtol=1e-8)


def test_a_non_convex_program_has_no_bound_and_is_refused_T18():
    """min -x^2 on [0, 1]: p* = -1 at x = 1, d* = -inf."""
    qp = QP([[-2.0]], [0.0], [[-1.0], [1.0]], [0.0, 1.0])
    assert qp.objective(np.ones(1)) == -1.0
    for u in np.random.default_rng(0).exponential(10.0, size=(20, 2)):
        assert qp.dual_objective(u, np.empty(0)) == -np.inf
    with pytest.raises(NotPositiveDefinite, match="smallest eigenvalue -2"):
        solve_qp(qp)


def test_a_convex_program_without_slater_point_may_keep_a_gap_T18():
    """min exp(-x) subject to x^2 / t <= 0, t > 0: only x = 0 is feasible, so p* = 1; inf L = 0 for every u."""
    x = 10.0 ** np.arange(0.0, 7.0)
    for u in (0.0, 1.0, 100.0):
        lagrangian = np.exp(-x) + u * x**2 / x**4
        assert (lagrangian >= 0.0).all()
        assert lagrangian.min() < 1e-9


def test_linear_constraints_need_no_slater_point_T18():
    """x <= 0 and -x <= 0 have no interior, yet the gap closes; with x^2 <= 0 in their place it would not."""
    found = solve_qp(QP([[1.0, 0.0], [0.0, 0.0]], [1.0, 1.0], [[1.0, 0.0], [-1.0, 0.0], [0.0, -1.0]], [0.0, 0.0, 0.0]))
    assert found.converged
    assert_allclose([found.primal, found.dual], 0.0, atol=1e-9)


@pytest.mark.parametrize("name", MACHINES)
def test_moving_the_solution_raises_a_residual_T19(name):
    qp, found = MACHINES[name], solve_qp(MACHINES[name])
    rng = np.random.default_rng(1)
    for size in (1e-4, 1e-2):
        x = found.x + size * rng.normal(size=len(found.x))
        assert qp.kkt(x, found.inequality, found.equality).worst > 100.0 * found.kkt.worst
        u = found.inequality - size * rng.uniform(0.5, 1.0, len(found.inequality))
        moved = qp.kkt(found.x, u, found.equality)
        assert min(moved.worst, moved.stationarity + moved.dual) > 100.0 * found.kkt.worst


def test_each_condition_has_its_own_residual_T19():
    """min 1/2 x^2 subject to x <= 1, whose optimum is x = 0 with u = 0."""
    qp, none = QP([[1.0]], [0.0], [[1.0]], [1.0]), np.empty(0)
    broken = {"stationarity": (0.5, 0.0), "primal": (2.0, -2.0), "dual": (0.5, -0.5), "complementarity": (-1.0, 1.0)}
    assert qp.kkt(np.zeros(1), np.zeros(1), none).worst == 0.0
    for name, (x, u) in broken.items():
        assert getattr(qp.kkt(np.array([x]), np.array([u]), none), name) > 0.1
    only = qp.kkt(np.array([-1.0]), np.array([1.0]), none)
    assert only.stationarity == only.primal == only.dual == 0.0


def test_three_points_by_hand_T21():
    points, labels = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1.0, 1.0, -1.0])
    dual = solve_qp(svc_dual(points @ points.T, labels, np.inf))
    primal = solve_qp(svc_primal(points, labels, np.inf))
    assert_allclose(dual.x, [0.25, 0.0, 0.25], atol=1e-9)
    assert_allclose(dual.equality, [-2.0], atol=1e-9)
    assert_allclose(primal.x, [0.5, 0.5, -2.0], atol=1e-9)
    assert_allclose(primal.inequality, dual.x, atol=1e-9)
    assert_allclose(primal.x[:2] @ primal.x[:2], dual.x.sum(), atol=1e-9)


def test_exclusive_or_with_a_quadratic_kernel_T21():
    found = solve_qp(svc_dual((1.0 + CORNERS @ CORNERS.T) ** 2, XOR, np.inf))
    assert_allclose(found.x, 1.0 / 8.0, atol=1e-9)
    assert_allclose(found.equality, 0.0, atol=1e-9)
    assert_allclose(-found.dual, 0.25, atol=1e-9)
    assert_allclose(1.0 / np.sqrt(found.x.sum()), np.sqrt(2.0), atol=1e-8)


def test_a_hard_margin_that_cannot_be_is_an_unbounded_dual_T21():
    qp = svc_dual(CORNERS @ CORNERS.T, XOR, np.inf)
    found = solve_qp(qp)
    assert found.reason == "unbounded"
    assert not found.converged
    assert found.primal == found.dual == -np.inf
    d = found.certificate
    assert_allclose(qp.q @ d, -1.0)
    assert_allclose(qp.P @ d, 0.0, atol=1e-7)
    assert_allclose(XOR @ d, 0.0, atol=1e-7)
    assert (d >= -1e-7).all()


def test_a_hard_margin_that_cannot_be_is_an_infeasible_primal_M36():
    qp = svc_primal(CORNERS, XOR, np.inf)
    found = solve_qp(qp)
    assert found.reason == "infeasible"
    assert found.primal == np.inf
    u = found.certificate
    assert (u >= 0.0).all()
    assert_allclose(qp.G.T @ u, 0.0, atol=1e-7)
    assert_allclose(qp.h @ u, -1.0)


def test_nu_beyond_twice_the_smaller_class_is_infeasible_M19():
    share = 2.0 * min((y > 0).mean(), (y < 0).mean())
    assert solve_qp(nu_svc_dual(K, y, share - 0.01)).converged
    assert solve_qp(nu_svc_dual(K, y, share + 0.01)).reason == "infeasible"


def test_primal_and_dual_svc_are_one_machine_M16():
    primal, dual = solve_qp(svc_primal(X, y, 2.0)), solve_qp(svc_dual(X @ X.T, y, 2.0))
    assert_allclose(primal.primal, -dual.primal, rtol=1e-8)
    assert_allclose(primal.x[:3], (dual.x * y) @ X, atol=1e-6)
    assert_allclose(primal.x[3], dual.equality[0], atol=1e-6)


def test_primal_and_dual_svr_are_one_machine_M26():
    primal, dual = solve_qp(svr_primal(X, z, 3.0, 0.1)), solve_qp(svr_dual(X @ X.T, z, 3.0, 0.1))
    assert_allclose(primal.primal, -dual.primal, rtol=1e-8)
    assert_allclose(primal.x[:3], (dual.x[:24] - dual.x[24:]) @ X, atol=1e-6)
    assert_allclose(primal.x[3], dual.equality[0], atol=1e-6)


def test_two_points_of_a_line_by_hand_M26():
    line = np.array([-1.0, 1.0])
    found = solve_qp(svr_dual(np.outer(line, line), line, 100.0, 0.1))
    assert_allclose(found.x[:2] - found.x[2:], [-0.45, 0.45], atol=1e-8)
    assert_allclose(found.equality, 0.0, atol=1e-7)


def test_nu_svr_gives_the_tube_that_svr_needs_M27():
    nu = solve_qp(nu_svr_dual(K, z, 30.0, 0.3))
    epsilon = nu.inequality[-1]
    assert epsilon > 0.0
    fixed = solve_qp(svr_dual(K, z, 30.0 / 24.0, epsilon))
    assert_allclose(K @ (nu.x[:24] - nu.x[24:]), K @ (fixed.x[:24] - fixed.x[24:]), atol=1e-5)
    assert_allclose(nu.equality, fixed.equality, atol=1e-5)


def test_nu_svc_is_a_rescaled_svc_M19():
    nu = solve_qp(nu_svc_dual(K, y, 0.4))
    rho = nu.inequality[-1]
    soft = solve_qp(svc_dual(K, y, 1.0 / (24.0 * rho)))
    assert_allclose(K @ (nu.x * y) / rho, K @ (soft.x * y), atol=1e-5)
    assert_allclose(nu.equality / rho, soft.equality, atol=1e-5)


def test_one_class_keeps_the_share_it_was_asked_for():
    found = solve_qp(one_class_dual(K, 0.3))
    inside = K @ found.x + found.equality  # f - rho
    assert (inside < -1e-6).mean() <= 0.3 <= (found.x > 1e-6).mean()


def test_a_bound_per_point_is_kept_M16():
    C = np.where(y > 0, 0.5, 4.0)
    found = solve_qp(svc_dual(K, y, C))
    assert (found.x <= C + 1e-9).all()
    assert_allclose(found.x[y > 0].max(), 0.5, atol=1e-8)


def test_problems_have_the_sizes_of_the_book_T34():
    n, D = X.shape
    assert svc_primal(X, y, 1.0).n_variables == n + D + 1
    assert svc_primal(X, y, 1.0).n_constraints == 2 * n
    assert svc_dual(K, y, 1.0).n_variables == n
    assert svr_primal(X, z, 1.0, 0.1).n_variables == 2 * n + D + 1
    assert svr_dual(K, z, 1.0, 0.1).n_variables == 2 * n


def test_a_wrong_shape_is_named():
    with pytest.raises(ValueError, match=r"QP: G must be of shape \(1, 2\); got \(1, 3\)"):
        QP(np.eye(2), np.zeros(2), np.zeros((1, 3)), np.zeros(1))
    with pytest.raises(ValueError, match="P must be symmetric"):
        QP([[1.0, 1.0], [0.0, 1.0]], np.zeros(2))
    with pytest.raises(ValueError, match="h must be finite"):
        QP(np.eye(1), np.zeros(1), np.eye(1), [np.inf])


def test_a_missing_solver_is_named_with_its_cure(monkeypatch):
    monkeypatch.setitem(sys.modules, "clarabel", None)
    with pytest.raises(ImportError, match="pip install clarabel"):
        solve_qp(QP(np.eye(2), np.zeros(2)))
