"""What every convex solver returns besides its answer: the bounds that prove it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

LENIENCE = 1.1  # times the tolerance: a proof that is recomputed may exceed it by rounding


@dataclass(frozen=True, kw_only=True)
class Solution:
    """The optimum lies in [dual, primal]; `gap` bounds how far the returned answer is from it.

    Solvers return a subclass that adds the answer itself.  `reason` is why the solver stopped, in one word or two:
    "converged", "max_iter", "time_limit", "interrupted", "stalled", "infeasible", "unbounded", and for a path the
    end it came to: "lambda_min", "separable", "max_events".
    """

    primal: float
    dual: float
    n_iter: int
    converged: bool
    reason: str

    @property
    def gap(self) -> float:
        """primal - dual; 0 where the dual is above the primal, which only rounding can cause."""
        return max(self.primal - self.dual, 0.0)

    @property
    def relative_gap(self) -> float:
        """The gap in units of the objective, free of the scale of the data."""
        gap = self.gap
        return gap if gap == inf else gap / max(abs(self.primal), abs(self.dual), 1e-300)
