"""Probabilities: Platt's sigmoid on scores that no item had a hand in (M20).

The items of each class are dealt out in turn to a few folds, so that the folds are stratified and always the same.
For every fold the machine is fitted to the others, from the full solution without the fold's items, and gives the
fold its scores.  Two facts make that cheap:

1. the full solution is nearly right for every fold, so a refit takes few steps;
2. items far outside the margin have no coefficient in any of them.  Only the others are refitted, on one Gram where
   the items held out keep the coefficient zero, and the scores that all items get in the end, in one streamed pass,
   show whether an item was left out wrongly.

Of many items a few folds are enough, for two numbers are to be found.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.estimators.svm.effort import SMALL, Effort
from mercer.gram import StoredGram
from mercer.solvers.dual import DualSolution, Problem
from mercer.solvers.dual.feasible import feasible, groups
from mercer.solvers.dual.many import STEPS, Part, solve_parts
from mercer.solvers.platt import Platt, platt
from mercer.typing import Array

FOLDS = 5
ENOUGH = 1000  # held-out items of the rarer class that fix the two numbers of a sigmoid to a few percent
NEAR = 1.5  # margins y f up to which an item takes part in the refits from the beginning
SPARE = 200  # such items beside twice as many as support vectors
WRONG = 0.9  # a margin below which an item without a coefficient was left out wrongly
FEW = 0.002  # share of such items that does not matter
LOOSE = 0.1  # optimality conditions of a refit: a sigmoid through thousands of scores does not feel more
ROUNDS = 4


def require_folds(owner: str, classes: Array, counts: Array) -> None:
    """Refuse classes that cannot be held out and fitted to at once."""
    c = int(np.argmin(counts))
    if counts[c] < 2:
        raise bad(owner, "every class", "of 2 items or more for probability=True",
                  f"{counts[c]} of class {classes.tolist()[c]!r}",
                  "Probabilities come from items held out: add items, or set probability=False.")  # fmt: skip


def held_out(y: Array) -> Array:
    """(items, refits): which items each refit leaves out and scores.

    Each class is dealt out in turn to FOLDS folds, or as many as the rarer class has items; of the folds, as many are
    used as it takes to score ENOUGH items of that class.
    """
    sides = np.flatnonzero(y > 0.0), np.flatnonzero(y < 0.0)
    rare = min(map(len, sides))
    k = min(FOLDS, rare)
    fold = np.empty(len(y), dtype=np.intp)
    for side in sides:
        fold[side] = np.arange(len(side)) % k
    return np.asarray(fold[:, None] == np.arange(min(k, -(-ENOUGH * k // rare))))


@dataclass(frozen=True, eq=False)
class Calibration:
    """One binary machine that is to be calibrated."""

    gram: Any
    y: Array
    weight: Array
    problem: Problem
    solution: DualSolution

    def fit(self, effort: Effort) -> Platt | None:
        """The sigmoid, or None when the effort ended before."""
        held = held_out(self.y)
        scores = self.scores(held, effort)
        if scores is None:
            return None
        some = held.any(axis=1)
        w = self.weight[some]
        return platt(scores[held], self.y[some], sample_weight=w / w.mean(), tol=1e-6)

    def scores(self, held: Array, effort: Effort) -> Array | None:
        """(items, refits): f of every item by each refit, right to the precision that a sigmoid needs."""
        quick = self.scores_of_few(held)
        if quick is not None:
            return quick
        coef, scores = np.where(held, 0.0, self.solution.coef[:, None]), np.zeros(held.shape)
        near, todo = self.near(), np.arange(held.shape[1])
        for _ in range(ROUNDS):
            if not effort.over:
                self._refit(near, held, todo, coef, scores, effort)
            if effort.over:
                return None
            wrong = (self.y[:, None] * scores < WRONG) & ~held & ~near[:, None]
            todo = np.flatnonzero(wrong.sum(axis=0) > FEW * near.sum())
            near = near | wrong.any(axis=1)
            if not len(todo):
                break
        return scores

    def scores_of_few(self, held: Array) -> Array | None:
        """The same in one compiled call, where the problem is small and plain and its Gram is stored; else None."""
        from mercer.compiled.refits import refit

        gram, p = self.gram.single(), self.problem
        places = np.arange(len(p)) if getattr(gram, "I", None) is None else gram.I
        if not isinstance(gram, StoredGram) or len(p) > SMALL or not Part(places, p).plain or p.start.any():
            return None
        K = np.require(gram.K, gram.K.dtype if gram.K.dtype == np.float32 else np.float64, ["C", "W"])
        scores = np.empty(held.shape)
        done = refit(K, places, held, p.z, p.lo, p.hi, p.epsilon, self.solution.coef, LOOSE, STEPS, scores)
        return scores if done else None

    def near(self) -> Array:
        """The items that may have a coefficient in some refit: support vectors, and those with the smallest margins.

        Where the Gram is stored it costs least to take all.
        """
        if isinstance(self.gram.single(), StoredGram):
            return np.ones(len(self.y), dtype=bool)
        s = self.solution
        f = s.gradient + self.problem.z - self.problem.ridge_times(s.coef) + s.bias
        margins = np.where(s.coef != 0.0, -np.inf, self.y * f / s.margin)
        most = min(len(f), 3 * int(np.count_nonzero(s.coef)) + SPARE) - 1
        return np.asarray(margins <= min(NEAR, np.partition(margins, most)[most]))

    def _refit(self, near: Array, held: Array, todo: Array, coef: Array, scores: Array, effort: Effort) -> None:
        """Fit the machines without the folds `todo` to the items `near`; writes their columns of coef and scores."""
        some, far = grouped(np.flatnonzero(near), self.problem), np.flatnonzero(~near)
        whole, gram = self.problem.take(some), self.gram.single()
        problems = [pinned(whole, held[some, fold]) for fold in todo]
        sums = [totals(self.problem, ~held[:, fold]) for fold in todo]
        B = np.column_stack([feasible(*part) for part in zip(coef[np.ix_(some, todo)].T, problems, sums, strict=True)])
        found = solve_roughly(gram.sub(some), problems, B, effort)
        B = coef[np.ix_(some, todo)] = np.column_stack([s.coef for s in found])
        J = np.flatnonzero(B.any(axis=1))
        if len(far) and len(J) and not effort.over:
            scores[np.ix_(far, todo)] = gram.part(far, some[J]) @ B[J]
        for fold, problem, s in zip(todo, problems, found, strict=True):
            scores[some, fold] = s.gradient + problem.z - problem.ridge_times(s.coef)
            scores[:, fold] = (scores[:, fold] + s.bias) / s.margin


def solve_roughly(gram: Any, problems: list[Problem], B: Array, effort: Effort) -> list[DualSolution]:
    """Solutions whose conditions hold to LOOSE, from the columns of B."""
    found: list[DualSolution | None] = [None] * len(problems)
    if len(B) <= SMALL:
        gram = gram if isinstance(gram, StoredGram) else StoredGram.of(gram.dense())
        places = np.arange(len(B)) if gram.I is None else gram.I
        parts = [Part(places, problem, b) for problem, b in zip(problems, B.T, strict=True)]
        if all(part.plain for part in parts):
            found = solve_parts(gram.K, parts, tol=LOOSE, rough=True)
    return [
        known or effort.solve(gram, problem, b, loosest=LOOSE)
        for known, problem, b in zip(found, problems, B.T, strict=True)
    ]


def grouped(index: Array, problem: Problem) -> Array:
    """The positions with the two groups one after the other, as SMO wants them."""
    return index if problem.second is None else index[np.argsort(problem.second[index], kind="stable")]


def pinned(problem: Problem, held: Array) -> Problem:
    """The problem with some coefficients held at zero, so that those items only get a score."""
    return replace(problem, lo=np.where(held, 0.0, problem.lo), hi=np.where(held, 0.0, problem.hi))


def totals(problem: Problem, train: Array) -> list[float]:
    """What each group must add up to when only some items take part: their share, as far as their bounds allow."""
    sums = [float(problem.start[group].sum()) for group in groups(problem)]
    if not any(sums):
        return sums
    width = problem.hi - problem.lo
    share = width[train].sum() / width.sum()
    share = min([share, *(width[train & g].sum() / abs(s) for g, s in zip(groups(problem), sums, strict=True))])
    return [share * s for s in sums]
