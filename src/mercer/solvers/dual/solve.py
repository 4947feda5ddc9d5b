"""One seam for the problems of support vector machines: `solve_all(gram, problems, limits)`.

Whoever has problems (pairs of classes, folds, one regression) hands them over with the Gram of all items; which method
solves them is decided here:

    features   a linear Gram XX' of many items with few columns is solved on X (solvers/linear.py), and so is one of
               any size whose problem has cost too many steps: those depend on the scales of the columns, these do not
    batch      small problems on a stored Gram, a few in one native call (batch.py)
    growth     the same on rows of numbers with a kernel that native loops know (growth.py)
    decompose  everything else, one by one (decomposition.py)

When time is up or the user interrupts, what has not been solved stays where it is, with its gap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from mercer.config import config, here
from mercer.engine.interrupts import until_interrupted
from mercer.engine.pool import one_blas_thread, run
from mercer.gram import StoredGram
from mercer.solvers.dual.batch import native_gram, solve_batch
from mercer.solvers.dual.certificate import DualSolution, certify
from mercer.solvers.dual.decomposition import COARSEST, Stop, decompose, require_single_precision
from mercer.solvers.dual.growth import grow_batch
from mercer.solvers.dual.problem import Problem, Problems
from mercer.solvers.dual.room import part_of_budget, room_for
from mercer.solvers.dual.solutions import Solutions
from mercer.solvers.limits import Limits, Progress
from mercer.typing import Array

ONE_CORE = 4096  # a problem of so many items keeps one core busy, not more
TINY = 1024  # problems of so many items in all are solved before a second thread has woken up
BATCH = 4096  # items of all problems of one native call, between two looks at the clock
LARGEST = 4096  # items of a problem that is solved in a batch, ...
PAIR = 8  # ... if the budget has so many bytes for every pair of them
MANY = 500  # items from which on a linear machine may be solved on its features ...
PER_COLUMN = 10  # ... if there are so many items per column
PATIENCE = 30_000  # steps after which any linear machine is


def solve(
    gram: Any,
    problem: Problem,
    *,
    tol: float = 1e-3,
    max_iter: int | None = None,
    time_limit: float | None = None,
    start: Array | None = None,
    progress: Progress | None = None,
) -> DualSolution:
    """One problem on all items of `gram`, solved until the optimality conditions hold to `tol`."""
    return decompose(gram, problem, Limits(tol, max_iter, time_limit, progress), start)


def solve_all(gram: Any, problems: Problems, limits: Limits) -> Solutions:
    """Every problem on its items of `gram`, to the tolerance of the limits."""
    require_single_precision(gram)
    found, threads = Solutions.room_for(problems), config().threads
    if problems.plain and not limits.counts_steps:
        _solve_batches(gram, found, limits)

    def solve_one(i: int) -> None:
        p = left[i]
        if not found.reason[p]:
            waiting = -(-len(found.open) // threads)  # rounds of as many as there are threads
            found.put(p, _one(_gram_of(gram, problems, p), problems[p], found.coef[problems.span(p)], limits, waiting))

    left = found.open
    if left:
        gram.single()  # rounded once, for all of them
        run_by_size(solve_one, problems.sizes[left].tolist(), limits)
    for i, p in enumerate(left):
        if not found.reason[p]:  # an interrupt came before its turn
            solve_one(i)
    return found


def _gram_of(gram: Any, problems: Problems, p: int) -> Any:
    """The Gram of the items of problem p."""
    index = problems.index[problems.span(p)]
    whole = len(index) == len(gram) and len(problems) == 1 and bool((index == np.arange(len(gram))).all())
    return gram if whole else gram.sub(index)


def _one(gram: Any, problem: Problem, coef: Array, limits: Limits, waiting: int) -> DualSolution:
    """One problem by the method that suits it, in its share of the time; `coef` is what there is when it is up."""
    if limits.reached():
        return unsolved(gram, problem, coef, limits)
    own = limits.share(waiting)
    X = linear_rows(gram, problem)
    found = decompose(gram, problem, own) if X is None else _linear(gram, X, problem, own)
    if found.reason == "interrupted":
        limits.ended = found.reason
    return found


def _linear(gram: Any, X: Any, problem: Problem, limits: Limits) -> DualSolution:
    """A linear machine: on its features where that is the faster way, or where steps on the Gram come to no end."""
    from mercer.solvers.linear import solve_on_features

    if features_are_faster(X, problem):
        return solve_on_features(X, problem, limits)
    first = decompose(gram, problem, limits, patience=PATIENCE)
    if first.reason != "max_iter" or limits.reached(first.n_iter):
        return first
    found: DualSolution = solve_on_features(X, problem, limits, first.coef)
    found = replace(found, n_iter=first.n_iter + found.n_iter)
    return found if found.converged or limits.reached() else decompose(gram, problem, limits, first.coef)


def unsolved(gram: Any, problem: Problem, coef: Array, limits: Limits) -> DualSolution:
    """A feasible point, that every problem starts from or where an end of the work has left it, with its gap."""
    b, J = coef.copy(), np.flatnonzero(coef)
    F = -problem.z + problem.ridge_times(b)
    F = F + gram.part(None, J) @ b[J] if len(J) else F
    return certify(b, F, problem, tol=limits.tol, n_iter=0, reason=limits.ended)


def linear_rows(gram: Any, problem: Problem) -> Any:
    """The rows X of a Gram XX' whose problem can be solved on them; None for any other."""
    X = getattr(gram, "linear_rows", None)
    soft = len(problem.ridge) or np.isfinite(problem.hi - problem.lo).all()
    return X if X is not None and problem.second is None and soft and X.dtype.kind == "f" else None


