"""The one entry for the problems of support vector machines: `solve_all(gram, problems, limits)`.

Whoever has problems (pairs of classes, folds, one regression) passes them with the Gram of all items; which method
solves them is decided here:

    batch      small problems, several in one native call, on a stored Gram or on rows of numbers (batch.py)
    features   a linear Gram XX' of many items with few columns is solved on X (solvers/linear_svm.py); so is any linear
               problem that has taken too many steps, whose number depends on the scales of the columns only on the
               Gram, and any whose features are on other machines and have no room here
    decompose  everything else, one by one (decomposition.py)

When time is up or the user interrupts, an unsolved problem keeps the coefficients it has, with their gap.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mercer.config import config
from mercer.gram import StoredGram
from mercer.gram.row_squares import is_elsewhere
from mercer.gram.tall import fits_here, in_memory
from mercer.solvers.dual.batch import solve_batches
from mercer.solvers.dual.certificate import DualSolution, certify
from mercer.solvers.dual.decomposition import decompose, require_single_precision
from mercer.solvers.dual.problem import DualProblem, DualProblems
from mercer.solvers.dual.solutions import DualSolutions
from mercer.solvers.limits import Limits, Progress, room_for, run_by_size
from mercer.typing import Array

STORED = 1000  # items whose Gram is stored in double precision, for all problems of a fit, ...
BYTES_PER_PAIR = 32  # ... if the budget has so many bytes for every pair of them, so that a quarter of it is used
MANY = 500  # items from which on a linear machine may be solved on its features, ...
PER_COLUMN = 10  # ... if there are so many items per column
PATIENCE = 30_000  # steps after which any linear machine is solved on its features


def solve(
    gram: Any,
    problem: DualProblem,
    *,
    tol: float = 1e-3,
    max_iter: int | None = None,
    time_limit: float | None = None,
    start: Array | None = None,
    progress: Progress | None = None,
) -> DualSolution:
    """One problem on all items of `gram`, solved until the optimality conditions hold to `tol`."""
    return decompose(gram, problem, Limits(tol, max_iter, time_limit, progress), start)


def stored_if_small(gram: Any) -> Any:
    """The Gram with all values stored if it has few items, so that the problems of a fit share them."""
    if isinstance(gram, StoredGram):
        return gram
    X = gram.linear_rows
    few = len(gram) <= room_for(STORED if X is None else MANY, BYTES_PER_PAIR)
    return StoredGram.of(gram.dense(), X=X) if few else gram


def solve_all(gram: Any, problems: DualProblems, limits: Limits) -> DualSolutions:
    """Every problem on its items of `gram`, to the tolerance of the limits."""
    require_single_precision(gram)
    found = DualSolutions.at_start(problems)
    solve_batches(gram, found, limits)
    left = found.open
    if left:
        _solve_singly(gram, found, left, limits)
    return found


def _solve_singly(gram: Any, found: DualSolutions, left: list[int], limits: Limits) -> None:
    """Solve the problems `left` one by one, each in its share of the time."""
    problems, threads = found.problems, config().threads
    gram.single()  # rounded once, for all problems

    def solve_one(i: int) -> None:
        p = left[i]
        rounds = -(-len(found.open) // threads)  # in which the open problems are solved, one per thread
        found.put(p, _one(_gram_of(gram, problems, p), problems[p], limits, rounds))

    run_by_size(solve_one, problems.sizes[left].tolist(), limits)
    for p in found.open:  # a limit was reached before their turn
        found.put(p, unsolved(_gram_of(gram, problems, p), problems[p], found.coef[problems.span(p)], limits))


def _gram_of(gram: Any, problems: DualProblems, p: int) -> Any:
    """The Gram of the items of problem p."""
    index = problems.index[problems.span(p)]
    whole = len(index) == len(gram) and len(problems) == 1 and bool((index == np.arange(len(gram))).all())
    return gram if whole else gram.sub(index)


def _one(gram: Any, problem: DualProblem, limits: Limits, rounds: int) -> DualSolution:
    """One problem by the method that suits it, in its share of the time."""
    own = limits.share(rounds)
    gram = _near(gram, problem)
    X = linear_rows(gram, problem)
    found = decompose(gram, problem, own) if X is None else _linear(gram, X, problem, own)
    if found.reason == "interrupted":
        limits.ended = found.reason
    return found


def _near(gram: Any, problem: DualProblem) -> Any:
    """The Gram with its features here, for methods that read single rows.

    They stay on other machines where sums over them are enough: for many rows, and where they have no room here.
    """
    X = linear_rows(gram, problem)
    stays = X is not None and is_elsewhere(X) and (features_are_faster(X, problem) or not fits_here(X))
    return gram if stays else in_memory(gram)


def _linear(gram: Any, X: Any, problem: DualProblem, limits: Limits) -> DualSolution:
    """A linear machine: on its features where that is faster, or where PATIENCE steps on the Gram were not enough."""
    from mercer.solvers.linear_svm import solve_on_features

    if features_are_faster(X, problem) or is_elsewhere(X):
        return solve_on_features(X, problem, limits)
    first = decompose(gram, problem, limits, patience=PATIENCE)
    if first.reason != "max_iter" or limits.reached(first.n_iter):
        return first
    found: DualSolution = solve_on_features(X, problem, limits, first.coef)
    found = replace(found, n_iter=first.n_iter + found.n_iter)
    return found if found.converged or limits.reached() else decompose(gram, problem, limits, first.coef)


def unsolved(gram: Any, problem: DualProblem, coef: Array, limits: Limits) -> DualSolution:
    """The feasible point `coef`, at which a limit ended the work, with its gap."""
    b, J = coef.copy(), np.flatnonzero(coef)
    F = -problem.z + problem.ridge_times(b)
    F = F + gram.part(None, J) @ b[J] if len(J) else F
    return certify(b, F, problem, tol=limits.tol, n_iter=0, reason=limits.reached())


def linear_rows(gram: Any, problem: DualProblem) -> Any:
    """The rows X of a Gram XX' whose problem can be solved on them; None for any other."""
    X = getattr(gram, "linear_rows", None)
    soft = len(problem.ridge) or np.isfinite(problem.hi - problem.lo).all()
    return X if X is not None and problem.second is None and soft and X.dtype.kind == "f" else None


def features_are_faster(X: Any, problem: DualProblem) -> bool:
    """Whether a linear machine is solved on its features at once: many rows, few columns, no prescribed sum."""
    n, d = X.shape
    return n >= max(MANY, PER_COLUMN * d) and not problem.start.any()
