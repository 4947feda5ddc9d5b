"""Probabilities: Platt's sigmoid on scores that no item had a hand in (M20).

The items of each class are dealt out in turn to a few folds, so that the folds are stratified and always the same.
For every fold the machine is fitted to the others, from the full solution without the fold's items, and gives the
fold its scores.  Two facts make that cheap:

1. the full solution is nearly right for every fold, so a refit takes few steps;
2. items far outside the margin have no coefficient in any of them.  Only the others are refitted, on one stored Gram,
   and the scores that all items get in the end, in one streamed pass, show whether an item was left out wrongly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.config import config
from mercer.errors import bad
from mercer.estimators.effort import SMALL, Effort
from mercer.gram import StoredGram
from mercer.solvers.dual import DualSolution, Problem
from mercer.solvers.platt import Platt, platt
from mercer.typing import Array

FOLDS = 5
NEAR = 1.5  # margins y f up to which an item takes part in the refits from the beginning
WRONG = 0.95  # a margin below which an item without a coefficient was left out wrongly
ROUNDS = 4


def require_folds(owner: str, classes: Array, counts: Array) -> None:
    """Refuse classes that cannot be held out and fitted to at once."""
    c = int(np.argmin(counts))
    if counts[c] < 2:
        raise bad(owner, "every class", "of 2 items or more for probability=True", f"{counts[c]} of class {classes[c]!r}",
                  "Probabilities come from items held out; add items, or set probability=False.")  # fmt: skip


def folds_of(y: Array) -> Array:
    """The fold of every item: each class is dealt out in turn to as many folds as its rarer one has items, at most 5."""
    up, down = np.flatnonzero(y > 0.0), np.flatnonzero(y < 0.0)
    k = min(FOLDS, len(up), len(down))
    out = np.empty(len(y), dtype=np.intp)
    out[up], out[down] = np.arange(len(up)) % k, np.arange(len(down)) % k
    return out


@dataclass(frozen=True, eq=False)
class Calibration:
    """One binary machine that is to be calibrated; `restrict(rows)` is its problem on some of the items."""

    gram: Any
    y: Array
    weight: Array
    problem: Problem
    restrict: Callable[[Array], Problem]
    solution: DualSolution

    def fit(self, effort: Effort) -> Platt | None:
        """The sigmoid, or None when the effort ended before."""
        folds = folds_of(self.y)
        scores = self.out_of_fold(folds, effort)
        if scores is None:
            return None
        return platt(scores, self.y, sample_weight=self.weight / self.weight.mean())

    def out_of_fold(self, folds: Array, effort: Effort) -> Array | None:
        """The score of every item by the machine fitted to the other folds."""
        k = int(folds.max()) + 1
        coef, b = np.repeat(self.solution.coef[:, None], k, axis=1), self.solution
        coef[np.arange(len(folds)), folds] = 0.0
        near = np.flatnonzero((b.coef != 0.0) | (self.margins(b) < NEAR))
        for _ in range(ROUNDS):
            scores = self._refit(near, folds, coef, effort)
            if scores is None:
                return None
            wrong = (self.y[:, None] * scores < WRONG) & (folds[:, None] != np.arange(k))
            wrong[near] = False
            if not wrong.any():
                break
            near = np.union1d(near, np.flatnonzero(wrong.any(axis=1)))
        return np.asarray(scores[np.arange(len(folds)), folds])

    def margins(self, s: DualSolution) -> Array:
        """y f of every item."""
        f = s.gradient + self.problem.z - self.problem.ridge_times(s.coef) + s.bias
        return np.asarray(self.y * f / s.margin)

    def _refit(self, near: Array, folds: Array, coef: Array, effort: Effort) -> Array | None:
        """Refit every fold on the items `near`; writes `coef` (n, folds) and returns all scores (n, folds)."""
        k = coef.shape[1]
        gram = stored(self.gram.single().sub(near))
        shift, scale = np.zeros(k), np.ones(k)

        def refit(fold: int) -> None:
            train = np.flatnonzero(folds[near] != fold)
            rows = near[train]
            whole = np.flatnonzero(folds != fold)
            problem = self.restrict(whole).take(np.searchsorted(whole, rows))
            start = feasible(coef[rows, fold], problem, sums(self.restrict(whole)))
            s = effort.solve(gram.sub(train), problem, start)
            coef[rows, fold], shift[fold], scale[fold] = s.coef, s.bias, s.margin

        effort.share_out(refit, [len(near)] * k)
        if effort.over:
            return None
        J = np.flatnonzero(coef.any(axis=1))
        f = gram @ coef if len(near) == len(coef) else self.gram.single().part(None, J) @ coef[J]
        return np.asarray((f + shift) / scale)


def stored(gram: Any) -> Any:
    """The Gram in memory when it takes no more than half of the budget."""
    return StoredGram.of(gram.dense()) if 8 * len(gram) ** 2 <= config().memory else gram


def sums(problem: Problem) -> tuple[float, ...]:
    """What the coefficients of each group must add up to."""
    return tuple(float(problem.start[g].sum()) for g in groups(problem))


def groups(problem: Problem) -> list[Array]:
    """The variables of each group as masks; none without a bias."""
    if not problem.bias:
        return []
    return [np.ones(len(problem), dtype=bool)] if problem.second is None else [~problem.second, problem.second]


def feasible(b: Array, problem: Problem, totals: tuple[float, ...]) -> Array:
    """b changed as little as need be for its sums to be right: free coefficients first, then bounded, then zeros."""
    b = np.clip(b, problem.lo, problem.hi)
    free = (b > problem.lo) & (b < problem.hi) & (b != 0.0)
    for group, total in zip(groups(problem), totals, strict=True):
        missing = total - b[group].sum()
        for chosen in (group & free, group & (b != 0.0), group):
            to_zero = -b if missing > 0.0 else b  # room on the way to zero comes first: it is there, and finite
            edge = problem.hi - b if missing > 0.0 else b - problem.lo
            room = np.where(chosen, np.where(to_zero > 0.0, to_zero, np.where(chosen & ~np.isinf(edge), edge, 0.0)), 0.0)
            step = min(abs(missing) / max(room.sum(), 1e-300), 1.0) * room
            b += np.sign(missing) * step
            missing = total - b[group].sum()
    return np.clip(b, problem.lo, problem.hi)
