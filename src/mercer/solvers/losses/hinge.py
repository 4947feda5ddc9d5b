"""The loss of support vector machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mercer.solvers.losses.protocol import within
from mercer.typing import Array


@dataclass(frozen=True)
class Hinge:
    """max(0, 1 - z)."""

    margin: ClassVar[bool] = True
    tube: ClassVar[float] = 0.0

    def value(self, z: Array) -> Array:
        return np.maximum(0.0, 1.0 - z)

    def subgradient(self, z: Array) -> tuple[Array, Array]:
        return np.where(z <= 1.0, -1.0, 0.0), np.where(z < 1.0, -1.0, 0.0)

    def conjugate(self, u: Array) -> Array:
        return within(u, -1.0, 0.0, u)

    def dual_box(self, y: Array, c: Array) -> tuple[Array, Array]:
        """[0, c] for y = +1, [-c, 0] for y = -1."""
        return np.minimum(y, 0.0) * c, np.maximum(y, 0.0) * c
