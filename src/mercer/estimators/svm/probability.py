"""Probabilities: Platt's sigmoid on out-of-fold scores (M20).

The items of each class are dealt out in turn to a few folds, so that the folds are stratified and always the same.
For every fold the machine is fitted to the others and gives the fold its scores (solvers/dual/held_out.py).  Of many
items a few folds are enough, for two numbers are to be found.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.solvers.dual import DualSolution, Problem
from mercer.solvers.dual.held_out import held_out_scores
from mercer.solvers.limits import Limits
from mercer.solvers.platt import Platt, platt
from mercer.typing import Array

FOLDS = 5
ENOUGH = 1000  # held-out items of the rarer class that fix the two numbers of a sigmoid to a few percent


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


def calibrate(
    gram: Any, y: Array, weight: Array, problem: Problem, solution: DualSolution, limits: Limits
) -> Platt | None:
    """The sigmoid of one binary machine, or None when the limits ended the work before."""
    held = held_out(y)
    scores = held_out_scores(gram, y, problem, solution, held, limits)
    if scores is None:
        return None
    some = held.any(axis=1)
    w = weight[some]
    return platt(scores[held], y[some], sample_weight=w / w.mean(), tol=1e-6)
