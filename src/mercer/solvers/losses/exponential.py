"""The loss of boosting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mercer.solvers.losses.protocol import Smooth, entropy, within
from mercer.typing import Array


@dataclass(frozen=True)
class Exponential(Smooth):
    """exp(-z); infinite on overflow."""

    margin: ClassVar[bool] = True

    def value(self, z: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(-z))

    def slope(self, z: Array) -> Array:
        return -self.value(z)

    def curvature(self, z: Array) -> Array:
        return self.value(z)

    def conjugate(self, u: Array) -> Array:
        return within(u, -np.inf, 0.0, entropy(-u) + u)
