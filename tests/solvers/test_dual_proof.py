"""Rows of proof: regimes of items (T22, T23, E11) and the four optimality conditions (T19)."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.solvers.machines import MACHINES, K, n, t, y

from mercer.gram import StoredGram
from mercer.solvers.dual import nu_svc, proof, solve, svc, svr
from mercer.solvers.dual.certificate import certify
from mercer.solvers.dual.proof import classification, condition_residuals, novelty, proof_row, regime_codes, regression
from mercer.solvers.kkt import KKT

machines = pytest.mark.parametrize("name", MACHINES)
NAMES = {
    "classification": (
        "outside the margin", "on the margin", "inside but correct", "on the hyperplane", "on the wrong side",
    ),
    "regression": ("inside the tube", "on its upper edge", "on its lower edge", "above the tube", "below the tube"),
    "novelty": ("inside", "on the boundary", "outside"),
}  # fmt: skip


def task_of(name):
    return "regression" if "svr" in name else "novelty" if "one" in name else "classification"


def solved(name, tol=1e-8):
    machine = MACHINES[name]
    gram = StoredGram(machine.K).sub(np.tile(np.arange(n), len(machine.problem) // n))
    return solve(gram, machine.problem, tol=tol), machine.problem


def labels(solution, problem, task):
    return np.array(NAMES[task])[regime_codes(solution, problem, task)]


def kkt_residuals(solution, problem):
    """The four residuals by name."""
    return KKT(*condition_residuals(solution, problem))


@machines
def test_a_row_has_the_numbers_of_the_solution_and_one_regime_for_every_item(name):
    solution, problem = solved(name)
    row = proof_row(solution, problem, task_of(name))
    assert len(row) == proof.WIDTH
    assert row[: proof.EQUALITY].tolist() == [solution.bias, solution.violation, solution.primal, solution.dual]
    assert tuple(row[proof.EQUALITY : proof.REGIMES]) == condition_residuals(solution, problem)
    counts = row[proof.REGIMES :]
    codes = regime_codes(solution, problem, task_of(name))
    assert counts.sum() == len(codes) == n
    assert_allclose(counts, np.bincount(codes, minlength=5))


# ---- regimes


def test_the_five_places_of_a_sample_T22():
    margins = np.array([1.7, 1.0, 0.6, 0.0, -0.4])
    codes = classification(margins, np.array([0.0, 0.3, 1.0, 1.0, 1.0]), 1e-6)
    assert codes.tolist() == [0, 1, 2, 3, 4]


def test_at_the_margin_only_a_support_vector_is_held_T22():
    """A sample that touches the margin without a coefficient is outside; a = C with no slack is on it."""
    on_it = np.array([1.0, 1.0 - 1e-9, 1.0 + 1e-9])
    assert classification(on_it, np.zeros(3), 1e-6).tolist() == [0, 0, 0]
    assert classification(on_it, np.full(3, 2.0), 1e-6).tolist() == [1, 1, 1]
    assert classification(np.array([1.5]), np.array([2.0]), 1e-6).tolist() == [0]


@pytest.mark.parametrize("name", ["svc", "svc, tiny C", "svc, a C for each", "svc, no bias", "nu svc"])
def test_where_a_sample_lies_and_what_it_weighs_say_the_same_T22(name):
    solution, problem = solved(name)
    a, C = np.abs(solution.coef), problem.hi - problem.lo
    sign = problem.z if problem.second is None else np.where(problem.second, 1.0, -1.0)
    xi = np.maximum(0.0, 1.0 - sign * (K @ solution.coef + solution.bias) / solution.margin)
    found = labels(solution, problem, "classification")
    assert set(found[a == 0.0]) == {"outside the margin"}
    assert set(found[(a > 0.0) & (a < C)]) <= {"on the margin"}
    held = a == C
    expected = np.where(xi < 1.0, "inside but correct", "on the wrong side")
    assert (found[held & (xi > 1e-6)] == expected[held & (xi > 1e-6)]).all()
    assert (found[held & (xi <= 1e-9)] == "on the margin").all()


def test_a_sample_on_the_hyperplane_has_a_name_T22():
    """Two pairs on a line and a stray sample midway between: f = 0 there, slack exactly 1."""
    x = np.array([-2.0, -2.0, 2.0, 2.0, 0.0])
    problem = svc(np.array([-1.0, -1.0, 1.0, 1.0, 1.0]), 0.05)
    solution = solve(StoredGram(np.outer(x, x)), problem, tol=1e-10)
    at_zero = replace(solution, bias=0.0)  # any bias of an interval would do; this one puts the stray on the plane
    assert labels(at_zero, problem, "classification")[4] == "on the hyperplane"


def test_the_five_places_of_a_residual_T23():
    residuals = np.array([0.05, 0.1, -0.1, 0.5, -0.5, 0.1, -0.1])
    coef = np.array([0.0, 0.3, -0.3, 1.0, -1.0, 0.0, 0.0])
    assert regression(residuals, coef, 0.1, 1e-6).tolist() == [0, 1, 2, 3, 4, 0, 0]


@pytest.mark.parametrize("name", ["svr", "svr, a C for each", "nu svr"])
def test_the_tube_and_the_coefficients_say_the_same_T23(name):
    solution, problem = solved(name)
    b = MACHINES[name].folded(solution.coef)
    epsilon = problem.epsilon if problem.second is None else solution.margin
    C = problem.hi[:n]
    residual = t - K @ b - solution.bias
    found = labels(solution, problem, "regression")
    assert (found[np.abs(residual) < epsilon - 1e-6] == "inside the tube").all()
    assert (b[np.abs(residual) < epsilon - 1e-6] == 0.0).all()
    assert (np.abs(residual)[b != 0.0] >= epsilon - 1e-6).all()
    free = (b != 0.0) & (np.abs(b) < C)
    assert (found[free] == np.where(b[free] > 0.0, "on its upper edge", "on its lower edge")).all()
    assert (b[found == "above the tube"] == C[found == "above the tube"]).all()
    assert (b[found == "below the tube"] == -C[found == "below the tube"]).all()
    assert len(set(found)) == 5


def test_without_a_tube_both_edges_are_one_and_the_coefficient_names_the_side_T23():
    solution, problem = solved("svr, no tube")
    found = labels(solution, problem, "regression")
    free = (solution.coef != 0.0) & (np.abs(solution.coef) < problem.hi)
    assert (found[free & (solution.coef > 0.0)] == "on its upper edge").all()
    assert (found[free & (solution.coef < 0.0)] == "on its lower edge").all()


def test_the_three_places_of_a_score():
    assert novelty(np.array([0.4, 0.0, -0.2, 0.0]), np.array([0.0, 0.5, 1.0, 0.0]), 1e-6).tolist() == [0, 1, 2, 0]
    solution, problem = solved("one class")
    found = labels(solution, problem, "novelty")
    assert (solution.coef[found == "outside"] == 1.0).all()
    assert (solution.coef[found == "inside"] == 0.0).all()


def test_nu_svc_and_its_svc_see_the_same_regimes_M19():
    nu = solve(StoredGram(K), nu_svc(y, 0.4), tol=1e-9)
    C = 1.0 / nu.margin
    soft = solve(StoredGram(K), svc(y, C), tol=1e-9)
    one, other = labels(nu, nu_svc(y, 0.4), "classification"), labels(soft, svc(y, C), "classification")
    assert (one == other).all()


def test_squared_slacks_do_not_blur_where_a_sample_lies_M29():
    solution, problem = solved("svc, squared slacks")
    margins = y * (K @ solution.coef + solution.bias)
    found = labels(solution, problem, "classification")
    assert ((found == "inside but correct") == ((margins > 0.0) & (solution.coef != 0.0))).all()
    assert ((found == "on the wrong side") == (margins < 0.0)).all()
    assert "on the margin" not in found  # whoever has a coefficient has a slack


def test_a_badly_solved_problem_does_not_put_everything_on_the_margin():
    problem = svc(y, 2.0)
    solution = solve(StoredGram(K), problem, max_iter=3)
    assert solution.violation > 0.1
    found = labels(solution, problem, "classification")
    margins = y * (K @ solution.coef + solution.bias)
    assert ((found == "on the wrong side") == (margins < -1e-2)).all()


# ---- the four conditions


@machines
def test_the_conditions_hold_at_the_optimum_and_not_beside_it_T19(name):
    solution, problem = solved(name)
    best = kkt_residuals(solution, problem)
    assert best.worst <= 1e-6
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-1):
        b = solution.coef + size * np.abs(solution.coef).max() * rng.normal(size=len(problem))
        F = MACHINES[name].gradient(b)
        moved = kkt_residuals(replace(solution, coef=b, gradient=F), problem)
        assert moved.worst > 100.0 * max(best.worst, 1e-9)


def test_each_condition_is_told_from_the_others_T19():
    solution, problem = solved("svc")
    free = int(np.argmax((solution.coef > 0.0) & (solution.coef < 2.0)))
    unbalanced = solution.coef.copy()
    unbalanced[free] *= 0.5
    assert kkt_residuals(replace(solution, coef=unbalanced), problem).stationarity > 1e-3
    outside = np.where(solution.coef == 2.0, 2.5, solution.coef)
    assert_allclose(kkt_residuals(replace(solution, coef=outside), problem).dual, 0.2)
    elsewhere = kkt_residuals(replace(solution, bias=solution.bias + 0.3), problem)
    assert elsewhere.complementarity > 1e-2
    assert elsewhere.stationarity <= 1e-12
    assert elsewhere.dual == elsewhere.primal == 0.0


def test_complementarity_has_two_halves_T19():
    """a > 0 beyond the margin, and a < C within it."""
    x = np.array([-1.0, 1.0])
    problem = svc(x, 10.0)
    heavy = certify(10.0 * x, 20.0 * x - x, problem, tol=1e-3, n_iter=0, reason="max_iter")  # both at C, y f = 20
    assert_allclose(kkt_residuals(heavy, problem).complementarity, 19.0 / 20.0)
    light = certify(0.0 * x, -x, problem, tol=1e-3, n_iter=0, reason="max_iter")  # both at 0, y f = 0
    assert_allclose(kkt_residuals(light, problem).complementarity, 1.0)


def test_only_where_no_slack_is_allowed_can_the_primal_be_infeasible_T19():
    hard, problem = solved("svc, hard")
    assert kkt_residuals(hard, problem).primal <= 1e-8
    assert kkt_residuals(replace(hard, bias=hard.bias + 0.5), problem).primal > 0.05
    soft, problem = solved("svc")
    assert kkt_residuals(replace(soft, bias=soft.bias + 0.5), problem).primal == 0.0


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_residuals_do_not_depend_on_the_units_of_the_data_T19(unit):
    """y, epsilon and C in other units give the same machine in those units."""
    plain, problem = solve(StoredGram(K), svr(t, 3.0, 0.1), tol=1e-2), svr(t, 3.0, 0.1)
    scaled = replace(plain, coef=unit * plain.coef, bias=unit * plain.bias, gradient=unit * plain.gradient)
    one, other = kkt_residuals(plain, problem), kkt_residuals(scaled, svr(unit * t, unit * 3.0, unit * 0.1))
    assert_allclose(other.complementarity, one.complementarity, rtol=1e-9)
    assert one.complementarity > 1e-6
