"""The ends of SMO: steps among the items that decide, and centres around which sigma falls (M17).

Laws of each piece on fixed problems, recomputed in NumPy; and what must hold of all of it on Hypothesis-made ones.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.native.dual_problems import SIDES, cases, offsets, refuses
from tests.native.dual_problems import violation as violation_of
from tests.native.shapes import framed

from mercer.kernels import RBF
from mercer.native import smo, smo_newton
from mercer.solvers.dual import svc, svr

# constants of native/loops/smo_newton.cpp
FALL, AIM, LEAST, RAISE, EASY, FAILURES, SYSTEM, MARGIN, GAIN = 0.2, 0.7, 1e-7, 4.0, 12, 4, 0.05, 0.25, 0.1

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 3))
K = RBF(3.0)(X).astype(np.float32)
labels = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=150) > 0.0, 1.0, -1.0)
numbers = np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=150)
PROBLEMS = [svc(labels, 1e3), svr(numbers, 1e2, 0.1)]
both = pytest.mark.parametrize("problem", PROBLEMS, ids=["svc", "svr"])


def sides(problem):
    return problem.lo, problem.hi, problem.epsilon


def gains_and_costs(problem, b, F):
    """What a coefficient gains by rising, and what it costs to fall."""
    up, down = offsets(b, *sides(problem))
    return up - F, down - F


def violation(problem, b, F):
    return violation_of(b, F, *sides(problem))


def objective(problem, b):
    return 0.5 * b @ K.astype(float) @ b - problem.z @ b + problem.epsilon * np.abs(b).sum()


def diagonal_of(K):
    return np.ascontiguousarray(np.diagonal(K))


def free_count(b, problem):
    return np.count_nonzero((problem.lo < b) & (b < problem.hi) & (b != 0.0))


def rough_start(problem, tol=1.0):
    """A feasible b that plain SMO has brought some of the way, and its gradient."""
    b, F = np.zeros(len(K)), -problem.z.copy()
    smo.smo(K, diagonal_of(K), F, b, *sides(problem), len(b), tol, 10_000)
    return b, K.astype(float) @ b - problem.z


def nearest(problem, F, c, beta, sigma, G=K):
    """(reached, x, F at x, Newton steps, largest system)."""
    x, Fx = np.full(len(c), np.nan), np.full(len(c), np.nan)
    reached, made, largest = smo_newton.nearest(G, F, c, beta, float(c.sum()), *sides(problem), sigma, x, Fx)
    return reached, x, Fx, made, largest


# ---- the items that decide


@both
@pytest.mark.parametrize("margin", [0.0, 0.1])
def test_who_decides_is_who_has_a_partner_for_a_step(isa, problem, margin):
    b, F = rough_start(problem, tol=0.05)
    gain, cost = gains_and_costs(problem, b, F)
    partner = (gain[:, None] > cost[None, :] - margin).any(1) | (cost[:, None] < gain[None, :] + margin).any(1)
    found, outside = framed(np.zeros(len(b), dtype=np.intp))
    count = smo_newton.active_items(F, b, *sides(problem), margin, found)
    assert_array_equal(found[:count], np.flatnonzero(partner))
    assert 0 < count < len(b)
    outside.check()


@given(case=cases(), margin=st.sampled_from([0.0, 0.1, 10.0]))
def test_active_items(isa, case, margin):
    found = np.zeros(len(case.b), dtype=np.intp)
    count = smo_newton.active_items(case.F, case.b, case.lo, case.hi, case.epsilon, margin, found)
    up, down = offsets(case.b, case.lo, case.hi, case.epsilon)
    gain, cost = up - case.F, down - case.F
    assert_array_equal(found[:count], np.flatnonzero((gain > cost.min() - margin) | (cost < gain.max() + margin)))


@both
def test_steps_among_some_items_solve_their_part_of_the_problem(isa, problem):
    b, F = rough_start(problem)
    before, A = b.copy(), np.sort(np.random.default_rng(1).permutation(len(b))[:60])
    made, said, endless = smo_newton.improve_among(A, K, diagonal_of(K), F, b, *sides(problem), 1e-3, 1e9, 0.0)
    others = np.setdiff1d(np.arange(len(b)), A)
    assert not endless
    assert made > 0.0
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
def test_those_who_decide_are_enough_to_go_on(isa, problem):
    """Rounds among them alone end where no item of all can make a step."""
    b, F = rough_start(problem, tol=0.3)
    found = violation(problem, b, F)
    for _ in range(50):
        places = np.zeros(len(b), dtype=np.intp)
        A = places[: smo_newton.active_items(F, b, *sides(problem), MARGIN * found, places)]
        goal = max(0.95e-3, GAIN * found)
        _, found, _ = smo_newton.improve_among(A, K, diagonal_of(K), F, b, *sides(problem), goal, 1e9, 0.0)
        if found <= 1e-3:
            break
    assert violation(problem, b, K.astype(float) @ b - problem.z) <= 2e-3


# ---- centres


def reach(problem, b):
    """How far a coefficient can be expected to move."""
    return min((problem.hi - problem.lo).max(), 4.0 * np.abs(b).max() + 1e-30)


def recentre(problem, F, b, tol, effort, G=K):
    """The twin of the loop: (effort, violation, b, F, [(sigma, reached, violation before and after)])."""
    floor, failures, spent, steps = LEAST, 0, 0.0, []
    gain, cost = gains_and_costs(problem, b, F)
    while gain.max() - cost.min() > tol and spent < effort and failures < FAILURES:
        was = gain.max() - cost.min()
        sigma = max(max(FALL * was, AIM * tol) / reach(problem, b), floor)
        reached, x, Fx, made, largest = nearest(problem, F, b, 0.5 * (gain.max() + cost.min()), sigma, G)
        spent += made * (len(b) + SYSTEM * float(largest) ** 3) + len(b)
        if reached:
            b, F = x, Fx
            gain, cost = gains_and_costs(problem, b, F)
            failures += not gain.max() - cost.min() < was
            floor = max(floor / RAISE, LEAST) if made <= EASY else floor
        else:
            floor, failures = RAISE * sigma, failures + 1
        steps.append((sigma, reached, was, gain.max() - cost.min()))
    return spent, gain.max() - cost.min(), b, F, steps


@both
def test_sigma_falls_as_the_centre_moves_and_the_violation_with_it(isa, problem):
    b, F = rough_start(problem)
    total = b.sum()
    expected = recentre(problem, F.copy(), b.copy(), 1e-3, 1e12)
    spent, left = smo_newton.recentre(K, F, b, *sides(problem), 1e-3, 1e12)
    assert_allclose([spent, left], expected[:2], rtol=1e-9)
    assert_allclose(b, expected[2], rtol=1e-9, atol=1e-9)
    assert_allclose(F, expected[3], rtol=1e-9, atol=1e-9)
    assert left <= 1e-3
    assert_allclose(left, violation(problem, b, F), rtol=1e-12)
    assert_allclose(F, K.astype(float) @ b - problem.z, atol=1e-5 * np.abs(b).sum())
    assert_allclose(b.sum(), total, atol=1e-9 * np.abs(b).sum())
    reached = [(sigma, was, now) for sigma, done, was, now in expected[4] if done]
    assert len(reached) > 1
    assert all(now <= max(was, 1e-3) for _, was, now in reached)
    assert reached[-1][0] < 0.5 * reached[0][0]


@both
def test_the_violation_is_at_most_sigma_times_the_way(isa, problem):
    b, F = rough_start(problem)
    gain, cost = gains_and_costs(problem, b, F)
    for sigma in (1e-1, 1e-3):
        reached, x, Fx, *_ = nearest(problem, F, b, 0.5 * (gain.max() + cost.min()), sigma)
        assert reached
        assert violation(problem, x, Fx) <= 2.0 * sigma * np.abs(x - b).max() + 1e-6


def test_centres_that_are_not_reached_raise_sigma_and_leave_everything_as_it_was(isa):
    """Nothing is reached on a Gram that is negative definite, for it has no Cholesky factor."""
    problem = PROBLEMS[0]
    b, F = rough_start(problem)
    kept, G = (b.copy(), F.copy()), -K - 100.0 * np.eye(len(K), dtype=np.float32)
    spent, left, _, _, tried = recentre(problem, F, b, 1e-3, 1e12, G)
    assert [reached for _, reached, _, _ in tried] == [False] * FAILURES
    assert_allclose(np.diff(np.log([sigma for sigma, *_ in tried])), np.log(RAISE))
    assert smo_newton.recentre(G, F, b, *sides(problem), 1e-3, 1e12) == (spent, left)
    assert_array_equal(b, kept[0])
    assert_array_equal(F, kept[1])
    assert_allclose(left, violation(problem, b, F), rtol=1e-12)
    assert spent > 0.0


def test_effort_that_is_spent_ends_it(isa):
    problem = PROBLEMS[1]
    b, F = rough_start(problem)
    spent, left = smo_newton.recentre(K, F, b, *sides(problem), 1e-9, 1.0)
    assert spent > 0.0
    assert left > 1e-9


@both
def test_the_first_step_is_among_what_is_free_so_that_a_small_sigma_does_no_harm(isa, problem):
    """Near the solution P(t) of a tiny sigma is mostly at the bounds; a few Newton steps must do all the same."""
    b, F = rough_start(problem, tol=0.004)
    gain, cost = gains_and_costs(problem, b, F)
    beta, sigma = 0.5 * (gain.max() + cost.min()), 1e-6
    t = sigma * b - F - beta
    p = np.clip(np.sign(t) * np.maximum(np.abs(t) - problem.epsilon, 0.0) / sigma, problem.lo, problem.hi)
    assert free_count(p, problem) < 0.5 * free_count(b, problem)
    reached, x, Fx, made, _ = nearest(problem, F, b, beta, sigma)
    assert reached
    assert made <= 8
    assert violation(problem, x, Fx) < 0.1 * violation(problem, b, F)


def test_newton_steps_minimise_around_a_centre(isa):
    """b = clip(soft(t + sigma c, epsilon) / sigma) with t = z - K b - beta, and the sum of the centre."""
    G = RBF(1.0)(X).astype(np.float32)
    for problem, sigma in ((svc(labels, 10.0), 0.5), (svr(numbers, 2.0, 0.1), 0.7)):
        centre = np.zeros(len(G))
        reached, b, F, *_ = nearest(problem, -problem.z, centre, 0.0, sigma, G)
        assert reached
        assert abs(b.sum()) < 1e-9 * np.abs(b).sum()
        free = (b > problem.lo) & (b < problem.hi) & (b != 0.0)
        t = -F - sigma * b - problem.epsilon * np.sign(b)
        beta = t[free].mean()
        assert_allclose(t[free], beta, atol=1e-6)
        soft = np.sign(-F - beta) * np.maximum(np.abs(-F - beta) - problem.epsilon, 0.0)
        assert_allclose(b, np.clip(soft / sigma, problem.lo, problem.hi), atol=1e-6 / sigma)
        assert_allclose(F, G.astype(float) @ b - problem.z, atol=1e-5 * np.abs(b).sum())


# ---- all of it


def run(case, tol, max_steps, spent=0):
    """solve_whole on copies in the middle of larger arrays."""
    (F, around_F), (b, around_b), (K, around_K) = framed(case.F), framed(case.b), framed(case.single())
    end = smo_newton.solve_whole(K, diagonal_of(K), F, b, case.lo, case.hi, case.epsilon, tol, max_steps, spent)
    for outside in (around_F, around_b, around_K):
        outside.check()
    return end, F, b


@settings(max_examples=100)
@given(case=cases(), tol=st.sampled_from([1e-2, 1e-4]))
def test_solve_whole_ends_where_no_pair_gains_more_than_tol(isa, case, tol):
    (_, told, endless), F, b = run(case, tol, 100_000)
    size = np.abs(b).sum() + np.abs(case.z).max() + 1.0
    assert not endless
    assert told <= tol
    assert_allclose(told, violation_of(b, F, case.lo, case.hi, case.epsilon), atol=1e-6)
    assert case.inside(b)
    assert_allclose(b.sum(), case.b.sum(), atol=1e-10 * size)
    assert_allclose(F, case.gradient(b), atol=1e-7 * size)
    assert case.objective(b) <= case.objective(case.b) + 1e-9 * size


@settings(max_examples=30)
@given(case=cases(sizes=(*SIDES[-4:], 100), start=False))
def test_the_optimum_is_that_of_many_steps_in_double_precision(isa, case):
    _, _, b = run(case, 1e-6, 1_000_000)
    F, x = case.F, case.b.copy()
    smo.smo(case.K, diagonal_of(case.K), F, x, case.lo, case.hi, case.epsilon, len(x), 1e-8, 10_000_000)
    assert_allclose(case.objective(b), case.objective(x), rtol=1e-6, atol=1e-6)


@both
def test_few_steps_go_on_from_where_they_were(isa, problem):
    """In pieces of 50 steps it comes to the same end; the objective never rises."""
    b, F = np.zeros(len(K)), -problem.z.copy()
    value, spent = 0.0, 0
    for _ in range(1000):
        steps, left, _ = smo_newton.solve_whole(K, diagonal_of(K), F, b, *sides(problem), 1e-3, 50, spent)
        spent += steps
        assert objective(problem, b) <= value + 1e-6 * abs(value)
        value = objective(problem, b)
        if left <= 1e-3:
            break
    assert left <= 1e-3
    assert_allclose(violation(problem, b, K.astype(float) @ b - problem.z), left, atol=1e-4)


def test_a_nearly_singular_gram_takes_few_steps(isa):
    """Of plain SMO steps this takes millions."""
    problem, wide = svc(labels, 1e4), RBF(8.0)(X).astype(np.float32)
    b, F = np.zeros(150), -problem.z.copy()
    steps, left, _ = smo_newton.solve_whole(wide, diagonal_of(wide), F, b, *sides(problem), 1e-3, 1_000_000, 0)
    assert left <= 1e-3
    assert steps < 50_000
    assert_allclose(b.sum(), 0.0, atol=1e-9 * np.abs(b).sum())


def test_a_step_without_end_is_told(isa):
    G, y = np.ones((2, 2), dtype=np.float32), np.array([1.0, -1.0])
    lo, hi = np.array([0.0, -np.inf]), np.array([np.inf, 0.0])
    assert smo_newton.solve_whole(G, diagonal_of(G), -y, np.zeros(2), lo, hi, 0.0, 1e-3, 100, 0)[2]


def test_no_items(isa):
    G, none = np.empty((0, 0), dtype=np.float32), np.empty(0)
    assert smo_newton.solve_whole(G, diagonal_of(G), none, none, none, none, 0.0, 1e-3, 10, 0) == (0, 0.0, False)
    assert smo_newton.active_items(none, none, none, none, 0.0, 0.0, np.empty(0, dtype=np.intp)) == 0
    places = np.empty(0, dtype=np.intp)
    b, F = rough_start(PROBLEMS[0])
    kept = b.copy()
    smo_newton.improve_among(places, K, diagonal_of(K), F, b, *sides(PROBLEMS[0]), 1e-3, 1e9, 0.0)
    assert_array_equal(b, kept)


# ---- the border


def test_wrong_arrays_are_refused_by_name():
    G = np.eye(3, dtype=np.float32)
    b, F, lo, hi = np.zeros(3), -np.ones(3), -np.ones(3), np.ones(3)
    box = {"F": F, "b": b, "lo": lo, "hi": hi, "epsilon": 0.0}
    given = {"K": G, "diagonal": diagonal_of(G), **box, "tol": 1e-3}
    says = {"K": "diagonal|F|A"}
    refuses(smo_newton.solve_whole, {**given, "max_steps": 9, "spent": 0}, {"F", "b"}, says=says)
    among = {"A": np.arange(2), **given, "effort": 9.0, "spent": 0.0}
    refuses(smo_newton.improve_among, among, {"F", "b"}, free={"A"}, says=says)
    refuses(smo_newton.recentre, {"K": G, **box, "tol": 1e-3, "effort": 9.0}, {"F", "b"}, says=says)
    found = {"found": np.zeros(3, dtype=np.intp)}
    refuses(smo_newton.active_items, {**box, "margin": 0.0, **found}, {"found"}, says={"found": "F"})
    centre = {"K": G, "F": F, "c": b, "beta": 0.0, "total": 0.0, "lo": lo, "hi": hi, "epsilon": 0.0, "sigma": 1.0}
    refuses(smo_newton.nearest, {**centre, "x": b.copy(), "Fx": b.copy()}, {"x", "Fx"}, says=says)
    with pytest.raises(TypeError, match=r"^recentre: K must be an array of float32; got float64"):
        smo_newton.recentre(**{"K": np.eye(3), **box, "tol": 1e-3, "effort": 9.0})
    with pytest.raises(ValueError, match=r"^improve_among: A must be indices from 0 to below 3; got 3"):
        smo_newton.improve_among(**among | {"A": np.array([0, 3])})
    for name in ("max_steps", "spent"):
        with pytest.raises(ValueError, match=f"^solve_whole: {name} must be 0 or more; got -1"):
            smo_newton.solve_whole(**given | {"max_steps": 9, "spent": 0, name: -1})
