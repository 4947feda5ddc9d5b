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
