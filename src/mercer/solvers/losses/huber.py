"""A loss of regression that large residuals do not dominate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mercer.solvers.losses.protocol import Smooth, require, within
from mercer.typing import Array


@dataclass(frozen=True)
class Huber(Smooth):
    """z^2 / 2 for |z| <= delta, delta |z| - delta^2 / 2 beyond: squared inside, absolute outside."""

    margin: ClassVar[bool] = False

    delta: float = 1.0

    def __post_init__(self) -> None:
        require(self, "delta", self.delta, 0.0 < self.delta < np.inf, "a number > 0")

    def value(self, z: Array) -> Array:
        near = np.minimum(np.abs(z), self.delta)
        return np.asarray(near * (np.abs(z) - 0.5 * near))

    def slope(self, z: Array) -> Array:
        return np.clip(z, -self.delta, self.delta)

    def curvature(self, z: Array) -> Array:
        return np.where(np.abs(z) <= self.delta, 1.0, 0.0)

    def conjugate(self, u: Array) -> Array:
        return within(u, -self.delta, self.delta, 0.5 * np.square(u))
