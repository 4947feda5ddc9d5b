"""The loss of least squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mercer.solvers.losses.protocol import Smooth
from mercer.typing import Array


@dataclass(frozen=True)
class Squared(Smooth):
    """z^2 / 2."""

    margin: ClassVar[bool] = False

    def value(self, z: Array) -> Array:
        return np.asarray(0.5 * np.square(z))

    def slope(self, z: Array) -> Array:
        return np.asarray(z, dtype=float)

    def curvature(self, z: Array) -> Array:
        return np.ones_like(z, dtype=float)

    def conjugate(self, u: Array) -> Array:
        return np.asarray(0.5 * np.square(u))
