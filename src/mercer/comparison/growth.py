"""Larger fits with the time that is left: more landmarks, prototypes or neighbours, larger cells or leaves.

When every method has its row, the quickest next fit comes first, and takes the largest size within an equal share of
the time.  The seconds of a fit are extrapolated from those of the last one of the same method.  No score is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mercer.comparison.two_stages import TwoStages

_SAFETY = 0.7  # of the time left, or of a share of it, that a fit may take by the extrapolation
_PATIENCE = 3.0  # times these seconds, after which a fit is stopped


@dataclass(eq=False)
class Growing:
    """A method that can be fitted at larger sizes; `seconds` is how long its last fit and its predictions took."""

    name: str
    stages: TwoStages
    X: Any = field(repr=False)
    seconds: float

    def next(self) -> float:
        """Seconds of the next size."""
        return self.stages.needs(self.X, self.stages.larger_[0], self.seconds)

    def largest(self, seconds: float) -> int:
        """The largest size within so many seconds, at least the next."""
        sizes = self.stages.larger_
        fitting = [size for size in sizes if self.stages.needs(self.X, size, self.seconds) <= seconds]
        return fitting[-1] if fitting else sizes[0]


def chosen(growing: dict[str, Growing], left: float | None) -> tuple[Growing, int, float] | None:
    """The method that is fitted next, its size, and the seconds it may take; None if there is no time for any."""
    if left is None or not growing:
        return None
    quickest = min(growing.values(), key=lambda one: one.next())
    if quickest.next() > _SAFETY * left:
        return None
    size = quickest.largest(_SAFETY * left / len(growing))
    needed = quickest.stages.needs(quickest.X, size, quickest.seconds)
    return quickest, size, min(left, 1.0 + _PATIENCE * needed)
