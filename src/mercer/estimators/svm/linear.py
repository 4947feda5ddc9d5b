"""The shorter way for linear machines: solve on the features when k(x, y) = x'y and they are few.

`solve` has the signature of the kernel engine and calls it where this way does not apply, so a caller needs not know.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.kernels import Linear
from mercer.solvers.dual import DualSolution, Problem
from mercer.solvers.dual import solve as solve_on_gram
from mercer.solvers.linear import solve_linear

MANY = 500  # items; fewer are solved on their Gram in a millisecond or two
SHARE = 10  # items per column from which on the features win, whatever C is


def solve(gram: Any, problem: Problem, **limits: Any) -> DualSolution:
    """The problem on the items of `gram`, by their features or by the kernel engine; `limits` are those of both."""
    X = linear_features(gram, problem)
    return solve_on_gram(gram, problem, **limits) if X is None else solve_linear(X, problem, **limits)


def linear_features(gram: Any, problem: Problem) -> Any:
    """The rows X of a Gram XX' on which solve_linear is the faster way; None for any other."""
    if not isinstance(getattr(gram, "kernel", None), Linear):
        return None
    X = gram.A.values
    n, d = X.shape
    soft = len(problem.ridge) or np.isfinite(problem.hi - problem.lo).all()
    plain = problem.second is None and not problem.start.any()
    return X if plain and soft and X.dtype.kind == "f" and n >= max(MANY, SHARE * d) else None
