"""Windows that are positive everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import gammaln, ndtr

from mercer.typing import Array
from mercer.windows.window import Window

LOG_2 = float(np.log(2.0))


@dataclass(frozen=True)
class Gaussian(Window):
    """f(r) = exp(-r^2 / 2); the bandwidth is the standard deviation."""

    radius: ClassVar[float] = np.inf

    def profile(self, r: Any) -> Array:
        return np.exp(self.log_profile(r))

    def log_profile(self, r: Any) -> Array:
        return np.asarray(-0.5 * np.asarray(r, dtype=np.float64) ** 2)

    def stretch(self, r: Any) -> Array:
        return np.asarray(np.asarray(r, dtype=np.float64) ** 2 * self.profile(r))

    def log_moment(self, p: float, squared: bool = False) -> float:
        return float((-LOG_2 if squared else 0.5 * (p - 1.0) * LOG_2) + gammaln(0.5 * (p + 1.0)))

    def partial_moment(self, order: int, x: Any) -> Array:
        x = np.asarray(x, dtype=np.float64)
        if order == 0:
            return np.asarray(ndtr(x))
        density = self(x)
        if order == 1:
            return -density
        return np.asarray(ndtr(x) - np.where(np.isfinite(x), x, 0.0) * density)

    def radii(self, size: int, columns: int, random: Any) -> Array:
        return np.asarray(np.sqrt(random.chisquare(columns, size)))

    def sample(self, size: int, columns: int, random: Any) -> Array:
        return np.asarray(random.standard_normal((size, columns)))


@dataclass(frozen=True)
class Exponential(Window):
    """f(r) = exp(-r)."""

    radius: ClassVar[float] = np.inf

    def profile(self, r: Any) -> Array:
        return np.exp(self.log_profile(r))

    def log_profile(self, r: Any) -> Array:
        return -np.asarray(r, dtype=np.float64)

    def stretch(self, r: Any) -> Array:
        return np.asarray(r * self.profile(r))

    def log_moment(self, p: float, squared: bool = False) -> float:
        return float(gammaln(p + 1.0) - ((p + 1.0) * LOG_2 if squared else 0.0))

    def partial_moment(self, order: int, x: Any) -> Array:
        x = np.asarray(x, dtype=np.float64)
        r = np.where(np.isfinite(x), np.abs(x), 0.0)
        tail = 0.5 * np.exp(-np.abs(x)) * (1.0, 1.0 + r, r**2 + 2.0 * r + 2.0)[order]  # of |u|^order, over u > |x|
        total = (1.0, 0.0, 2.0)[order]
        return np.asarray(np.where(x > 0.0, total - tail, tail) if order != 1 else -tail)

    def radii(self, size: int, columns: int, random: Any) -> Array:
        return np.asarray(random.standard_gamma(columns, size))
