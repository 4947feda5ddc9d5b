"""A growing active set (native/loops/growth.h): the method where few of many items support.

The native loop asks for kernel values of the items that it takes in, and for products with the support vectors.  No
more of the n^2 kernel values are computed: in all about two to three times K(items, support vectors), which is the
floor of any certified solution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mercer.native import growth
from mercer.solvers.dual.batch import STEPS, close_batch
from mercer.solvers.dual.problem import Problem
from mercer.solvers.dual.room import room_for
from mercer.solvers.dual.solutions import Solutions
from mercer.typing import Array

LARGEST = 8192  # active items whose Gram is stored
PAIR = 32  # bytes of the budget for every pair of them: an eighth of it is theirs, in single precision

Report = Callable[[int, float, float, int], None]  # (active items, violation, objective, steps); may raise


def grow(
    exact: Any, fast: Any, problem: Problem, b: Array, F: Array, tol: float, report: Report
) -> tuple[str, int, float]:
    """(how it ended, steps, error of single precision); writes b and F, which must be right at the start.

    `exact` and `fast` are the Gram in double and in single precision.
    """

    def block(I: memoryview, J: memoryview) -> Array:
        rows, columns = np.frombuffer(I, np.intp), np.frombuffer(J, np.intp)
        same = len(rows) == len(columns)  # the first items: half of a symmetric matrix is enough
        return np.require(fast.sub(rows).dense() if same else fast.values(rows, columns), np.float32, ["C"])

    def product(I: memoryview, J: memoryview, v: memoryview, precisely: bool) -> Array:
        gram = exact if precisely else fast
        return np.asarray(gram.times(np.frombuffer(I, np.intp), np.frombuffer(J, np.intp), np.frombuffer(v)), float)

    return growth.grow(  # type: ignore[no-any-return]
        b,
        F,
        problem.z,
        problem.lo,
        problem.hi,
        problem.epsilon,
        tol,
        room_for(LARGEST, PAIR),
        STEPS,
        block,
        product,
        report,
    )


def grow_batch(gram: Any, found: Solutions, some: Sequence[int], tol: float, report: Report) -> None:
    """Solve consecutive plain problems on rows that native loops know (gram.native_rows); others stay open."""
    shape, X, norms = gram.native_rows
    _, X32, norms32 = gram.single().native_rows
    problems, first, last = found.problems, some[0], some[-1]
    s, rows = slice(int(problems.ends[first]), int(problems.ends[last + 1])), slice(first, last + 1)
    steps = np.empty(len(some), dtype=np.intp)
    growth.grow_batch(
        problems.index[s], problems.ends[first : last + 2] - problems.ends[first], problems.z[s], problems.lo[s],
        problems.hi[s], problems.epsilon[rows], found.coef[s], found.gradient[s], tol, room_for(LARGEST, PAIR), STEPS,
        problems.task, X32, norms32, X, norms, shape.function, shape.c, shape.coefficients, steps,
        found.gradient_error[rows], found.proofs[rows], report,
    )  # fmt: skip
    close_batch(found, some, steps, tol)
