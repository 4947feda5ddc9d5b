"""What the solvers of regularised risk return."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mercer.solvers.solution import Solution
from mercer.typing import Array


@dataclass(frozen=True, kw_only=True, eq=False)
class RiskSolution(Solution):
    """f = K coef + bias, one column and one number per output, and the proof.

    By strong convexity the function found is within `distance` = sqrt(2 gap) of the best one, in the norm of the space:
    |f(x) - f*(x)| <= distance * sqrt(k(x, x)) without an intercept.  For smooth losses it is the norm of the gradient.
    `feasible` is the point of the dual problem that has the value `dual`.
    """

    coef: Array = field(repr=False)
    bias: Array
    feasible: Array = field(repr=False)

    @property
    def distance(self) -> float:
        """How far the function can be from the optimum."""
        return float(np.sqrt(2.0 * self.gap))
