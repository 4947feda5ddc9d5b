"""The loss of probit regression: minus the log probability of a class, where the second has the probability Phi(f)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mercer.solvers.losses.protocol import Smooth
from mercer.typing import Array


@dataclass(frozen=True)
class Probit(Smooth):
    """-log Phi(z), Phi the distribution function of the standard normal."""

    margin: ClassVar[bool] = True

    def value(self, z: Array) -> Array:
        from scipy.special import log_ndtr

        return np.asarray(-log_ndtr(z))

    def slope(self, z: Array) -> Array:
        """-phi(z) / Phi(z), by the scaled complementary error function: no quotient of two tiny numbers."""
        from scipy.special import erfcx

        with np.errstate(over="ignore"):
            return np.asarray(-np.sqrt(2.0 / np.pi) / erfcx(-z / np.sqrt(2.0)))

    def curvature(self, z: Array) -> Array:
        """r (r + z) with r = phi / Phi."""
        r = -self.slope(z)
        return np.asarray(np.clip(r * (r + z), 0.0, 1.0))

    def skew(self, z: Array) -> Array:
        """With r' = -r (r + z): -d log(r (r + z)) / dz = 2 r + z - 1 / (r + z)."""
        r = -self.slope(z)
        return np.asarray(2.0 * r + z - 1.0 / (r + z))

    def average(self, mean: Array, variance: Array) -> Array:
        """Phi(m / sqrt(1 + v)), exactly."""
        from scipy.special import ndtr

        return np.asarray(ndtr(mean / np.sqrt(1.0 + variance)))

    def log_odds(self, f: Array) -> Array:
        from scipy.special import log_ndtr

        return np.asarray(log_ndtr(f) - log_ndtr(-f))

    def constant(self, mean: float) -> float:
        from scipy.special import ndtri

        return float(ndtri(mean))
