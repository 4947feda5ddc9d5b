"""The Karush-Kuhn-Tucker conditions of a convex program, as numbers: how far a point is from each.

minimise  1/2 x'Px + q'x   subject to  Gx <= h,  Ax = b        multipliers  u >= 0  and  v
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class KKT:
    """How far a point is from satisfying each optimality condition, in units of the numbers the condition compares."""

    stationarity: float  # Px + q + G'u + A'v = 0
    primal: float  # Gx <= h, Ax = b
    dual: float  # u >= 0
    complementarity: float  # u_i (h - Gx)_i = 0

    @property
    def worst(self) -> float:
        """The largest of the four; for a convex problem, 0 exactly at the optima."""
        return max(self.stationarity, self.primal, self.dual, self.complementarity)
