"""The witness of a density: how far its values at some points are from sums over all pairs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DensityProof:
    """The largest relative error at `points` places, against sums over all pairs, and the error that was allowed."""

    error: float
    rtol: float
    points: int
    method: str

    @property
    def holds(self) -> bool:
        """Whether the error is within what was allowed, up to rounding."""
        return self.error <= self.rtol + 1e-10

    def __str__(self) -> str:
        verdict = "within" if self.holds else "NOT within"
        return (
            f"densities at {self.points} points by {self.method} are at most {self.error:.1e} (relative) from the sums "
            f"over all pairs: {verdict} rtol = {self.rtol:.1e}"
        )
