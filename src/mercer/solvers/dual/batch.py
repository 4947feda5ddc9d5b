"""Many small problems on one stored Gram: pairs of classes, folds, values of C; one native call for a few at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer.native import smo_batch
from mercer.solvers.dual.certificate import OPEN, objectives
from mercer.solvers.dual.proof import BIAS, DUAL, PRIMAL, VIOLATION
from mercer.solvers.dual.solutions import Solutions
from mercer.typing import Array

SLACK = 0.97  # of the tolerance, for the loop sees kernel values in single precision
STEPS = 100_000  # steps of one problem, and between two looks at the clock


def native_gram(K: Array) -> Array:
    """A stored Gram as native loops take it: float32 or float64, contiguous along its rows."""
    dtype = K.dtype if K.dtype in (np.float32, np.float64) else np.dtype(np.float64)
    return np.require(K, dtype, ["C"])


def solve_batch(K: Array, index: Array, found: Solutions, some: Sequence[int], tol: float) -> None:
    """Solve consecutive plain problems on the items `index` of K; those that need another method stay open.

    Problems on the same items should follow one another: the entries of K are then gathered once.
    """
    problems, first = found.problems, some[0]
    s = slice(int(problems.ends[first]), int(problems.ends[some[-1] + 1]))
    rows = slice(first, some[-1] + 1)
    steps = np.empty(len(some), dtype=np.intp)
    smo_batch.solve_batch(
        K, index[s], problems.ends[first : some[-1] + 2] - problems.ends[first], problems.z[s], problems.lo[s],
        problems.hi[s], problems.epsilon[rows], found.coef[s], found.gradient[s], SLACK * tol, STEPS,
        problems.task, steps, found.proofs[rows],
    )  # fmt: skip
    close_batch(found, some, steps, tol)


def close_batch(found: Solutions, some: Sequence[int], steps: Array, tol: float) -> None:
    """Call those problems of a native batch solved that are; others (steps -1) go back to their start."""
    problems = found.problems
    found.steps[some] = np.maximum(steps, 0)
    primal, dual = found.proofs[some, PRIMAL], found.proofs[some, DUAL]
    open_gaps = primal - dual > OPEN * np.maximum(np.abs(primal), np.abs(dual))
    for p, made, open_gap in zip(some, steps.tolist(), open_gaps.tolist(), strict=True):
        if made >= 0 and found.proofs[p, VIOLATION] <= tol:
            found.reason[p] = "converged"
            if open_gap:
                found.proofs[p, PRIMAL] = best_primal(found, p)
        else:
            span = problems.span(p)
            found.coef[span] = problems.start[span]


def best_primal(found: Solutions, p: int) -> float:
    """The primal value of problem p, of the best multiple of its function (certificate.py)."""
    s = found.problems.span(p)
    offsets = np.full(s.stop - s.start, found.proofs[p, BIAS])
    return objectives(found.coef[s], found.gradient[s], found.problems[p], offsets, multiples=True)[0]
