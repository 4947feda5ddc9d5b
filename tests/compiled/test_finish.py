"""The ends of SMO by themselves: steps among the items that decide, and centres around which sigma falls (M17)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.compiled import finish, proximal
from mercer.kernels import RBF
from mercer.solvers.dual import svc, svr

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 3))
K = RBF(3.0)(X).astype(np.float32)
labels = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=150) > 0.0, 1.0, -1.0)
numbers = np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=150)
PROBLEMS = [svc(labels, 1e3), svr(numbers, 1e2, 0.1)]
both = pytest.mark.parametrize("problem", PROBLEMS, ids=["svc", "svr"])


def gains_and_costs(problem, b, F):
    """What a coefficient gains by rising, and what it costs to fall."""
    e = problem.epsilon
    gain = np.where(b < problem.hi, np.where(b < 0.0, e, -e), -np.inf) - F
    cost = np.where(b > problem.lo, np.where(b > 0.0, -e, e), np.inf) - F
    return gain, cost


def violation(problem, b, F):
    gain, cost = gains_and_costs(problem, b, F)
    return gain.max() - cost.min()


def objective(problem, b):
    return 0.5 * b @ K.astype(float) @ b - problem.z @ b + problem.epsilon * np.abs(b).sum()


def rough_start(problem, tol=1.0):
    """A feasible b that plain SMO has brought some of the way, and its gradient."""
    b, F = np.zeros(len(K)), -problem.z.copy()
    finish.burst(K, np.diag(K).copy(), F, b, problem.lo, problem.hi, problem.epsilon, tol, 10_000)
    return b, K.astype(float) @ b - problem.z


@both
@pytest.mark.parametrize("margin", [0.0, 0.1])
def test_who_decides_is_who_has_a_partner_for_a_step(problem, margin):
    b, F = rough_start(problem, tol=0.05)
    gain, cost = gains_and_costs(problem, b, F)
    partner = (gain[:, None] > cost[None, :] - margin).any(1) | (cost[:, None] < gain[None, :] + margin).any(1)
    found = finish.deciding(b, F, problem.lo, problem.hi, problem.epsilon, margin)
    assert_array_equal(found, np.flatnonzero(partner))
    assert 0 < len(found) < len(b)


@both
def test_steps_among_some_items_solve_their_part_of_the_problem(problem):
    b, F = rough_start(problem)
    before, A = b.copy(), np.sort(rng.permutation(len(b))[:60])
    sides = problem.lo, problem.hi, problem.epsilon
    _, said, endless = finish.improve_among(A, K, np.diag(K).copy(), F, b, *sides, 1e-3, 1e9, 0.0)
    others = np.setdiff1d(np.arange(len(b)), A)
    assert not endless
    assert_array_equal(b[others], before[others])
    assert (b[A] != before[A]).any()
    assert (problem.lo <= b).all()
    assert (b <= problem.hi).all()
    assert_allclose(b.sum(), before.sum(), atol=1e-9 * np.abs(b).sum())
    assert_allclose(F, K.astype(float) @ b - problem.z, atol=1e-5 * np.abs(b).sum())  # of all items, not of A alone
    assert objective(problem, b) < objective(problem, before)
    gain, cost = gains_and_costs(problem, b, F)
    assert gain[A].max() - cost[A].min() <= 1.01e-3
    assert_allclose(said, violation(problem, b, F), rtol=1e-12)
    assert said > 1e-3  # among all items it is not solved


@both
def test_those_who_decide_are_enough_to_go_on(problem):
    """Rounds among them alone end where no item of all can make a step."""
    b, F = rough_start(problem, tol=0.3)
    sides = problem.lo, problem.hi, problem.epsilon
    found = violation(problem, b, F)
    for _ in range(50):
        A = finish.deciding(b, F, *sides, finish.MARGIN * found)
        goal = max(0.95e-3, finish.GAIN * found)
        _, found, _ = finish.improve_among(A, K, np.diag(K).copy(), F, b, *sides, goal, 1e9, 0.0)
        if found <= 1e-3:
            break
    assert violation(problem, b, K.astype(float) @ b - problem.z) <= 2e-3


@both
def test_sigma_falls_as_the_centre_moves_and_the_violation_with_it(problem, monkeypatch):
    b, F = rough_start(problem)
    steps, inner = [], finish.nearest

    def recorded(K, F, c, beta, total, lo, hi, epsilon, sigma):
        found = inner(K, F, c, beta, total, lo, hi, epsilon, sigma)
        steps.append((sigma, found[0], violation(problem, c, F), violation(problem, found[1], found[2])))
        return found

    monkeypatch.setattr(finish, "nearest", recorded)
    total = b.sum()
    _, left = finish.recentre.py_func(K, F, b, problem.lo, problem.hi, problem.epsilon, 1e-3, 1e12)
    assert left <= 1e-3
    assert_allclose(left, violation(problem, b, F), rtol=1e-12)
    assert_allclose(F, K.astype(float) @ b - problem.z, atol=1e-5 * np.abs(b).sum())
    assert_allclose(b.sum(), total, atol=1e-9 * np.abs(b).sum())
    reached = [(sigma, was, now) for sigma, done, was, now in steps if done]
    assert len(reached) > 1
    assert all(now <= max(was, 1e-3) for _, was, now in reached)
    assert reached[-1][0] < 0.5 * reached[0][0]


@both
def test_the_violation_is_at_most_sigma_times_the_way(problem):
    b, F = rough_start(problem)
    most, least = finish.ends(b, F, problem.lo, problem.hi, problem.epsilon)
    for sigma in (1e-1, 1e-3):
        found = finish.nearest(K, F, b, 0.5 * (most + least), b.sum(), problem.lo, problem.hi, problem.epsilon, sigma)
        done, x, Fx = found[:3]
        assert done
        assert violation(problem, x, Fx) <= 2.0 * sigma * np.abs(x - b).max() + 1e-6


def test_centres_that_are_not_reached_raise_sigma_and_leave_everything_as_it_was(monkeypatch):
    problem = PROBLEMS[0]
    b, F = rough_start(problem)
    kept, tried = (b.copy(), F.copy()), []

    def never(K, F, c, beta, total, lo, hi, epsilon, sigma):
        tried.append(sigma)
        return False, c + 1.0, F + 1.0, 3, 5

    monkeypatch.setattr(finish, "nearest", never)
    spent, left = finish.recentre.py_func(K, F, b, problem.lo, problem.hi, problem.epsilon, 1e-3, 1e12)
    assert len(tried) == finish.FAILURES
    assert_allclose(np.diff(np.log(tried)), np.log(finish.RAISE))
    assert_array_equal(b, kept[0])
    assert_array_equal(F, kept[1])
    assert_allclose(left, violation(problem, b, F), rtol=1e-12)
    assert spent > 0.0


def test_effort_that_is_spent_ends_it():
    problem = PROBLEMS[1]
    b, F = rough_start(problem)
    spent, left = finish.recentre(K, F, b, problem.lo, problem.hi, problem.epsilon, 1e-9, 1.0)
    assert spent > 0.0
    assert left > 1e-9


@both
def test_the_first_step_is_among_what_is_free_so_that_a_small_sigma_does_no_harm(problem):
    """Near the solution P(t) of a tiny sigma is mostly at the bounds; a few Newton steps must do all the same."""
    b, F = rough_start(problem, tol=0.004)
    sides = problem.lo, problem.hi, problem.epsilon
    most, least = finish.ends(b, F, *sides)
    p = np.empty_like(b)
    proximal.attained(F, np.zeros(len(b)), 0.5 * (most + least), b, 1e-6, *sides, p)
    assert finish.free_count(p, problem.lo, problem.hi) < 0.5 * finish.free_count(b, problem.lo, problem.hi)
    done, x, Fx, made, _ = proximal.nearest(K, F, b, 0.5 * (most + least), b.sum(), *sides, 1e-6)
    assert done
    assert made <= 8
    assert violation(problem, x, Fx) < 0.1 * violation(problem, b, F)
