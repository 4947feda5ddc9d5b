"""Scores of items by machines that did not see them: refits, whatever the Gram is and whichever way they go (M20)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification

from mercer.gram import LazyGram, StoredGram
from mercer.kernels import RBF
from mercer.solvers.dual import held_out, nu_svc, solve, svc
from mercer.solvers.dual.held_out import held_out_scores, totals
from mercer.solvers.limits import Limits

X, y = make_classification(400, 5, n_informative=3, flip_y=0.1, random_state=0)
sign = np.where(y == 1, 1.0, -1.0)
k = RBF(2.0)
GRAMS = {"lazy": LazyGram(k, X), "stored": StoredGram.of(k(X)), "single": StoredGram.of(k(X).astype(np.float32))}
grams = pytest.mark.parametrize("gram", GRAMS.values(), ids=GRAMS)

# each class dealt out in turn to five folds
fold = np.empty(400, dtype=np.intp)
for side in (1.0, -1.0):
    fold[sign == side] = np.arange((sign == side).sum()) % 5
held = fold[:, None] == np.arange(5)


def scores_of(gram, problem, full):
    return held_out_scores(gram, sign, problem, full, held, Limits())


@pytest.mark.parametrize("settings", [{"C": 1.0}, {"C": 30.0}, {"C": 1.0, "squared": True}, {"C": 1.0, "bias": False}],
                         ids=str)  # fmt: skip
@grams
def test_scores_of_held_out_items_are_those_of_machines_fitted_without_them_M20(settings, gram):
    problem = svc(sign, **settings)
    full = solve(gram, problem, tol=1e-6)
    scores = scores_of(gram, problem, full)
    assert scores.shape == held.shape
    for fold in range(5):
        train = np.flatnonzero(~held[:, fold])
        alone = solve(gram.sub(train), problem.take(train), tol=1e-6)
        f = gram.part(None, train) @ alone.coef + alone.bias
        assert_allclose(scores[:, fold], f, atol=0.3)  # refits are rough, as a sigmoid does not feel more
        assert np.sqrt(np.mean((scores[:, fold] - f) ** 2)) < 0.1


@grams
def test_refits_of_nu_machines_keep_their_nu_M20(gram):
    problem = nu_svc(sign, 0.4)
    full = solve(gram, problem, tol=1e-6)
    scores = scores_of(gram, problem, full)
    for fold in range(2):
        train = np.flatnonzero(~held[:, fold])
        alone = solve(gram.sub(train), nu_svc(sign[train], 0.4), tol=1e-6)
        f = (gram.part(None, train) @ alone.coef + alone.bias) / alone.margin
        assert np.sqrt(np.mean((scores[:, fold] - f) ** 2)) < 0.1


def test_of_a_part_of_a_stored_gram_too():
    some = np.random.default_rng(0).permutation(400)
    problem = svc(sign[some], 1.0)
    gram = StoredGram.of(k(X)).sub(some)
    full = solve(gram, problem)
    found = held_out_scores(gram, sign[some], problem, full, held[some], Limits())
    usual = scores_of(GRAMS["stored"], svc(sign, 1.0), solve(GRAMS["stored"], svc(sign, 1.0)))
    assert np.sqrt(np.mean((found - usual[some]) ** 2)) < 0.1


def test_a_small_stored_problem_is_refitted_in_one_call(monkeypatch):
    calls = []
    monkeypatch.setattr(held_out, "decompose", lambda *args: calls.append(args))
    problem = svc(sign, 1.0)
    assert scores_of(GRAMS["stored"], problem, solve(GRAMS["stored"], problem)) is not None
    assert not calls


def test_what_takes_too_many_steps_for_that_is_refitted_one_by_one(monkeypatch):
    problem = svc(sign, 1.0)
    full = solve(GRAMS["stored"], problem, tol=1e-6)
    usual = scores_of(GRAMS["stored"], problem, full)
    monkeypatch.setattr(held_out, "STEPS", 0)
    again = scores_of(GRAMS["stored"], problem, full)
    assert np.sqrt(np.mean((usual - again) ** 2)) < 0.1


@pytest.mark.parametrize("problem", [svc(sign, 1.0), svc(sign, np.inf), nu_svc(sign, 0.4)], ids=["C", "hard", "nu"])
def test_a_start_is_feasible_whatever_was_left_out(problem):
    b = np.abs(np.random.default_rng(0).normal(size=400)) * sign
    train = np.arange(400) % 5 > 0
    sums = totals(problem, train)
    start = problem.feasible(np.where(train, b, 0.0), sums)
    assert (problem.lo <= start).all()
    assert (start <= problem.hi).all()
    assert_allclose([start[g].sum() for g in problem.groups], sums, atol=1e-9)


def test_items_left_out_wrongly_are_taken_in_again_M20(monkeypatch):
    """With only support vectors as candidates the refits have to find the others they need."""
    gram, problem = GRAMS["lazy"], svc(sign, 30.0)
    full = solve(gram, problem)
    usual = scores_of(gram, problem, full)
    monkeypatch.setattr(held_out, "NEAR", -np.inf)
    refits = held_out._Refits(gram, sign, problem, full, held)
    assert_array_equal(refits.near(), full.coef != 0.0)
    again = scores_of(gram, problem, full)
    assert np.sqrt(np.mean((usual - again)[held] ** 2)) < 0.1
    monkeypatch.setattr(held_out, "ROUNDS", 1)
    once = scores_of(gram, problem, full)
    assert np.sqrt(np.mean((usual - once)[held] ** 2)) > 0.1


@pytest.mark.parametrize("limits", [Limits(time_limit=0.0), Limits(ended="interrupted")], ids=["time", "interrupt"])
def test_there_are_none_when_the_work_was_ended_before(limits):
    problem = svc(sign, 1.0)
    full = solve(GRAMS["lazy"], problem)
    assert held_out_scores(GRAMS["lazy"], sign, problem, full, held, limits) is None
