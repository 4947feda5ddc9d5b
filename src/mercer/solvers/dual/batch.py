"""Many small problems on one stored Gram: pairs of classes, folds, values of C; one native call for a few at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer.native import smo_batch
from mercer.solvers.dual.certificate import OPEN
from mercer.solvers.dual.multiples import Multiples
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
    wide = []
    for p, made, open_gap in zip(some, steps.tolist(), open_gaps.tolist(), strict=True):
        if made >= 0 and found.proofs[p, VIOLATION] <= tol:
            found.reason[p] = "converged"
            if open_gap and not problems.start[problems.span(p)].any():  # multiples would change a prescribed sum
                wide.append(p)
        else:
            span = problems.span(p)
            found.coef[span] = problems.start[span]
    if wide:
        with np.errstate(invalid="ignore"):  # of endless boxes, whose value is not a number and does not count
            found.proofs[wide, PRIMAL] = best_primals(found, wide)


def best_primals(found: Solutions, some: Sequence[int]) -> Array:
    """The primal values of plain problems, each of the best multiple of its function (multiples.py)."""
    problems, sizes = found.problems, found.problems.sizes[some]
    items = np.concatenate([np.arange(problems.ends[p], problems.ends[p + 1]) for p in some])
    first, z, b, r = np.cumsum(sizes) - sizes, problems.z[items], found.coef[items], found.proofs[some, BIAS]
    Kb = found.gradient[items] + z
    value = Multiples(
        Kb + np.repeat(r, sizes), z, problems.lo[items], problems.hi[items], np.repeat(problems.epsilon[some], sizes),
        problems.ridge, sizes, np.add.reduceat(b * Kb, first), r * np.add.reduceat(b, first),
    ).best()  # fmt: skip
    return np.asarray(np.maximum(np.fmin(found.proofs[some, PRIMAL], value), found.proofs[some, DUAL]))
