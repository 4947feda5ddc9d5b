"""What duality says of the machines: geometry (T20), the hard margin (T21), nu (T24, T25) and their maps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar
from tests.solvers.machines import K, n, t, y

from mercer.gram import LazyGram, StoredGram
from mercer.kernels import Linear, Polynomial
from mercer.solvers.dual import nu_svc, nu_svr, one_class, solve, svc, svr
from mercer.solvers.smo import smo
from mercer.testing.quadratic_program import QP, solve_qp
from mercer.testing.svm_programs import nu_svr_dual, svc_primal, svr_dual, svr_primal

rng = np.random.default_rng(11)
APART = rng.normal(size=(24, 2)) + np.where(np.arange(24)[:, None] % 2, [2.5, 1.5], [-2.5, -1.5])
SIDE = np.where(np.arange(24) % 2, 1.0, -1.0)


def hyperplane(points, labels, C=np.inf):
    """(w, b) of the linear machine, from the dual."""
    found = solve(LazyGram(Linear(), points), svc(labels, C), tol=1e-10)
    return points.T @ found.coef, found.bias


def unit(w, b):
    return np.append(w, b) / np.linalg.norm(w)


# ---- T20, E10: margins are distances


def test_three_programs_give_one_hyperplane_T20():
    """Widest geometric margin, widest functional margin over |w|, and smallest |w| with margin one."""
    w, b = hyperplane(APART, SIDE)
    canonical = svc_primal(APART, SIDE, np.inf)
    assert_allclose(solve_qp(canonical).x, np.append(w, b), atol=1e-6)
    functional = solve_qp(QP(canonical.P, canonical.q, canonical.G, 5.0 * canonical.h)).x  # y f >= 5
    assert_allclose(unit(functional[:2], functional[2]), unit(w, b), atol=1e-6)

    def best_bias(angle):
        f = APART @ [np.cos(angle), np.sin(angle)]
        low, high = f[SIDE < 0].max(), f[SIDE > 0].min()
        return -0.5 * (low + high), 0.5 * (high - low)

    around = np.arctan2(w[1], w[0])
    found = minimize_scalar(lambda a: -best_bias(a)[1], bounds=(around - 0.5, around + 0.5), options={"xatol": 1e-10})
    direction = np.array([np.cos(found.x), np.sin(found.x)])
    assert_allclose(np.append(direction, best_bias(found.x)[0]), unit(w, b), atol=1e-5)
    assert_allclose(-found.fun, 1.0 / np.linalg.norm(w), rtol=1e-8)


def test_a_point_is_its_projection_and_its_distance_T20():
    w, b = hyperplane(APART, SIDE)
    r = (APART @ w + b) / np.linalg.norm(w)
    feet = APART - r[:, None] * w / np.linalg.norm(w)
    assert_allclose(feet @ w + b, 0.0, atol=1e-12)
    assert_allclose(np.linalg.norm(APART - feet, axis=1), np.abs(r))
    for c in (0.1, 7.0):
        assert_allclose((APART @ (c * w) + c * b) / np.linalg.norm(c * w), r)


def test_support_vectors_are_nearest_at_one_over_the_norm_of_w_T20_E10():
    found = solve(LazyGram(Linear(), APART), svc(SIDE, np.inf), tol=1e-10)
    w = APART.T @ found.coef
    distance = SIDE * (APART @ w + found.bias) / np.linalg.norm(w)
    margin = 1.0 / np.linalg.norm(w)
    assert_allclose(distance[found.coef != 0.0], margin, rtol=1e-7)
    assert (distance >= margin * (1.0 - 1e-7)).all()
    sides = APART @ w / np.linalg.norm(w)
    assert_allclose(sides[SIDE > 0].min() - sides[SIDE < 0].max(), 2.0 * margin, rtol=1e-7)


def test_no_other_separating_plane_bears_a_larger_perturbation_M15_E10():
    w, b = hyperplane(APART, SIDE)
    tolerance = (SIDE * (APART @ w + b)).min() / np.linalg.norm(w)
    rng = np.random.default_rng(0)
    separating = 0
    for _ in range(300):
        v = w + 0.5 * np.linalg.norm(w) * rng.normal(size=2)
        for offset in np.linspace(-2.0, 2.0, 9) * np.linalg.norm(v):
            distances = SIDE * (APART @ v + offset) / np.linalg.norm(v)
            separating += distances.min() > 0.0
            assert distances.min() <= tolerance + 1e-9
    assert separating > 50


def test_a_sample_beyond_the_margin_may_move_freely_there_M15():
    found = solve(LazyGram(Linear(), APART), svc(SIDE, np.inf), tol=1e-10)
    w = APART.T @ found.coef
    far = int(np.argmax(SIDE * (APART @ w + found.bias)))
    moved = APART.copy()
    moved[far] += 0.3 * SIDE[far] * w / np.linalg.norm(w)
    again, bias = hyperplane(moved, SIDE)
    assert_allclose(np.append(again, bias), np.append(w, found.bias), atol=1e-7)


# ---- T21: the hard margin by hand

POINTS, LABELS = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1.0, 1.0, -1.0])
CORNERS, XOR = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]), np.array([1.0, 1.0, -1.0, -1.0])


def by_engine(kernel, points, labels):
    found = solve(LazyGram(kernel, points), svc(labels, np.inf), tol=1e-10)
    return labels * found.coef, found.bias, found.dual


def by_smo(kernel, points, labels):
    found = smo(kernel(points), labels, np.inf, tol=1e-10)
    return found.alpha, found.bias, found.dual


solvers = pytest.mark.parametrize("solver", [by_engine, by_smo])


@solvers
def test_three_points_by_hand_T21(solver):
    alpha, bias, dual = solver(Linear(), POINTS, LABELS)
    assert_allclose(alpha, [0.25, 0.0, 0.25], atol=1e-9)
    assert_allclose(POINTS.T @ (alpha * LABELS), [0.5, 0.5], atol=1e-9)
    assert_allclose([bias, dual], [-2.0, 0.25], atol=1e-9)


@solvers
def test_exclusive_or_with_a_quadratic_kernel_T21(solver):
    alpha, bias, dual = solver(Polynomial(2, offset=1.0), CORNERS, XOR)
    assert_allclose(alpha, 1.0 / 8.0, atol=1e-9)
    assert_allclose([bias, dual], [0.0, 0.25], atol=1e-9)
    assert_allclose(1.0 / np.sqrt(alpha.sum()), np.sqrt(2.0), atol=1e-8)  # the geometric margin


@solvers
def test_a_coefficient_means_a_sample_on_the_margin_T21(solver):
    alpha, bias, dual = solver(Linear(), APART, SIDE)
    w = APART.T @ (alpha * SIDE)
    margins = SIDE * (APART @ w + bias)
    assert_allclose(alpha * (margins - 1.0), 0.0, atol=1e-8)
    assert_allclose(margins[alpha > 1e-9], 1.0, atol=1e-8)
    assert_allclose([w @ w, 2.0 * dual], alpha.sum(), rtol=1e-8)
    assert_allclose(bias, np.mean((SIDE - APART @ w)[alpha > 1e-9]), atol=1e-8)


# ---- the linear machines and their primal programs


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
def test_the_linear_svc_is_its_primal_program_M16(C):
    points = APART * [0.3, 0.3]  # overlapping now
    w, b = hyperplane(points, SIDE, C)
    primal = solve_qp(svc_primal(points, SIDE, C))
    assert_allclose(np.append(w, b), primal.x[:3], atol=1e-5)
    slacks = np.maximum(0.0, 1.0 - SIDE * (points @ w + b))
    assert_allclose(primal.x[3:], slacks, atol=1e-5)


def test_the_linear_svr_is_its_primal_program_M26():
    target = APART[:, 0] - 0.5 * APART[:, 1] + 0.3 * np.random.default_rng(0).normal(size=24)
    found = solve(LazyGram(Linear(), APART), svr(target, 2.0, 0.2), tol=1e-10)
    primal = solve_qp(svr_primal(APART, target, 2.0, 0.2))
    assert_allclose(np.append(APART.T @ found.coef, found.bias), primal.x[:3], atol=1e-5)
    assert_allclose(found.primal, primal.primal, rtol=1e-7)


def test_two_points_of_a_line_by_hand_M26():
    line = np.array([[-1.0], [1.0]])
    found = solve(LazyGram(Linear(), line), svr(line[:, 0], 100.0, 0.1), tol=1e-10)
    assert_allclose(found.coef, [-0.45, 0.45], atol=1e-9)
    assert_allclose([line[:, 0] @ found.coef, found.bias], [0.9, 0.0], atol=1e-9)


def test_a_tube_wide_enough_leaves_a_constant_M26():
    found = solve(StoredGram(K), svr(t, 1.0, 0.51 * (t.max() - t.min())), tol=1e-10)
    assert (found.coef == 0.0).all()
    assert t.max() - 0.51 * np.ptp(t) <= found.bias <= t.min() + 0.51 * np.ptp(t)


def test_a_penalised_bias_is_smaller_than_a_free_one_M28():
    free, penalised = solve(StoredGram(K), svr(t, 3.0, 0.1), tol=1e-9), solve(
        StoredGram(K + 1.0), svr(t, 3.0, 0.1, bias=False), tol=1e-9)  # fmt: skip
    assert abs(penalised.coef.sum()) <= abs(free.bias)
    assert penalised.primal >= free.primal


def test_squared_slacks_are_a_ridge_on_the_diagonal_M29():
    """C sum xi^2 is the hard margin on K + I / (2 C): no coefficient has an upper bound."""
    C = 0.3
    squared = solve(StoredGram(K), svc(y, C, squared=True), tol=1e-10)
    hard = solve(StoredGram(K + np.eye(n) / (2.0 * C)), svc(y, np.inf), tol=1e-10)
    assert_allclose(squared.coef, hard.coef, atol=1e-7)
    slack = np.maximum(0.0, 1.0 - y * (K @ squared.coef + squared.bias))
    assert_allclose(y * squared.coef, 2.0 * C * slack, atol=1e-7)
    assert (y * squared.coef).max() > C


# ---- nu

NUS = [0.1, 0.25, 0.4, 0.55]


@pytest.mark.parametrize("nu", NUS)
def test_nu_lies_between_margin_errors_and_support_vectors_T24(nu):
    found = solve(StoredGram(K), nu_svc(y, nu), tol=1e-9)
    assert found.margin > 0.0
    f = y * (K @ found.coef + found.bias)
    assert (f < found.margin - 1e-6).mean() <= nu <= (found.coef != 0.0).mean() + 1e-12


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("nu", [0.1, 0.3, 0.7])
def test_nu_lies_between_errors_and_support_vectors_of_a_noisy_sine_T24(nu, seed):
    rng, m = np.random.default_rng(seed), 40
    x = np.sort(rng.uniform(0.0, 6.0, m))
    target, G = np.sin(x) + 0.2 * rng.normal(size=m), np.exp(-(np.subtract.outer(x, x) ** 2))
    found = solve(StoredGram(G).sub(np.tile(np.arange(m), 2)), nu_svr(target, nu, 5.0), tol=1e-9)
    assert found.margin > 0.0
    coef = found.coef[:m] + found.coef[m:]
    outside = np.abs(target - G @ coef - found.bias) > found.margin + 1e-6
    assert outside.mean() <= nu <= (coef != 0.0).mean() + 1e-12


def nu_regression(nu, C=2.0):
    return solve(StoredGram(K).sub(np.tile(np.arange(n), 2)), nu_svr(t, nu, C), tol=1e-9)


@pytest.mark.parametrize("nu", [0.1, 0.3, 0.5])
def test_nu_svr_is_svr_with_the_tube_it_finds_T25(nu):
    free = nu_regression(nu)
    assert free.margin > 1e-3
    fixed = solve(StoredGram(K), svr(t, 2.0, free.margin), tol=1e-9)
    coef = free.coef[:n] + free.coef[n:]
    assert_allclose(K @ coef + free.bias, K @ fixed.coef + fixed.bias, atol=1e-6)
    assert_allclose(np.abs(free.coef).sum(), 2.0 * n * nu)  # sum (a + a') = C nu
    assert_allclose(free.coef[:n] * free.coef[n:], 0.0, atol=1e-12)  # a a' = 0


def test_the_tube_narrows_as_nu_grows_T25_E21():
    tubes = [nu_regression(nu).margin for nu in np.linspace(0.1, 1.0, 10)]
    assert (np.diff(tubes) <= 1e-7).all()
    assert tubes[0] > tubes[-1] >= -1e-9


def test_nu_beyond_one_closes_the_tube_T25():
    beyond = solve_qp(nu_svr_dual(K, t, 2.0 * n, 1.3))
    assert_allclose(beyond.inequality[-1], 0.0, atol=1e-6)
    assert_allclose(beyond.primal, solve_qp(svr_dual(K, t, 2.0, 0.0)).primal, rtol=1e-7)


@pytest.mark.parametrize("nu", NUS)
def test_nu_svc_is_a_rescaled_svc_and_back_M19(nu):
    found = solve(StoredGram(K), nu_svc(y, nu), tol=1e-9)
    soft = solve(StoredGram(K), svc(y, 1.0 / found.margin), tol=1e-9)
    assert_allclose((K @ found.coef + found.bias) / found.margin, K @ soft.coef + soft.bias, atol=1e-6)
    assert_allclose(np.abs(soft.coef).sum() / (n / found.margin), nu, rtol=1e-6)  # nu = sum a / (n C)


def test_the_margin_of_nu_svc_grows_with_nu_M19():
    margins = [solve(StoredGram(K), nu_svc(y, nu), tol=1e-9).margin for nu in NUS]
    assert (np.diff(margins) >= -1e-9).all()


def test_one_class_with_nu_one_weighs_all_alike():
    found = solve(StoredGram(K), one_class(n, 1.0), tol=1e-9)
    assert_allclose(found.coef, 1.0)
