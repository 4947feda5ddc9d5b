"""Scores of items by machines that did not see them: one problem solved again without each of a few sets of items.

Two facts make that cheap:

1. the full solution is nearly right for every refit, so a refit takes few steps;
2. items far outside the margin have no coefficient in any of them.  Only the others are refitted, on one Gram where
   the items held out keep the coefficient zero, and the scores that all items get in the end, in one streamed pass,
   show whether an item was left out wrongly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer.gram import StoredGram
from mercer.native import smo_batch
from mercer.solvers.dual.batch import STEPS, native_gram
from mercer.solvers.dual.certificate import DualSolution
from mercer.solvers.dual.decomposition import decompose
from mercer.solvers.dual.feasible import feasible, groups
from mercer.solvers.dual.problem import Problem
from mercer.solvers.dual.room import room_for
from mercer.solvers.limits import Limits
from mercer.typing import Array

LARGEST = 4096  # items that are refitted on a stored Gram, ...
PAIR = 16  # ... if the budget has so many bytes for every pair of them
NEAR = 1.5  # margins y f up to which an item takes part in the refits from the beginning
SPARE = 200  # such items beside twice as many as support vectors
WRONG = 0.9  # a margin below which an item without a coefficient was left out wrongly
FEW = 0.002  # share of such items that does not matter
LOOSE = 0.1  # tolerance of a refit: a sigmoid through thousands of scores needs no more
ROUNDS = 4


def held_out_scores(
    gram: Any, y: Array, problem: Problem, solution: DualSolution, held: Array, limits: Limits
) -> Array | None:
    """(items, refits): f of every item by the machine without the items of each column of `held`.

    `y` are labels -1 and +1, `solution` that of all items.  None when the limits ended the work before.
    """
    return _Refits(gram, y, problem, solution, held).scores(limits)


@dataclass(frozen=True, eq=False)
class _Refits:
    gram: Any
    y: Array
    problem: Problem
    solution: DualSolution
    held: Array

    def scores(self, limits: Limits) -> Array | None:
        held = self.held
        quick = self.by_one_call()
        if quick is not None:
            return quick
        coef, scores = np.where(held, 0.0, self.solution.coef[:, None]), np.zeros(held.shape)
        near, todo = self.near(), np.arange(held.shape[1])
        for _ in range(ROUNDS):
            if limits.reached():
                return None
            self.refit(near, todo, coef, scores, limits)
            if limits.reached():
                return None
            wrong = (self.y[:, None] * scores < WRONG) & ~held & ~near[:, None]
            todo = np.flatnonzero(wrong.sum(axis=0) > FEW * near.sum())
            near = near | wrong.any(axis=1)
            if not len(todo):
                break
        return scores

    def by_one_call(self) -> Array | None:
        """All refits in one native call, where the problem is small and plain and its Gram is stored; else None."""
        gram, p = self.gram.single(), self.problem
        if not isinstance(gram, StoredGram) or len(p) > room_for(LARGEST, PAIR) or not p.plain or p.start.any():
            return None
        places = np.arange(len(p)) if gram.I is None else gram.I
        scores, held = np.empty(self.held.shape), np.ascontiguousarray(self.held)
        done = smo_batch.solve_folds(
            native_gram(gram.K), places, held, p.z, p.lo, p.hi, p.epsilon, self.solution.coef, LOOSE, STEPS, scores
        )
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

    def refit(self, near: Array, todo: Array, coef: Array, scores: Array, limits: Limits) -> None:
        """Fit the machines without the sets `todo` to the items `near`; writes their columns of coef and scores."""
        some, far = grouped(np.flatnonzero(near), self.problem), np.flatnonzero(~near)
        whole, gram = self.problem.take(some), self.gram.single()
        problems = [pinned(whole, self.held[some, fold]) for fold in todo]
        sums = [totals(self.problem, ~self.held[:, fold]) for fold in todo]
        B = np.column_stack([feasible(*part) for part in zip(coef[np.ix_(some, todo)].T, problems, sums, strict=True)])
        found = solve_loosely(gram.sub(some), problems, B, limits)
        B = coef[np.ix_(some, todo)] = np.column_stack([s.coef for s in found])
        J = np.flatnonzero(B.any(axis=1))
        if len(far) and len(J) and not limits.reached():
            scores[np.ix_(far, todo)] = gram.part(far, some[J]) @ B[J]
        for fold, problem, s in zip(todo, problems, found, strict=True):
            scores[some, fold] = s.gradient + problem.z - problem.ridge_times(s.coef)
            scores[:, fold] = (scores[:, fold] + s.bias) / s.margin


def solve_loosely(gram: Any, problems: list[Problem], B: Array, limits: Limits) -> list[DualSolution]:
    """Solutions whose conditions hold to LOOSE, from the columns of B."""
    own = replace(limits, tol=max(limits.tol, LOOSE))
    if len(B) <= room_for(LARGEST, PAIR) and not isinstance(gram, StoredGram):
        gram = StoredGram.of(gram.dense())  # one Gram for all of them
    found = [decompose(gram, problem, own, b) for problem, b in zip(problems, B.T, strict=True)]
    limits.ended = limits.ended or own.ended
    return found


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
