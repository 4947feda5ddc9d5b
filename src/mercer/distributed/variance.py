"""The variance of all numbers, from the means and squares of blocks (Chan, Golub and LeVeque)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np


@dataclass(eq=False)
class Moments:
    """How many numbers, their mean, and the sum of their squared distances from it."""

    count: int
    mean: float
    squares: float

    @classmethod
    def of(cls, block: Any) -> Self:
        """Of one block."""
        X = np.asarray(block.X, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            return cls(X.size, float(X.mean()), float(X.var()) * X.size)

    def merge(self, other: Moments) -> None:
        """Add the numbers of another block."""
        n = self.count + other.count
        apart = other.mean - self.mean
        self.squares += other.squares + apart**2 * self.count * other.count / n
        self.mean += apart * other.count / n
        self.count = n

    @property
    def variance(self) -> float:
        """The mean squared distance from the mean."""
        return self.squares / self.count
