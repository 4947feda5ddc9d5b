"""The loss of support vector regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mercer.solvers.losses.protocol import require, within
from mercer.typing import Array


@dataclass(frozen=True)
class EpsilonInsensitive:
    """max(0, |z| - epsilon)."""

    margin: ClassVar[bool] = False

    epsilon: float = 0.1

    def __post_init__(self) -> None:
        require(self, "epsilon", self.epsilon, 0.0 <= self.epsilon < np.inf, "a number >= 0")

    @property
    def tube(self) -> float:
        return self.epsilon

    def value(self, z: Array) -> Array:
        return np.maximum(0.0, np.abs(z) - self.epsilon)

    def subgradient(self, z: Array) -> tuple[Array, Array]:
        low = np.where(z <= -self.epsilon, -1.0, np.where(z > self.epsilon, 1.0, 0.0))
        return low, np.where(z >= self.epsilon, 1.0, np.where(z < -self.epsilon, -1.0, 0.0))

    def conjugate(self, u: Array) -> Array:
        return within(u, -1.0, 1.0, self.epsilon * np.abs(u))

    def dual_box(self, y: Array, c: Array) -> tuple[Array, Array]:
        """[-c, c]."""
        return -c, c
