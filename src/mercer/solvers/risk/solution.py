"""What the engine of regularised risk returns, and the limits it works within."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from mercer.solvers.solution import Solution
from mercer.typing import Array


@dataclass(frozen=True, kw_only=True, eq=False)
class RiskSolution(Solution):
    """F = K coef + bias, one column and one number per output, and the proof.

    By strong convexity the function found is within `distance` = sqrt(2 gap) of the best one, in the norm of the space:
    |f(x) - f*(x)| <= distance * sqrt(k(x, x)) without an intercept.  For smooth losses it is the norm of the gradient.
    """

    coef: Array = field(repr=False)
    bias: Array

    @property
    def distance(self) -> float:
        """How far the function can be from the optimum."""
        return float(np.sqrt(2.0 * max(self.gap, 0.0)))


@dataclass(frozen=True)
class Limits:
    """tol bounds the relative duality gap; max_iter counts steps; time_limit is in seconds from now."""

    tol: float = 1e-6
    max_iter: int | None = None
    time_limit: float | None = None
    started: float = field(default_factory=time.perf_counter)

    @property
    def left(self) -> float | None:
        """Seconds left; None without a limit."""
        return None if self.time_limit is None else self.time_limit - (time.perf_counter() - self.started)

    def reached(self, steps: int) -> str:
        """Which limit has been reached after so many steps; empty if none."""
        if self.max_iter is not None and steps >= self.max_iter:
            return "max_iter"
        left = self.left
        return "time_limit" if left is not None and left <= 0.0 else ""
