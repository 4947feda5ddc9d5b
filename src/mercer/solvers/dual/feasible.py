"""Putting coefficients right: into their box, with the sums that the problem prescribes."""

from __future__ import annotations

import numpy as np

from mercer.native import dual_proof
from mercer.solvers.dual.problem import Problem
from mercer.typing import Array


def groups(problem: Problem) -> list[Array]:
    """The variables of each group as masks; none without a bias."""
    if not problem.bias:
        return []
    return [np.ones(len(problem), dtype=bool)] if problem.second is None else [~problem.second, problem.second]


def feasible(b: Array, problem: Problem, sums: list[float] | None = None) -> Array:
    """A point near b in the box whose groups have these sums, those of `problem.start` unless told otherwise."""
    sums = [float(problem.start[group].sum()) for group in groups(problem)] if sums is None else sums
    b = np.clip(b, problem.lo, problem.hi)
    for group, total in zip(groups(problem), sums, strict=True):
        dual_proof.move_to_sum(b, problem.lo, problem.hi, group, total, np.empty(len(b)))
    return np.clip(b, problem.lo, problem.hi)
