"""SMO on a stored Gram: of one block of variables, the others fixed, or of all of them."""

from __future__ import annotations

import numpy as np

from mercer.native import smo
from mercer.solvers.dual.optimality import BIG, gains_and_costs
from mercer.solvers.dual.problem import DualProblem
from mercer.typing import Array

_DOUBLE_BELOW = 2e-5  # below this tolerance the gradient is kept in double precision
_MEETING = 1e-10  # squared distance of two classes, by the squared extent of the data, at which they count as meeting


class Unbounded(Exception):
    """The dual has no maximum, so the primal (a hard margin) has no feasible point."""


def with_ridge(K: Array, problem: DualProblem) -> Array:
    """K + diag(ridge)."""
    return K + np.diag(problem.ridge.astype(K.dtype)) if len(problem.ridge) else K


def smo_steps(Q: Array, F: Array, b: Array, problem: DualProblem, tol: float, most: int) -> tuple[int, float]:
    """At most so many steps of SMO, or without a bias of coordinate descent: (steps made, violation).

    Q is K + diag(ridge) in float32 or float64, F the gradient Q b - z; b and F are changed in place.  The variables of
    the first group must come before those of the second.
    """
    diagonal = np.ascontiguousarray(np.diagonal(Q))  # in the type of Q: curvatures are differences of its entries
    box = (b, problem.lo, problem.hi, problem.epsilon)
    if not problem.bias:
        steps, violation = smo.coordinate_descent(Q, diagonal, F, *box, tol, most)
        return int(steps), violation
    steps, violation, endless = smo.smo(Q, diagonal, F, *box, _split(problem), tol, most)
    if endless:
        raise Unbounded
    return int(steps), violation


def solve_block(K: Array, F: Array, b: Array, problem: DualProblem, tol: float, most: int) -> int:
    """Improve b in place until its conditions hold to `tol` or `most` steps are made; returns the steps made.

    F is the gradient at b; it is not changed.
    """
    single = problem.bias and tol >= _DOUBLE_BELOW
    F = (F + thresholds(F, b, problem)).astype(np.float32) if single else F.copy()
    return smo_steps(with_ridge(K, problem), F, b, problem, tol, most)[0]


def _split(problem: DualProblem) -> int:
    """The number of variables of the first group."""
    return len(problem) if problem.second is None else int(np.count_nonzero(~problem.second))


def thresholds(F: Array, b: Array, problem: DualProblem) -> Array:
    """The middle between gains and costs in each group.

    SMO compares F with it: without it a large common offset would use up the digits of single precision.
    """
    u, l = gains_and_costs(b, F, problem)
    out, split = np.zeros(len(b)), _split(problem)
    for part in (slice(0, split), slice(split, len(b))):
        most, least = u[part].max(initial=-BIG), l[part].min(initial=BIG)
        out[part] = 0.5 * (most + least) if most > -BIG / 10 and least < BIG / 10 else 0.0
    return out


def grows_without_end(b: Array, F: Array, problem: DualProblem, diagonal: Array) -> bool:
    """Whether two classes meet, to a hundred-thousandth of the extent of the data, so that no hard margin exists.

    2 |w| / sum |b| is the distance of two points, one in the convex hull of each class.
    """
    one_sided = (problem.lo == 0.0) | (problem.hi == 0.0)
    if len(problem.ridge) or not np.isinf(problem.hi - problem.lo).any() or not one_sided.all():
        return False
    norm2, size = float(b @ (F + problem.z)), float(np.abs(b).sum())
    return size > 0.0 and 4.0 * norm2 <= _MEETING * size**2 * float(diagonal.max(initial=0.0))
