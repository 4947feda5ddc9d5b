"""Probabilities: Platt's sigmoid on scores that no item had a hand in (M20).

The items of each class are dealt out in turn to a few folds, so that the folds are stratified and always the same.
For every fold the machine is fitted to the others, from the full solution without the fold's items, and gives the
fold its scores.  Two facts make that cheap:

1. the full solution is nearly right for every fold, so a refit takes few steps;
2. items far outside the margin have no coefficient in any of them.  Only the others are refitted, on one stored Gram,
   and the scores that all items get in the end, in one streamed pass, show whether an item was left out wrongly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.estimators.effort import SMALL, Effort
from mercer.gram import StoredGram
from mercer.solvers.dual import DualSolution, Problem
from mercer.solvers.platt import Platt, platt
from mercer.typing import Array

FOLDS = 5
ENOUGH = 1000  # held-out items of the rarer class that fix the two numbers of a sigmoid to a few percent
NEAR = 1.5  # margins y f up to which an item takes part in the refits from the beginning
WRONG = 0.9  # a margin below which an item without a coefficient was left out wrongly
FEW = 0.002  # share of such items that does not matter
LOOSE = 0.1  # optimality conditions of a refit: a sigmoid through thousands of scores does not feel more
ROUNDS = 4


def require_folds(owner: str, classes: Array, counts: Array) -> None:
    """Refuse classes that cannot be held out and fitted to at once."""
    c = int(np.argmin(counts))
    if counts[c] < 2:
        raise bad(owner, "every class", "of 2 items or more for probability=True", f"{counts[c]} of class {classes[c]!r}",
                  "Probabilities come from items held out; add items, or set probability=False.")  # fmt: skip


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
        return platt(scores[held], self.y[some], sample_weight=self.weight[some] / self.weight[some].mean())

    def scores(self, held: Array, effort: Effort) -> Array | None:
        """(items, refits): f of every item by each refit, right to the precision that a sigmoid needs."""
        coef, scores = np.where(held, 0.0, self.solution.coef[:, None]), np.zeros(held.shape)
        near, todo = (self.solution.coef != 0.0) | (self.margins() < NEAR), np.arange(held.shape[1])
        for _ in range(ROUNDS):
            self._refit(near, held, todo, coef, scores, effort)
            if effort.over:
                return None
            wrong = (self.y[:, None] * scores < WRONG) & ~held & ~near[:, None]
            todo = np.flatnonzero(wrong.sum(axis=0) > FEW * near.sum())
            near = near | wrong.any(axis=1)
            if not len(todo):
                break
        return scores

    def margins(self) -> Array:
        """y f of every item in the full solution."""
        s = self.solution
        f = s.gradient + self.problem.z - self.problem.ridge_times(s.coef) + s.bias
        return np.asarray(self.y * f / s.margin)

    def _refit(self, near: Array, held: Array, todo: Array, coef: Array, scores: Array, effort: Effort) -> None:
        """Fit the machines without the folds `todo` to the items `near`; writes their columns of coef and scores."""
        some, far = np.flatnonzero(near), np.flatnonzero(~near)
        gram, problem = stored(self.gram.single().sub(some)), self.problem.take(some)
        bias, margin = np.zeros(held.shape[1]), np.ones(held.shape[1])

        def refit(t: int) -> None:
            fold = todo[t]
            without = pinned(problem, held[some, fold])
            start = feasible(coef[some, fold], without, totals(self.problem, ~held[:, fold]))
            s = effort.solve(gram, without, start, loosest=LOOSE)
            coef[some, fold], bias[fold], margin[fold] = s.coef, s.bias, s.margin
            scores[some, fold] = s.gradient + without.z - without.ridge_times(s.coef)

        effort.share_out(refit, [len(some)] * len(todo))
        J = np.flatnonzero(coef[:, todo].any(axis=1))
        if len(far) and len(J) and not effort.over:
            scores[np.ix_(far, todo)] = self.gram.single().part(far, J) @ coef[np.ix_(J, todo)]
        scores[:, todo] = (scores[:, todo] + bias[todo]) / margin[todo]


def stored(gram: Any) -> Any:
    """The Gram in memory when it is small: the solver makes better use of a large one that is lazy."""
    return StoredGram.of(gram.dense()) if len(gram) <= SMALL else gram


def pinned(problem: Problem, held: Array) -> Problem:
    """The problem with some coefficients held at zero, so that those items only get a score."""
    return replace(problem, lo=np.where(held, 0.0, problem.lo), hi=np.where(held, 0.0, problem.hi))


def groups(problem: Problem) -> list[Array]:
    """The variables of each group as masks; none without a bias."""
    if not problem.bias:
        return []
    return [np.ones(len(problem), dtype=bool)] if problem.second is None else [~problem.second, problem.second]


def totals(problem: Problem, train: Array) -> list[float]:
    """What each group must add up to when only some items take part: their share, as far as their bounds allow."""
    sums = [float(problem.start[group].sum()) for group in groups(problem)]
    if not any(sums):
        return sums
    width = problem.hi - problem.lo
    share = width[train].sum() / width.sum()
    share = min([share, *(width[train & g].sum() / abs(s) for g, s in zip(groups(problem), sums, strict=True))])
    return [share * s for s in sums]


def feasible(b: Array, problem: Problem, sums: list[float]) -> Array:
    """b with its sums put right: coefficients between zero and their bounds move first, then bounded ones, then zeros."""
    b = np.clip(b, problem.lo, problem.hi)
    free = (b > problem.lo) & (b < problem.hi) & (b != 0.0)
    for group, total in zip(groups(problem), sums, strict=True):
        for chosen in (group & free, group & (b != 0.0), group):
            missing = total - b[group].sum()
            up = missing > 0.0
            back, on = np.where(chosen, -b if up else b, 0.0), problem.hi - b if up else b - problem.lo
            # the way back to zero is always there; the way on may be endless, and then it is not needed
            room = np.where(back > 0.0, back, np.where(chosen & (back <= 0.0) & np.isfinite(on), on, 0.0))
            b += np.sign(missing) * min(abs(missing) / max(room.sum(), 1e-300), 1.0) * room
    return np.clip(b, problem.lo, problem.hi)
