"""A growing active set (native/loops/growth.h): the method where few of many items support.

The native loop asks for kernel values of the items that it takes in, and for products with the support vectors.  No
more of the n^2 kernel values are computed: in all about two to three times K(items, support vectors), which is the
floor of any certified solution.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.config import config
from mercer.native import growth
from mercer.solvers.dual.batch import STEPS
from mercer.solvers.dual.problem import Problem
from mercer.typing import Array

SAMPLE, LARGEST_SAMPLE = 200, 2000  # items of the first, rough solution ...
ALL = 200  # items of a problem that are all active from the beginning
SHARE = 0.15  # ... this share of all between these numbers
LARGEST = 8192  # active items whose Gram is stored
MEMORY = 0.125  # share of the byte budget for it


def sample(b: Array, z: Array) -> Array:
    """The first active items: the support vectors of a start, or a random sample with both signs of z."""
    if b.any():
        return np.flatnonzero(b)
    n, rng = len(z), np.random.default_rng(0)
    if n <= ALL:
        return np.arange(n)
    size = min(max(SAMPLE, int(SHARE * n)), LARGEST_SAMPLE)
    sides = [np.flatnonzero(z > 0.0), np.flatnonzero(z <= 0.0)]
    sizes = [min(len(side), max(size * len(side) // n, size // 4)) for side in sides]
    return np.concatenate([rng.choice(side, k, replace=False) for side, k in zip(sides, sizes, strict=True)])


def grow(exact: Any, fast: Any, problem: Problem, b: Array, F: Array, tol: float, report: Any) -> tuple[str, int, float]:
    """(how it ended, steps, error of single precision); writes b and F, which must be right at the start.

    `exact` and `fast` are the Gram in double and in single precision; `report` is called with (active items, violation,
    objective, steps) and may raise.
    """
    largest = min(LARGEST, int(np.sqrt(MEMORY * config().memory / 4.0)))
    first = sample(b, problem.z)
    given = (b, F, problem.z, problem.lo, problem.hi, problem.epsilon, first, tol, largest, STEPS)
    rows = getattr(exact, "native_rows", None) if config().threads == 1 else None  # else the tiles own the threads
    if rows is None:
        return growth.grow(*given, *_python_calls(exact, fast), report)  # type: ignore[no-any-return]
    shape, X, norms = rows
    _, X32, norms32 = fast.native_rows
    return growth.grow_on_rows(  # type: ignore[no-any-return]
        *given, X32, norms32, X, norms, shape.function, shape.c, np.array(shape.coefficients, dtype=float), report
    )


def _python_calls(exact: Any, fast: Any) -> tuple[Any, Any]:
    """The functions by which the native loop asks for K[I, J] and for K[I, J] v."""

    def block(I: memoryview, J: memoryview) -> Array:
        return np.require(fast.values(np.frombuffer(I, np.intp), np.frombuffer(J, np.intp)), np.float32, ["C"])

    def product(I: memoryview, J: memoryview, v: memoryview, precisely: bool) -> Array:
        gram = exact if precisely else fast
        return np.asarray(gram.times(np.frombuffer(I, np.intp), np.frombuffer(J, np.intp), np.frombuffer(v)), float)

    return block, product
