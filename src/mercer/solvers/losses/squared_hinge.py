"""The squared hinge, which has no kink."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mercer.solvers.losses.protocol import Smooth, within
from mercer.typing import Array


@dataclass(frozen=True)
class SquaredHinge(Smooth):
    """max(0, 1 - z)^2."""

    margin: ClassVar[bool] = True

    def value(self, z: Array) -> Array:
        return np.asarray(np.maximum(0.0, 1.0 - z) ** 2)

    def slope(self, z: Array) -> Array:
        return np.asarray(-2.0 * np.maximum(0.0, 1.0 - z))

    def curvature(self, z: Array) -> Array:
        return np.where(z < 1.0, 2.0, 0.0)

    def conjugate(self, u: Array) -> Array:
        return within(u, -np.inf, 0.0, u + 0.25 * u**2)
