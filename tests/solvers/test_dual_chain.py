"""A chain of problems on the same items has the solutions of the problems by themselves."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.gram import StoredGram
from mercer.kernels import RBF
from mercer.solvers.dual import chained, many, solve, svc, svr
from mercer.solvers.dual.certificate import certify
from mercer.solvers.dual.chained import solve_chains
from mercer.solvers.dual.many import Part

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 3))
K = RBF(1.0)(X)
labels = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=150) > 0.0, 1.0, -1.0)
numbers = np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=150)
some = np.sort(rng.permutation(150)[:110])
CS = [0.01, 0.1, 1.0, 10.0, 1e3, 1e5]
always = lambda: True


whole = np.arange(len(K))


def chain(parts, bounds, epsilon=0.0, *, G=K, tol=1e-4, go_on=always):
    """All parts with all boxes: bounds for all items alike, or a row for each box."""
    bounds = np.array([np.broadcast_to(bound, len(G)) for bound in bounds])
    return solve_chains(G, parts, bounds, np.broadcast_to(epsilon, len(bounds)), tol=tol, go_on=go_on)


def classifier(index=some):
    return Part(index, svc(labels[index], 1.0))


def certified(found, p, m, problem, part, G=K, tol=1e-4):
    """The solution and its proof, on the kernel values in single precision that the loop has seen."""
    b, G = found.coefs[p][m], G.astype(np.float32)
    F = G[np.ix_(part.index, part.index)].astype(float) @ b - part.problem.z
    return certify(b, F, problem, tol=tol, n_iter=0, reason="")


def assert_solves(found, parts, problem_of, count, tol=1e-4):
    """Every solution is that of the engine, and comes with its bias and its relative gap."""
    assert found.solved == count
    for p, part in enumerate(parts):
        for m in range(count):
            problem = problem_of(part.index, m)
            proof = certified(found, p, m, problem, part)
            exact = solve(StoredGram(K).sub(part.index), problem, tol=1e-7)
            assert proof.violation <= tol
            assert_allclose(found.bias[p, m], proof.bias, rtol=1e-6, atol=1e-7)
            assert_allclose(found.gap[p, m], proof.relative_gap, rtol=1e-3, atol=1e-7)
            assert_allclose(proof.dual, exact.dual, rtol=1e-3, atol=1e-6)
            assert proof.dual <= exact.dual * (1.0 + 1e-5) + 1e-6
            f, g = (K[:, part.index] @ b + r for b, r in ((proof.coef, found.bias[p, m]), (exact.coef, exact.bias)))
            assert_allclose(f, g, atol=2e-2 * max(1.0, np.abs(g).max()))


@pytest.mark.parametrize("values", [CS, CS[::-1], [1.0, 100.0, 0.01, 100.0]], ids=["growing", "shrinking", "by turns"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_boxes_in_any_order(values, dtype):
    found = chain([classifier()], values, G=K.astype(dtype))
    assert_solves(found, [classifier()], lambda index, m: svc(labels[index], values[m]), len(values))


def test_chains_on_other_items_and_on_all_of_them():
    parts = [classifier(index) for index in (some, whole, np.arange(20, 90), whole[::-1].copy())]
    assert_solves(chain(parts, CS[:4]), parts, lambda index, m: svc(labels[index], CS[m]), 4)


def test_tubes_of_regression():
    tubes, bounds = np.repeat([0.0, 0.1, 0.3], 3), np.tile([0.1, 1.0, 100.0], 3)
    part = Part(some, svr(numbers[some], 1.0, 0.0))
    problem_of = lambda index, m: svr(numbers[index], bounds[m], tubes[m])
    assert_solves(chain([part], bounds, tubes), [part], problem_of, 9)


def test_weights_that_change_shape():
    boxes = [np.where(labels > 0.0, a, b) for a, b in ((1.0, 1.0), (5.0, 1.0), (1.0, 5.0))]
    parts = [classifier(), classifier(whole[::2])]
    assert_solves(chain(parts, boxes), parts, lambda index, m: svc(labels[index], boxes[m][index]), 3)


def test_a_chain_that_is_interrupted_gives_what_it_has(monkeypatch):
    monkeypatch.setattr(many, "STEPS", 50)
    looks = iter([True] * 3 + [False] * 100)
    found = chain([classifier()], CS, go_on=lambda: next(looks))
    assert 0 < found.solved < len(CS)
    assert_solves(found, [classifier()], lambda index, m: svc(labels[index], CS[m]), found.solved)
    assert chain([classifier()], CS, go_on=lambda: False).solved == 0


def test_a_machine_is_solved_when_all_chains_are(monkeypatch):
    monkeypatch.setattr(many, "STEPS", 50)
    parts = [classifier(), classifier(np.arange(60))]
    counts = [chain(parts, CS[:2], go_on=iter([True] * looks + [False]).__next__).solved for looks in range(1, 12)]
    assert counts[0] == 0
    assert counts[-1] == 2
    assert counts == sorted(counts)


def test_a_problem_of_many_steps_goes_on_where_it_was(monkeypatch):
    monkeypatch.setattr(many, "STEPS", 60)
    assert_solves(chain([classifier()], CS[:4]), [classifier()], lambda index, m: svc(labels[index], CS[m]), 4)


def test_a_problem_that_is_given_up_comes_with_its_gap(monkeypatch):
    monkeypatch.setattr(many, "STEPS", 3)
    monkeypatch.setattr(chained, "TRIES", 2)
    found = chain([classifier()], [10.0, 100.0], tol=1e-6)
    assert found.solved == 2
    proof = certified(found, 0, 0, svc(labels[some], 10.0), classifier(), tol=1e-6)
    assert not proof.converged
    assert_allclose(found.gap[0, 0], proof.relative_gap, rtol=1e-3)


def test_a_nearly_singular_gram_at_a_large_C_is_solved_by_newton_steps():
    """Of plain SMO steps this takes millions."""
    wide, values = RBF(8.0)(X).astype(np.float32), (1.0, 1e2, 1e4)
    found = chain([classifier()], values, G=wide, tol=1e-3)
    assert found.steps.sum() < 50_000
    for m, C in enumerate(values):
        proof = certified(found, 0, m, svc(labels[some], C), classifier(), wide, tol=1e-3)
        assert proof.converged
        assert_allclose(proof.coef.sum(), 0.0, atol=1e-9 * np.abs(proof.coef).sum())


def test_a_solution_within_its_box_is_that_of_every_larger_box():
    part = Part(some, svr(numbers[some], 1.0, 0.0))
    found = chain([part], [1e3, 1e4, 1e6], 0.3)
    assert np.abs(found.coefs[0][0]).max() < 1e3
    assert found.steps[0, 1] == found.steps[0, 2] == 0
    assert_allclose(found.coefs[0][2], found.coefs[0][0], rtol=0.0)


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
