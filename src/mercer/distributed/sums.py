"""Sums of several numbers or arrays over blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(eq=False)
class Added:
    """Parts that are added, each for itself, in the order of the blocks."""

    parts: list[Any]

    def merge(self, other: Added) -> None:
        """Add the parts of the blocks that follow."""
        self.parts = [a + b for a, b in zip(self.parts, other.parts, strict=True)]