def features_are_faster(X: Any, problem: Problem) -> bool:
    """Whether a linear machine is solved on its features at once: many rows, few columns, no sum to be kept."""
    n, d = X.shape
    return n >= max(MANY, PER_COLUMN * d) and not problem.start.any()


def _solve_batches(gram: Any, found: Solutions, limits: Limits) -> None:
    """Solve small problems a few at a time, as far as native loops can; the others stay open."""
    solve_some = _batch_solver(gram, found, limits)
    if solve_some is None:
        return
    problems = found.problems
    most = room_for(LARGEST, PAIR)
    small = [p for p, size in enumerate(problems.sizes.tolist()) if size <= most]
    batches = consecutive(small, problems.sizes)

    def work(i: int) -> None:
        if not limits.reached():
            solve_some(batches[i])

    run_by_size(work, [int(problems.sizes[batch].sum()) for batch in batches], limits)


def _batch_solver(gram: Any, found: Solutions, limits: Limits) -> Callable[[Sequence[int]], None] | None:
    """The native call that solves consecutive problems on this Gram; None if there is none."""
    problems, tol = found.problems, limits.tol
    if isinstance(gram, StoredGram):
        K, index = native_gram(gram.K), problems.index if gram.I is None else gram.I[problems.index]
        return lambda some: solve_batch(K, index, found, some, tol)
    grows = tol >= COARSEST and not problems.start.any() and np.isfinite(problems.hi - problems.lo).all()
    rows = getattr(gram, "native_rows", None)
    if not grows or rows is None or rows[1].dtype != np.float64:  # the proof needs rows in double precision
        return None
    gram.single()  # rounded once, for all of them

    def report(active: int, violation: float, objective: float, steps: int) -> None:
        if limits.reached():
            raise Stop(limits.ended)

    def solve_some(some: Sequence[int]) -> None:
        with suppress(Stop):
            grow_batch(gram, found, some, tol, report)

    return solve_some


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


def run_by_size(task: Callable[[int], None], sizes: Sequence[int], limits: Limits) -> None:
    """task(i) for every i: big problems one by one on all threads, small ones side by side on one thread each.

    Those have an equal part of the byte budget each.
    """
    by_size = sorted(range(len(sizes)), key=lambda i: -sizes[i])
    big = sum(size > ONE_CORE for size in sizes) if len(sizes) > 1 else int(sum(sizes) > TINY)

    memory = part_of_budget(min(config().threads, len(sizes) - big))

    def alone(i: int) -> None:
        with here(threads=1, memory=memory):
            task(i)

    with until_interrupted() as work, one_blas_thread():
        for i in by_size[:big]:
            task(i)
        if sum(sizes[i] for i in by_size[big:]) <= TINY:
            for i in by_size[big:]:
                alone(i)
        else:
            run(alone, by_size[big:])
    if work.came():
        limits.ended = "interrupted"
