"""A growing active set (native/loops/growth.h): the method where few of many items are support vectors.

The native loop asks for kernel values of the items that it takes in, and for products with the support vectors.  No
more of the n^2 kernel values are computed: in all two to three times K(items, support vectors), and no certified
solution needs less than one time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.native import growth
from mercer.solvers.dual.problem import DualProblem
from mercer.solvers.limits import room_for
from mercer.typing import Array

FINEST = 2e-5  # the smallest tolerance: below it single precision is too coarse
LARGEST = 8192  # active items whose Gram is stored, ...
BYTES_PER_PAIR = 32  # ... if the budget has so many bytes for every pair; in single precision they need an eighth
STEPS = 100_000  # steps between two calls of `report`

Report = Callable[[int, float, float, int], None]  # (active items, violation, objective, steps); may raise Stop


class Stop(Exception):
    """Raised when a limit is reached; what has been found so far stays usable."""


def most_active() -> int:
    """How many active items may have their Gram stored."""
    return room_for(LARGEST, BYTES_PER_PAIR)


def grow(
    exact: Any, fast: Any, problem: DualProblem, b: Array, F: Array, tol: float, report: Report
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
        b, F, problem.z, problem.lo, problem.hi, problem.epsilon, tol, most_active(), STEPS, block, product, report
    )
