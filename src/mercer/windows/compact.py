"""Windows that are 0 beyond distance 1: f(r) = (1 - r^a)^b, and the cosine.

For the former all integrals are Beta functions: that of (1 - r^a)^b r^p is B((p + 1) / a, b + 1) / a, and the
incomplete one gives the integral up to any point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.special import betainc, betaln

from mercer.typing import Array
from mercer.windows.window import Window


@dataclass(frozen=True)
class PowerWindow(Window):
    """f(r) = (1 - r^a)^b for r <= 1; a subclass has `a` and `b`."""

    radius: ClassVar[float] = 1.0
    a: ClassVar[int]
    b: ClassVar[int]

    def profile(self, r: Any) -> Array:
        r = np.asarray(r, dtype=np.float64)
        inside = r <= 1.0
        return np.where(inside, (1.0 - np.where(inside, r, 1.0) ** self.a) ** self.b, 0.0)

    def stretch(self, r: Any) -> Array:
        if self.b == 0:
            return np.zeros_like(np.asarray(r, dtype=np.float64))
        power = np.minimum(np.asarray(r, dtype=np.float64), 1.0) ** self.a
        return np.asarray(self.a * self.b * power * (1.0 - power) ** (self.b - 1) * (power < 1.0))

    def log_moment(self, p: float, squared: bool = False) -> float:
        power = 2 * self.b if squared else self.b
        return float(betaln((p + 1.0) / self.a, power + 1.0) - np.log(self.a))

    def partial_moment(self, order: int, x: Any) -> Array:
        x = np.clip(np.asarray(x, dtype=np.float64), -1.0, 1.0)
        half = 0.5 * np.exp(self.log_moment(order) - self.log_moment(0))  # of |u|^order, over u > 0
        inner = half * betainc((order + 1.0) / self.a, self.b + 1.0, np.abs(x) ** self.a)
        if order % 2:
            return np.asarray(inner - half)
        return np.asarray(half + np.sign(x) * inner)

    def radii(self, size: int, columns: int, random: Any) -> Array:
        return np.asarray(random.beta(columns / self.a, self.b + 1.0, size) ** (1.0 / self.a))


class Boxcar(PowerWindow):
    """f(r) = 1 for r <= 1."""

    a, b = 1, 0


class Triangular(PowerWindow):
    """f(r) = 1 - r for r <= 1."""

    a, b = 1, 1


class Epanechnikov(PowerWindow):
    """f(r) = 1 - r^2 for r <= 1: the least mean squared error of a density, of all windows >= 0."""

    a, b = 2, 1


class Biweight(PowerWindow):
    """f(r) = (1 - r^2)^2 for r <= 1."""

    a, b = 2, 2


class Triweight(PowerWindow):
    """f(r) = (1 - r^2)^3 for r <= 1."""

    a, b = 2, 3


class TriCube(PowerWindow):
    """f(r) = (1 - r^3)^3 for r <= 1, with two continuous derivatives at 1."""

    a, b = 3, 3


@dataclass(frozen=True)
class Cosine(Window):
    """f(r) = cos(pi r / 2) for r <= 1."""

    radius: ClassVar[float] = 1.0

    def profile(self, r: Any) -> Array:
        r = np.asarray(r, dtype=np.float64)
        return np.where(r <= 1.0, np.sin(0.5 * np.pi * np.maximum(1.0 - r, 0.0)), 0.0)  # exactly 0 at 1

    def stretch(self, r: Any) -> Array:
        angle = 0.5 * np.pi * np.asarray(r, dtype=np.float64)
        return np.where(angle <= 0.5 * np.pi, angle * np.sin(angle), 0.0)

    def log_moment(self, p: float, squared: bool = False) -> float:
        nodes, weights = leggauss(32 + int(p))  # exact to rounding: f is entire, and r^p a polynomial
        r = 0.5 * (nodes + 1.0)
        values = self.profile(r) ** (2 if squared else 1)
        return float(np.log(0.5 * (weights * values) @ r**p))

    def partial_moment(self, order: int, x: Any) -> Array:
        x = np.clip(np.asarray(x, dtype=np.float64), -1.0, 1.0)
        c = 0.5 * np.pi
        sine, cosine = np.sin(c * x), np.cos(c * x)
        if order == 0:
            return np.asarray(0.5 * (1.0 + sine))
        if order == 1:
            return np.asarray(0.5 * (x * sine - 1.0 + cosine / c))
        return np.asarray(0.5 * ((x**2 - 2.0 / c**2) * sine + 1.0 - 2.0 / c**2 + 2.0 * x * cosine / c))

    def radii(self, size: int, columns: int, random: Any) -> Array:
        """By rejection: cos(pi r / 2) / (1 - r^2) is between pi / 4 and 1, so that most are taken."""
        found = np.empty(0)
        while len(found) < size:
            r = Epanechnikov().radii(2 * size, columns, random)
            keep = random.random(len(r)) * (1.0 - r**2) <= self.profile(r)
            found = np.concatenate([found, r[keep]])
        return found[:size]
