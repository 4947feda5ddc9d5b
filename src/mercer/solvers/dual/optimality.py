"""The optimality conditions of the dual: gains, costs, violation.

Raising b_i gains at rate u_i = up_i - F_i, lowering it costs at rate l_i = down_i - F_i (native/loops/box.h).
Within a group, a pair (i, j) with u_i > l_j can be improved, so the violation is max u - min l.  At the optimum the
bias is any number between max u and min l.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.native import smo
from mercer.solvers.dual.problem import DualProblem
from mercer.typing import Array

BIG = 1e30


@dataclass(frozen=True, eq=False)
class Conditions:
    """u, l, and for every variable the largest u and the smallest l of its group (numbers when there is one group)."""

    u: Array
    l: Array
    most: Array | float
    least: Array | float
    violation: float

    def shrinkable(self, slack: float) -> Array:
        """Variables at a bound whose only move loses by more than `slack`."""
        return np.asarray((self.u < self.least - slack) & (self.l > self.most + slack))


def gains_and_costs(b: Array, F: Array, problem: DualProblem) -> tuple[Array, Array]:
    """(u, l) of every variable."""
    up, down = np.empty(len(b)), np.empty(len(b))
    smo.offsets(b, problem.lo, problem.hi, problem.epsilon, up, down)
    up -= F
    down -= F
    return up, down


def conditions(b: Array, F: Array, problem: DualProblem) -> Conditions:
    """Gains, costs, thresholds and violation at b with F = (K + diag(ridge)) b - z."""
    u, l = gains_and_costs(b, F, problem)
    if not problem.bias:
        return Conditions(u, l, 0.0, 0.0, float(max(u.max(initial=0.0), -l.min(initial=0.0))))
    if problem.second is None:
        most, least = float(u.max(initial=-BIG)), float(l.min(initial=BIG))
        return Conditions(u, l, most, least, most - least)
    ends = [(u[g].max(initial=-BIG), l[g].min(initial=BIG)) for g in (~problem.second, problem.second)]
    most = np.where(problem.second, ends[1][0], ends[0][0])
    least = np.where(problem.second, ends[1][1], ends[0][1])
    return Conditions(u, l, most, least, float(max(m - n for m, n in ends)))
