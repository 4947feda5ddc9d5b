"""Two classes: the logistic loss as an exponential family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mercer.solvers.losses.family import OneFunction, mean_entropy
from mercer.solvers.losses.logistic import Logistic
from mercer.typing import Array

_LOGISTIC = Logistic()


@dataclass(frozen=True)
class Bernoulli(OneFunction):
    """y in {0, 1} with P(y = 1) = 1 / (1 + e^-f): A(f) = log(1 + e^f), the logit link."""

    curvature_bound: ClassVar[float] = 0.25

    def loss(self, f: Array, t: Array) -> Array:
        return _LOGISTIC.value((2.0 * t[:, 0] - 1.0) * f[:, 0])

    def mean(self, f: Array) -> Array:
        return -_LOGISTIC.slope(-f)

    def curvature(self, f: Array) -> Array:
        return _LOGISTIC.curvature(f)[:, :, None]

    def skew(self, f: Array, Q: Array) -> Array:
        return np.asarray(-_LOGISTIC.curvature(f) * _LOGISTIC.skew(f) * Q[:, 0])

    def conjugate(self, q: Array) -> Array:
        return np.asarray(mean_entropy(q[:, 0]) + mean_entropy(1.0 - q[:, 0]))

    def constant(self, mean: Array) -> Array:
        return np.asarray(np.log(mean) - np.log1p(-mean))

    def perfect(self, f: Array, t: Array) -> bool:
        return bool(((2.0 * t - 1.0) * f > 0.0).all())

    def contrasts(self, t: Array) -> Array | None:
        return np.asarray(2.0 * t - 1.0)[:, :, None]
