"""Putting coefficients right: into their box, with the sums that the problem prescribes."""

from __future__ import annotations

import numpy as np

from mercer.solvers.dual.problem import Problem
from mercer.typing import Array


def groups(problem: Problem) -> list[Array]:
    """The variables of each group as masks; none without a bias."""
    if not problem.bias:
        return []
    return [np.ones(len(problem), dtype=bool)] if problem.second is None else [~problem.second, problem.second]


def feasible(b: Array, problem: Problem, sums: list[float] | None = None) -> Array:
    """A point near b in the box whose groups have these sums, those of `problem.start` unless told otherwise.

    Free coefficients move first, then bounded ones, and zeros only when the others cannot do it.
    """
    sums = [float(problem.start[group].sum()) for group in groups(problem)] if sums is None else sums
    b = np.clip(b, problem.lo, problem.hi)
    free = (b > problem.lo) & (b < problem.hi) & (b != 0.0)
    for group, total in zip(groups(problem), sums, strict=True):
        for chosen in (group & free, group & (b != 0.0), group):
            missing = total - b[group].sum()
            if abs(missing) <= 1e-12 * np.abs(b).sum():  # rounding must not make a coefficient of a zero
                break
            up = missing > 0.0
            back, on = np.where(chosen, -b if up else b, 0.0), problem.hi - b if up else b - problem.lo
            # the way back to zero is always there; the way on may be endless, and then it is not needed
            room = np.where(back > 0.0, back, np.where(chosen & np.isfinite(on), on, 0.0))
            b += np.sign(missing) * min(abs(missing) / max(room.sum(), 1e-300), 1.0) * room
    return np.clip(b, problem.lo, problem.hi)
