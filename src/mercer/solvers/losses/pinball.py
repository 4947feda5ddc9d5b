"""The loss of quantile regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mercer.solvers.losses.protocol import require, within
from mercer.typing import Array


@dataclass(frozen=True)
class Pinball:
    """tau z for z >= 0, (tau - 1) z below: its best constant is the tau-quantile."""

    margin: ClassVar[bool] = False
    tube: ClassVar[float] = 0.0

    tau: float = 0.5

    def __post_init__(self) -> None:
        require(self, "tau", self.tau, 0.0 < self.tau < 1.0, "a number between 0 and 1")

    def value(self, z: Array) -> Array:
        return np.maximum(self.tau * z, (self.tau - 1.0) * z)

    def subgradient(self, z: Array) -> tuple[Array, Array]:
        below, above = self.tau - 1.0, self.tau
        return np.where(z <= 0.0, below, above), np.where(z < 0.0, below, above)

    def conjugate(self, u: Array) -> Array:
        return within(u, self.tau - 1.0, self.tau, np.zeros_like(u))

    def dual_box(self, y: Array, c: Array) -> tuple[Array, Array]:
        """[(tau - 1) c, tau c]: c times the slopes of the loss."""
        return c * (self.tau - 1.0), c * self.tau
