"""Numbers with Gaussian noise: least squares as an exponential family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mercer.solvers.losses.family import OneFunction
from mercer.typing import Array


@dataclass(frozen=True)
class Gaussian(OneFunction):
    """Numbers y with the loss (y - f)^2 / 2: A(f) = f^2 / 2."""

    curvature_bound: ClassVar[float] = 1.0
    quadratic: ClassVar[bool] = True

    def loss(self, f: Array, t: Array) -> Array:
        return np.asarray(0.5 * np.square(t - f)[:, 0])

    def mean(self, f: Array) -> Array:
        return f

    def curvature(self, f: Array) -> Array:
        return np.ones((len(f), 1, 1))

    def skew(self, f: Array, Q: Array) -> Array:
        return np.zeros_like(f)

    def conjugate(self, q: Array) -> Array:
        return np.asarray(0.5 * np.square(q)[:, 0])

    def constant(self, mean: Array) -> Array:
        return mean
