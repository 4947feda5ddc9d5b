"""Probabilities: Platt's sigmoid on out-of-fold scores.

The items of each class go to a few folds in turn, so that the folds are stratified and always the same.  For every fold
the machine is fitted to the other folds and scores this one (solvers/dual/held_out.py).  If there are many items, a few
folds are enough to fit the two numbers of the sigmoid.

If the only item of a class is held out, there is nothing to fit: all items then have the score of the other class, -1
or +1, as in LIBSVM, and the sigmoid says little more than how rare the class is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.solvers.dual import DualProblem, DualSolution
from mercer.solvers.dual.held_out import held_out_scores
from mercer.solvers.limits import Limits
from mercer.solvers.platt import Platt, platt
from mercer.typing import Array

FOLDS = 5
ENOUGH = 1000  # held-out items of the rarer class that fix the two numbers of a sigmoid to a few percent


def held_out(y: Array) -> Array:
    """(items, refits): which items each refit leaves out and scores.

    The items of each class go in turn to FOLDS folds, or to as many as the rarer class has items.  Only as many folds
    are used as are needed to score ENOUGH items of that class.  If a class has a single item, the second class starts
    at the fold after the end of the first, so that no fold has all items.
    """
    sides = np.flatnonzero(y > 0.0), np.flatnonzero(y < 0.0)
    rare = min(map(len, sides))
    k = min(FOLDS, rare if rare > 1 else len(y))
    fold = np.empty(len(y), dtype=np.intp)
    for start, side in zip((0, len(sides[0]) if rare == 1 else 0), sides, strict=True):
        fold[side] = (start + np.arange(len(side))) % k
    return np.asarray(fold[:, None] == np.arange(min(k, -(-ENOUGH * k // rare))))


def calibrate(
    gram: Any, y: Array, weight: Array, problem: DualProblem, solution: DualSolution, limits: Limits
) -> Platt | None:
    """The sigmoid of one binary machine, or None if a limit was reached first."""
    held = held_out(y)
    signs = (~held).T @ np.column_stack([y > 0.0, y < 0.0])  # (refits, 2): whether there is an item of either class
    fitted = signs.all(axis=1)
    scores = np.tile(np.where(signs[:, 0], 1.0, -1.0), (len(y), 1))
    if fitted.any():
        found = held_out_scores(gram, y, problem, solution, held[:, fitted], limits)
        if found is None:
            return None
        scores[:, fitted] = found
    some = held.any(axis=1)
    w = weight[some]
    return platt(scores[held], y[some], sample_weight=w / w.mean(), tol=1e-6)
