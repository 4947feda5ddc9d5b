"""A path of boxes for the same items has the solutions of the problems by themselves."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.gram import StoredGram
from mercer.kernels import RBF
from mercer.solvers.dual import DualProblems, batch, solve, solve_paths, svc, svr, warm_path
from mercer.solvers.dual.certificate import certify, objectives

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 3))
K = RBF(1.0)(X)
labels = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=150) > 0.0, 1.0, -1.0)
numbers = np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=150)
some = np.sort(rng.permutation(150)[:110])
CS = [0.01, 0.1, 1.0, 10.0, 1e3, 1e5]
always = lambda: True


whole = np.arange(len(K))


def path(problems, bounds, epsilon=0.0, *, G=K, tol=1e-4, go_on=always):
    """All problems with all boxes: bounds for all items alike, or a row for each box."""
    bounds = np.array([np.broadcast_to(bound, len(G)) for bound in bounds])
    return solve_paths(G, problems, bounds, np.broadcast_to(epsilon, len(bounds)), tol=tol, go_on=go_on)


def classifiers(*indices):
    return DualProblems.of([svc(labels[index], 1.0) for index in indices], indices, "classification")


def regressor(index=some):
    return DualProblems.of([svr(numbers[index], 1.0, 0.0)], [index], "regression")


def certified(found, p, m, problem, index, G=K, tol=1e-4):
    """The solution and its proof, on the kernel values in single precision that the loop has seen."""
    b, G = found.coefs[p][m], G.astype(np.float32)
    F = G[np.ix_(index, index)].astype(float) @ b - problem.z
    return certify(b, F, problem, tol=tol, n_iter=0, reason="")


def assert_solves(found, problems, problem_of, count, tol=1e-4):
    """Every solution is that of decomposition, and comes with its bias and its relative gap."""
    assert found.solved == count
    for p in range(len(problems)):
        index = problems.index[problems.span(p)]
        for m in range(count):
            problem = problem_of(index, m)
            proof = certified(found, p, m, problem, index)
            exact = solve(StoredGram(K).sub(index), problem, tol=1e-7)
            assert proof.violation <= tol
            assert_allclose(found.bias[p, m], proof.bias, rtol=1e-6, atol=1e-7)
            assert_allclose(found.gap[p, m], proof.relative_gap, rtol=1e-3, atol=1e-7)
            assert_allclose(proof.dual, exact.dual, rtol=1e-3, atol=1e-6)
            assert proof.dual <= exact.dual * (1.0 + 1e-5) + 1e-6
            f, g = (K[:, index] @ b + r for b, r in ((proof.coef, found.bias[p, m]), (exact.coef, exact.bias)))
            assert_allclose(f, g, atol=2e-2 * max(1.0, np.abs(g).max()))


@pytest.mark.parametrize("values", [CS, CS[::-1], [1.0, 100.0, 0.01, 100.0]], ids=["growing", "shrinking", "by turns"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_boxes_in_any_order(values, dtype):
    found = path(classifiers(some), values, G=K.astype(dtype))
    assert_solves(found, classifiers(some), lambda index, m: svc(labels[index], values[m]), len(values))


def test_paths_on_other_items_and_on_all_of_them():
    problems = classifiers(some, whole, np.arange(20, 90), whole[::-1].copy())
    assert_solves(path(problems, CS[:4]), problems, lambda index, m: svc(labels[index], CS[m]), 4)


def test_tubes_of_regression():
    tubes, bounds = np.repeat([0.0, 0.1, 0.3], 3), np.tile([0.1, 1.0, 100.0], 3)
    problem_of = lambda index, m: svr(numbers[index], bounds[m], tubes[m])
    assert_solves(path(regressor(), bounds, tubes), regressor(), problem_of, 9)


def test_weights_that_change_shape():
    boxes = [np.where(labels > 0.0, a, b) for a, b in ((1.0, 1.0), (5.0, 1.0), (1.0, 5.0))]
    problems = classifiers(some, whole[::2])
    assert_solves(path(problems, boxes), problems, lambda index, m: svc(labels[index], boxes[m][index]), 3)


def test_a_path_that_is_interrupted_gives_what_it_has(monkeypatch):
    monkeypatch.setattr(batch, "STEPS", 50)
    looks = iter([True] * 3 + [False] * 100)
    found = path(classifiers(some), CS, go_on=lambda: next(looks))
    assert 0 < found.solved < len(CS)
    assert_solves(found, classifiers(some), lambda index, m: svc(labels[index], CS[m]), found.solved)
    assert path(classifiers(some), CS, go_on=lambda: False).solved == 0


def test_a_box_is_solved_when_it_is_for_all_problems(monkeypatch):
    monkeypatch.setattr(batch, "STEPS", 50)
    problems = classifiers(some, np.arange(60))
    counts = [path(problems, CS[:2], go_on=iter([True] * looks + [False]).__next__).solved for looks in range(1, 12)]
    assert counts[0] == 0
    assert counts[-1] == 2
    assert counts == sorted(counts)


def test_a_problem_of_many_steps_goes_on_where_it_was(monkeypatch):
    monkeypatch.setattr(batch, "STEPS", 60)
    assert_solves(path(classifiers(some), CS[:4]), classifiers(some), lambda index, m: svc(labels[index], CS[m]), 4)


def test_a_problem_that_is_given_up_comes_with_its_gap(monkeypatch):
    monkeypatch.setattr(batch, "STEPS", 3)
    monkeypatch.setattr(warm_path, "TRIES", 2)
    found = path(classifiers(some), [10.0, 100.0], tol=1e-6)
    assert found.solved == 2
    proof = certified(found, 0, 0, svc(labels[some], 10.0), some, tol=1e-6)
    assert not proof.converged
    offsets = np.full(len(some), proof.bias)
    primal, dual = objectives(
        proof.coef, proof.gradient, svc(labels[some], 10.0), offsets
    )  # of f, not of its multiples
    assert_allclose(found.gap[0, 0], (primal - dual) / primal, rtol=1e-3)


def test_a_nearly_singular_gram_at_a_large_C_is_solved_by_newton_steps():
    """Of plain SMO steps this takes millions."""
    wide, values = RBF(8.0)(X).astype(np.float32), (1.0, 1e2, 1e4)
    found = path(classifiers(some), values, G=wide, tol=1e-3)
    assert found.steps.sum() < 50_000
    for m, C in enumerate(values):
        proof = certified(found, 0, m, svc(labels[some], C), some, wide, tol=1e-3)
        assert proof.converged
        assert_allclose(proof.coef.sum(), 0.0, atol=1e-9 * np.abs(proof.coef).sum())


def test_a_solution_within_its_box_is_that_of_every_larger_box():
    found = path(regressor(), [1e3, 1e4, 1e6], 0.3)
    assert np.abs(found.coefs[0][0]).max() < 1e3
    assert found.steps[0, 1] == found.steps[0, 2] == 0
    assert_allclose(found.coefs[0][2], found.coefs[0][0], rtol=0.0)
    boxes, place = found.distinct()
    assert_allclose(boxes, [0])
    assert_allclose(place, [0, 0, 0])


def test_boxes_whose_coefficients_differ_are_told_apart():
    """0.1 and 1 have coefficients at their bounds; 1e4 and 1e6 have the same within theirs."""
    found = path(regressor(), [0.1, 1.0, 1e4, 1e6], 0.3)
    boxes, place = found.distinct()
    assert boxes.tolist() == [0, 1, 2]
    assert place.tolist() == [0, 1, 2, 2]
