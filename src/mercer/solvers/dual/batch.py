"""Small problems, several in one native call: pairs of classes, folds, values of C.

On a stored Gram the loop is SMO; on rows of numbers with a kernel that native loops know it is a growing active set
(growth.py).  What a loop does not solve stays open, for decomposition.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from mercer.gram import StoredGram
from mercer.native import growth as native_growth
from mercer.native import smo_batch
from mercer.solvers.dual import growth
from mercer.solvers.dual.best_multiple import Multiples
from mercer.solvers.dual.certificate import OPEN
from mercer.solvers.dual.proof import BIAS, DUAL, PRIMAL, VIOLATION
from mercer.solvers.dual.solutions import DualSolutions
from mercer.solvers.limits import Limits, room_for, run_by_size
from mercer.typing import Array

BATCH = 4096  # total items of the problems of one native call; the limits are checked between calls
LARGEST = 4096  # items of a problem that is solved in a batch, ...
BYTES_PER_PAIR = 8  # ... if the budget has so many bytes for every pair of them
SLACK = 0.97  # share of the tolerance that the loop aims at, because its kernel values are in single precision
STEPS = 100_000  # steps of one problem in one native call


def solve_batches(gram: Any, found: DualSolutions, limits: Limits) -> None:
    """Solve the problems that native loops can solve; the others stay open."""
    problems = found.problems
    solve_some = _batch_solver(gram, found, limits)
    if solve_some is None:
        return
    sizes, most = problems.sizes, room_for(LARGEST, BYTES_PER_PAIR)
    batches = consecutive([p for p, size in enumerate(sizes.tolist()) if size <= most], sizes)
    run_by_size(lambda i: solve_some(batches[i]), [int(sizes[batch].sum()) for batch in batches], limits)


def _batch_solver(gram: Any, found: DualSolutions, limits: Limits) -> Callable[[Sequence[int]], None] | None:
    """The native call that solves consecutive problems on this Gram; None if there is none."""
    problems, joined, tol = found.problems, found.problems.joined, limits.tol
    if not joined.fits_native_loops or limits.counts_steps:
        return None
    if isinstance(gram, StoredGram):
        K, index = native_gram(gram.K), problems.index if gram.I is None else gram.I[problems.index]
        return lambda some: solve_batch(K, index, found, some, tol)
    grows = tol >= growth.FINEST and not joined.start.any() and np.isfinite(joined.hi - joined.lo).all()
    rows = getattr(gram, "native_rows", None)
    if not grows or rows is None or rows[1].dtype != np.float64:  # the proof needs rows in double precision
        return None
    gram.single()  # rounded once, for all problems
    return lambda some: grow_batch(gram, found, some, limits)


def consecutive(some: Sequence[int], sizes: Array) -> list[list[int]]:
    """Runs of consecutive problems, each of at most about BATCH items."""
    out: list[list[int]] = []
    total = 0
    for p in some:
        if not out or out[-1][-1] + 1 != p or total + sizes[p] > BATCH:
            out.append([])
            total = 0
        out[-1].append(p)
        total += int(sizes[p])
    return out


def native_gram(K: Array) -> Array:
    """A stored Gram as native loops take it: float32 or float64, contiguous along its rows."""
    dtype = K.dtype if K.dtype in (np.float32, np.float64) else np.dtype(np.float64)
    return np.require(K, dtype, ["C"])


def solve_batch(K: Array, index: Array, found: DualSolutions, some: Sequence[int], tol: float) -> None:
    """Solve consecutive problems by SMO on the items `index` of K.

    Problems on the same items should follow one another: the entries of K are then gathered once.
    """
    steps, rows = np.empty(len(some), dtype=np.intp), slice(some[0], some[-1] + 1)
    smo_batch.solve_batch(
        K, *_arrays(index, found, rows), SLACK * tol, STEPS, found.problems.task, steps, found.proofs[rows]
    )
    close_batch(found, some, steps, tol)


def grow_batch(gram: Any, found: DualSolutions, some: Sequence[int], limits: Limits) -> None:
    """Solve consecutive problems by growing active sets on rows that native loops know (gram.native_rows)."""
    shape, X, norms = gram.native_rows
    _, X32, norms32 = gram.single().native_rows
    steps, rows = np.empty(len(some), dtype=np.intp), slice(some[0], some[-1] + 1)

    def report(active: int, violation: float, objective: float, made: int) -> None:
        if limits.reached():
            raise growth.Stop(limits.ended)

    with suppress(growth.Stop):
        native_growth.grow_batch(
            *_arrays(found.problems.index, found, rows), limits.tol, growth.most_active(), growth.STEPS,
            found.problems.task, X32, norms32, X, norms, shape.function, shape.c, shape.coefficients, steps,
            found.gradient_error[rows], found.proofs[rows], report,
        )  # fmt: skip
        close_batch(found, some, steps, limits.tol)


def _arrays(index: Array, found: DualSolutions, rows: slice) -> tuple[Array, ...]:
    """What every native batch is given of the problems `rows`: items, ends, z, box, epsilon, coef and gradient."""
    joined, ends = found.problems.joined, found.problems.ends[rows.start : rows.stop + 1]
    epsilon = np.full(len(ends) - 1, joined.epsilon)
    s = slice(int(ends[0]), int(ends[-1]))
    return (
        index[s], ends - ends[0], joined.z[s], joined.lo[s], joined.hi[s], epsilon, found.coef[s], found.gradient[s]
    )  # fmt: skip


def close_batch(found: DualSolutions, some: Sequence[int], steps: Array, tol: float) -> None:
    """Mark the problems that a native batch has solved; the others (steps -1) go back to their start."""
    problems, start = found.problems, found.problems.joined.start
    found.steps[some] = np.maximum(steps, 0)
    primal, dual = found.proofs[some, PRIMAL], found.proofs[some, DUAL]
    open_gaps = primal - dual > OPEN * np.maximum(np.abs(primal), np.abs(dual))
    wide = []
    for p, made, open_gap in zip(some, steps.tolist(), open_gaps.tolist(), strict=True):
        span = problems.span(p)
        if made >= 0 and found.proofs[p, VIOLATION] <= tol:
            found.reason[p] = "converged"
            if open_gap and not start[span].any():  # multiples would change a prescribed sum
                wide.append(p)
        else:
            found.coef[span] = start[span]
    if wide:
        with np.errstate(invalid="ignore"):  # infinite boxes give nan, which np.fmin ignores
            found.proofs[wide, PRIMAL] = best_primals(found, wide)


def best_primals(found: DualSolutions, some: Sequence[int]) -> Array:
    """The primal value of each problem, at the best multiple of its function (best_multiple.py)."""
    ends, sizes = found.problems.ends, found.problems.sizes[some]
    items = np.concatenate([np.arange(ends[p], ends[p + 1]) for p in some])
    those = found.problems.joined.take(items)
    first, z, b, r = np.cumsum(sizes) - sizes, those.z, found.coef[items], found.proofs[some, BIAS]
    Kb = found.gradient[items] + z
    value = Multiples(
        Kb + np.repeat(r, sizes), z, those.lo, those.hi, those.epsilon, those.ridge, sizes,
        np.add.reduceat(b * Kb, first), r * np.add.reduceat(b, first),
    ).best()  # fmt: skip
    return np.asarray(np.maximum(np.fmin(found.proofs[some, PRIMAL], value), found.proofs[some, DUAL]))
