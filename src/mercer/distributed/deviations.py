"""The means and deviations of columns, from those of blocks (Chan, Golub and LeVeque)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from mercer.typing import Array


@dataclass(eq=False)
class Deviations:
    """Of rows with weights: their number, total weight, means of columns, and sums of squared distances from these."""

    count: int
    mass: float
    mean: Array
    squares: Array

    @classmethod
    def of(cls, X: Array, w: Array) -> Self | None:
        """Of the rows of one block; None if there are none."""
        if not len(X):
            return None
        mean = w @ X / w.sum()
        return cls(len(X), float(w.sum()), mean, w @ (X - mean) ** 2)

    def merge(self, other: Deviations) -> None:
        """Add the rows of the next blocks."""
        mass, apart = self.mass + other.mass, other.mean - self.mean
        self.squares = self.squares + other.squares + apart**2 * (self.mass * other.mass / mass)
        self.mean = self.mean + apart * (other.mass / mass)
        self.mass, self.count = mass, self.count + other.count

    def at_size(self, size: float) -> Array:
        """The deviations, if the weights count as so many rows."""
        return np.asarray(np.sqrt(self.squares / self.mass * (size / (size - 1.0))))
