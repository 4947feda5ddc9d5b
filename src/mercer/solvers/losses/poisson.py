"""Counts: the Poisson law as an exponential family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mercer.errors import bad
from mercer.solvers.losses.family import OneFunction, mean_entropy
from mercer.typing import Array


@dataclass(frozen=True)
class Poisson(OneFunction):
    """Counts y >= 0 with mean e^f: A(f) = e^f, the log link."""

    curvature_bound: ClassVar[float] = np.inf

    def statistic(self, y: Array) -> Array:
        t = np.asarray(y, dtype=float)
        if (t < 0.0).any() or not (t > 0.0).any():
            raise bad("Poisson", "y", "counts >= 0, not all zero", f"numbers from {t.min()} to {t.max()}",
                      "Their mean is modelled as exp(f), which is positive.")  # fmt: skip
        return t[:, None]

    def loss(self, f: Array, t: Array) -> Array:
        return np.asarray(self.mean(f)[:, 0] - t[:, 0] * f[:, 0] + self.conjugate(t))

    def mean(self, f: Array) -> Array:
        with np.errstate(over="ignore"):  # a step that is too long has an infinite loss, and is rejected
            return np.asarray(np.exp(f))

    def curvature(self, f: Array) -> Array:
        return self.mean(f)[:, :, None]

    def skew(self, f: Array, Q: Array) -> Array:
        return np.asarray(self.mean(f) * Q[:, 0])

    def conjugate(self, q: Array) -> Array:
        return np.asarray(mean_entropy(q[:, 0]) - q[:, 0])

    def constant(self, mean: Array) -> Array:
        return np.asarray(np.log(mean))
