"""A chain of problems on the same items has the solutions of the problems by themselves."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.gram import StoredGram
from mercer.kernels import RBF
from mercer.solvers.dual import many, solve, svc, svr
from mercer.solvers.dual.many import Part, solve_chain

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 3))
K = RBF(1.0)(X)
labels = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=150) > 0.0, 1.0, -1.0)
numbers = np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=150)
some = np.sort(rng.permutation(150)[:110])
CS = [0.01, 0.1, 1.0, 10.0, 1e3, 1e5]
always = lambda: True


def classifiers(values):
    return [Part(some, svc(labels[some], C)) for C in values]


def assert_solves(found, parts, tol=1e-4):
    for solution, part in zip(found, parts, strict=True):
        exact = solve(StoredGram(K).sub(part.index), part.problem, tol=1e-7)
        assert solution.converged
        assert solution.violation <= tol
        assert_allclose(solution.dual, exact.dual, rtol=1e-3, atol=1e-6)
        assert solution.dual <= exact.dual * (1.0 + 1e-5) + 1e-6
        f, g = (K[:, part.index] @ s.coef + s.bias for s in (solution, exact))
        assert_allclose(f, g, atol=2e-2 * max(1.0, np.abs(g).max()))


@pytest.mark.parametrize("values", [CS, CS[::-1], [1.0, 100.0, 0.01, 100.0]], ids=["growing", "shrinking", "by turns"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_boxes_in_any_order(values, dtype):
    parts = classifiers(values)
    assert_solves(solve_chain(K.astype(dtype), parts, tol=1e-4, go_on=always), parts)


def test_tubes_of_regression():
    parts = [Part(some, svr(numbers[some], C, epsilon)) for epsilon in (0.0, 0.1, 0.3) for C in (0.1, 1.0, 100.0)]
    assert_solves(solve_chain(K, parts, tol=1e-4, go_on=always), parts)


def test_weights_that_change_shape():
    boxes = [np.where(labels[some] > 0.0, a, b) for a, b in ((1.0, 1.0), (5.0, 1.0), (1.0, 5.0), (0.0, 1.0))]
    parts = [Part(some, svc(labels[some], box)) for box in boxes[:3]]
    assert_solves(solve_chain(K, parts, tol=1e-4, go_on=always), parts)


def test_a_chain_that_is_interrupted_gives_what_it_has(monkeypatch):
    monkeypatch.setattr(many, "STEPS", 50)
    looks = iter([True] * 3 + [False] * 100)
    found = solve_chain(K, classifiers(CS), tol=1e-4, go_on=lambda: next(looks))
    assert 0 < len(found) < len(CS)
    assert_solves(found, classifiers(CS)[: len(found)])
    assert solve_chain(K, classifiers(CS), tol=1e-4, go_on=lambda: False) == []


def test_a_problem_of_many_steps_goes_on_where_it_was(monkeypatch):
    monkeypatch.setattr(many, "STEPS", 60)
    parts = classifiers(CS[:4])
    assert_solves(solve_chain(K, parts, tol=1e-4, go_on=always), parts)


def test_a_problem_that_is_given_up_comes_with_its_gap(monkeypatch):
    monkeypatch.setattr(many, "STEPS", 3)
    monkeypatch.setattr(many, "TRIES", 2)
    parts = classifiers([10.0, 100.0])
    found = solve_chain(K, parts, tol=1e-6, go_on=always)
    assert len(found) == 2
    assert not found[0].converged
    assert found[0].gap > 0.0


def test_a_nearly_singular_gram_at_a_large_C_is_solved_by_newton_steps():
    """Of plain SMO steps this takes millions."""
    wide = RBF(8.0)(X).astype(np.float32)
    parts = [Part(some, svc(labels[some], C)) for C in (1.0, 1e2, 1e4)]
    found = solve_chain(wide, parts, tol=1e-3, go_on=always)
    assert all(s.converged for s in found)
    assert sum(s.n_iter for s in found) < 50_000
    for s, part in zip(found, parts, strict=True):
        assert_allclose(s.coef.sum(), 0.0, atol=1e-9 * np.abs(s.coef).sum())
        F = wide[np.ix_(some, some)].astype(float) @ s.coef - part.problem.z
        assert_allclose(s.gradient, F, atol=1e-3)


def test_a_solution_within_its_box_is_that_of_every_larger_box():
    parts = [Part(some, svr(numbers[some], C, 0.3)) for C in (1e3, 1e4, 1e6)]
    found = solve_chain(K, parts, tol=1e-4, go_on=always)
    assert np.abs(found[0].coef).max() < 1e3
    assert found[1].n_iter == found[2].n_iter == 0
    assert_allclose(found[2].coef, found[0].coef, rtol=0.0)


def test_newton_steps_minimise_around_a_centre():
    """b = clip(soft(t + sigma c, epsilon) / sigma) with t = z - K b - beta, and the sum of the centre."""
    from mercer.compiled.proximal import nearest

    for problem, sigma in ((svc(labels, 10.0), 0.5), (svr(numbers, 2.0, 0.1), 0.7)):
        centre = np.zeros(len(K))
        done, b, F, *_ = nearest(K.astype(np.float32), -problem.z, centre, 0.0, 0.0, problem.lo, problem.hi,
                                 problem.epsilon, sigma)  # fmt: skip
        assert done
        assert abs(b.sum()) < 1e-9 * np.abs(b).sum()
        free = (b > problem.lo) & (b < problem.hi) & (b != 0.0)
        t = -F - sigma * b - problem.epsilon * np.sign(b)
        beta = t[free].mean()
        assert_allclose(t[free], beta, atol=1e-6)
        soft = np.sign(-F - beta) * np.maximum(np.abs(-F - beta) - problem.epsilon, 0.0)
        assert_allclose(b, np.clip(soft / sigma, problem.lo, problem.hi), atol=1e-6 / sigma)
