"""Out-of-fold scores: one problem is solved again without each of a few sets of items, which the refit then scores.

Two facts make that cheap:

1. the full solution is nearly right for every refit, so a refit takes few steps;
2. items far outside the margin have no coefficient in any refit.  Only the others are refitted, on one Gram, with the
   held-out items fixed at the coefficient zero.  At the end all items are scored in one streamed pass; the scores show
   whether an item was left out wrongly.
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
from mercer.solvers.dual.problem import DualProblem
from mercer.solvers.limits import Limits, room_for
from mercer.typing import Array

LARGEST = 4096  # items that are refitted on a stored Gram, ...
BYTES_PER_PAIR = 16  # ... if the budget has so many bytes for every pair of them
NEAR = 1.5  # items with a margin y f up to this are refitted from the first round on, ...
SPARE = 200  # ... but at most three times as many as support vectors, and so many more
WRONG = 0.9  # an item without a coefficient whose margin is below this was left out wrongly
WRONG_SHARE = 0.002  # of the refitted items: up to so many that were left out wrongly are accepted
LOOSE = 0.1  # tolerance of a refit, enough for a sigmoid through thousands of scores
ROUNDS = 4


def held_out_scores(
    gram: Any, y: Array, problem: DualProblem, solution: DualSolution, held: Array, limits: Limits
) -> Array | None:
    """(items, refits): f of every item by the machine without the items of each column of `held`.

    `y` are labels -1 and +1, `solution` is that of all items.  None if a limit was reached first.
    """
    return _Refits(gram, y, problem, solution, held).scores(limits)


@dataclass(frozen=True, eq=False)
class _Refits:
    gram: Any
    y: Array
    problem: DualProblem
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
            todo = np.flatnonzero(wrong.sum(axis=0) > WRONG_SHARE * near.sum())
            near = near | wrong.any(axis=1)
            if not len(todo):
                break
        return scores

    def by_one_call(self) -> Array | None:
        """All refits in one native call; None if the problem is large or of another kind, or its Gram is not stored."""
        gram, p = self.gram.single(), self.problem
        small = isinstance(gram, StoredGram) and len(p) <= room_for(LARGEST, BYTES_PER_PAIR)
        if not small or not p.fits_native_loops or p.start.any():
            return None
        places = np.arange(len(p)) if gram.I is None else gram.I
        scores, held = np.empty(self.held.shape), np.ascontiguousarray(self.held)
        done = smo_batch.solve_folds(
            native_gram(gram.K), places, held, p.z, p.lo, p.hi, p.epsilon, self.solution.coef, LOOSE, STEPS, scores
        )
        return scores if done else None

    def near(self) -> Array:
        """The items that may have a coefficient in some refit: support vectors, and those with the smallest margins.

        All items if the Gram is stored: their kernel values cost nothing.
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
        some, far = self.problem.grouped(np.flatnonzero(near)), np.flatnonzero(~near)
        whole, gram = self.problem.take(some), self.gram.single()
        problems = [pinned(whole, self.held[some, fold]) for fold in todo]
        sums = [totals(self.problem, ~self.held[:, fold]) for fold in todo]
        starts = zip(problems, coef[np.ix_(some, todo)].T, sums, strict=True)
        B = np.column_stack([problem.feasible(b, total) for problem, b, total in starts])
        found = solve_loosely(gram.sub(some), problems, B, limits)
        B = coef[np.ix_(some, todo)] = np.column_stack([s.coef for s in found])
        J = np.flatnonzero(B.any(axis=1))
        if len(far) and len(J) and not limits.reached():
            scores[np.ix_(far, todo)] = gram.part(far, some[J]) @ B[J]
        for fold, problem, s in zip(todo, problems, found, strict=True):
            scores[some, fold] = s.gradient + problem.z - problem.ridge_times(s.coef)
            scores[:, fold] = (scores[:, fold] + s.bias) / s.margin


def solve_loosely(gram: Any, problems: list[DualProblem], B: Array, limits: Limits) -> list[DualSolution]:
    """Solutions whose conditions hold to LOOSE, from the columns of B."""
    own = replace(limits, tol=max(limits.tol, LOOSE))
    if len(B) <= room_for(LARGEST, BYTES_PER_PAIR) and not isinstance(gram, StoredGram):
        gram = StoredGram.of(gram.dense())  # one Gram for all problems
    found = [decompose(gram, problem, own, b) for problem, b in zip(problems, B.T, strict=True)]
    limits.ended = limits.ended or own.ended
    return found


def pinned(problem: DualProblem, held: Array) -> DualProblem:
    """The problem with the coefficients of held-out items fixed at zero: they only get a score."""
    return replace(problem, lo=np.where(held, 0.0, problem.lo), hi=np.where(held, 0.0, problem.hi))


def totals(problem: DualProblem, train: Array) -> list[float]:
    """The prescribed sum of each group when only some items take part: their share, as far as their bounds allow."""
    groups = problem.groups
    sums = [float(problem.start[group].sum()) for group in groups]
    if not any(sums):
        return sums
    width = problem.hi - problem.lo
    share = width[train].sum() / width.sum()
    share = min([share, *(width[train & g].sum() / abs(s) for g, s in zip(groups, sums, strict=True))])
    return [share * s for s in sums]
