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

    def exact_interval(self, missed: float | None) -> tuple[float, float] | None:
        """Where the optimum for the kernel itself lies, after a solution on landmarks; None if nothing is `missed`.

        On landmarks the objective is minimised over fewer functions: the optimum is not below the exact one.  The dual
        coefficients b are feasible for the exact dual, which is lower there by 1/2 b'(K - K~) b = missed / 2.  So are
        their multiples t b, 0 <= t <= 1, with a dual of t dual - 1/2 t^2 missed at least, for losses >= 0.
        """
        if missed is None:
            return None
        t = min(max(self.dual, 0.0) / missed, 1.0) if missed > 0.0 else 1.0
        return t * self.dual - 0.5 * t * t * missed, self.primal


def exact_sentence(interval: tuple[float, float]) -> str:
    """What a certificate says of the kernel itself."""
    low, high = interval
    return (f"That is the problem on the landmarks; the optimum for the kernel itself lies between {low:.8g} and "
            f"{high:.8g}.")  # fmt: skip
