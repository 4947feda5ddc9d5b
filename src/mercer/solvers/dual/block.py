"""One block: SMO on a stored piece of the Gram, the other variables held where they are."""

from __future__ import annotations

import numpy as np

from mercer.native import smo
from mercer.solvers.dual.optimality import BIG, gains_and_costs
from mercer.solvers.dual.problem import Problem
from mercer.typing import Array

_DOUBLE_BELOW = 2e-5  # tolerances for which a gradient in single precision is too coarse


class Unbounded(Exception):
    """A step without end: the dual has no maximum, so the primal (a hard margin) has no feasible point."""


def solve_block(K: Array, F: Array, b: Array, problem: Problem, tol: float, max_steps: int) -> int:
    """Improve b in place until its conditions hold to `tol` or `max_steps` are done; returns the steps made.

    K is float32 or float64, F the gradient at b (left as it is).  The two groups must follow one another.
    """
    if len(problem.ridge):
        K = K + np.diag(problem.ridge.astype(K.dtype))
    diagonal = np.ascontiguousarray(np.diagonal(K))
    box = (b, problem.lo, problem.hi, problem.epsilon)
    if not problem.bias:
        return int(smo.coordinate_descent(K, diagonal, F.copy(), *box, tol, max_steps)[0])
    split = len(b) if problem.second is None else int(np.count_nonzero(~problem.second))
    if tol < _DOUBLE_BELOW:
        steps, _, endless = smo.smo(K, diagonal, F.copy(), *box, split, tol, max_steps)
    else:
        F32 = (F + thresholds(F, b, problem, split)).astype(np.float32)
        steps, _, endless = smo.smo(K, diagonal, F32, *box, split, tol, max_steps)
    if endless:
        raise Unbounded
    return int(steps)


def thresholds(F: Array, b: Array, problem: Problem, split: int) -> Array:
    """The middle between gains and costs in each group; F is kept relative to it, so that its digits count."""
    u, l = gains_and_costs(b, F, problem)
    out = np.zeros(len(b))
    for part in (slice(0, split), slice(split, len(b))):
        most, least = u[part].max(initial=-BIG), l[part].min(initial=BIG)
        out[part] = 0.5 * (most + least) if most > -BIG / 10 and least < BIG / 10 else 0.0
    return out


def grows_without_end(b: Array, F: Array, problem: Problem, diagonal: Array) -> bool:
    """Whether the classes meet, to a hundred-thousandth of the data's extent: then no hard margin is between them.

    2 |w| / sum |b| is the distance of two points, one in the convex hull of each class.
    """
    one_sided = (problem.lo == 0.0) | (problem.hi == 0.0)
    if len(problem.ridge) or not np.isinf(problem.hi - problem.lo).any() or not one_sided.all():
        return False
    norm2, size = float(b @ (F + problem.z)), float(np.abs(b).sum())
    return size > 0.0 and 4.0 * norm2 <= 1e-10 * size**2 * float(diagonal.max(initial=0.0))
