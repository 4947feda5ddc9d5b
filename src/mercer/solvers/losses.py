"""Convex losses of one number: the margin z = y f of a classifier, or the residual z = y - f of a regression.

    value(z)          the loss
    subgradient(z)    the lowest and the highest slope at z; they differ only at a kink
    conjugate(u)      sup_z u z - value(z), infinite where u is no slope of the loss
    curvature(z)      the slope of the slope, of losses without kinks only; where it jumps, one of its two values

The margin losses (`margin` is True) fall in z and replace the 0/1 loss, the residual losses have their minimum at 0.
Everything is elementwise and keeps its accuracy for large |z|.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from mercer.errors import bad
from mercer.typing import Array

_LN2 = float(np.log(2.0))


class Loss(Protocol):
    """What a solver of regularised risk asks of a loss."""

    @property
    def margin(self) -> bool: ...

    def value(self, z: Array) -> Array: ...

    def subgradient(self, z: Array) -> tuple[Array, Array]: ...

    def conjugate(self, u: Array) -> Array: ...


@runtime_checkable
class SmoothLoss(Loss, Protocol):
    """A loss that Newton's method can minimise: it has one slope everywhere, and a curvature."""

    def curvature(self, z: Array) -> Array: ...


def _within(u: Array, low: float, high: float, value: Array) -> Array:
    """The value where low <= u <= high, infinity elsewhere."""
    return np.where((u >= low) & (u <= high), value, np.inf)


def _entropy(p: Array) -> Array:
    """p log p, 0 at p <= 0."""
    return np.asarray(p * np.log(np.where(p > 0.0, p, 1.0)))


def zero_one(z: Array) -> Array:
    """1 where the margin is not positive: the loss that the margin losses bound and replace."""
    return np.where(np.asarray(z) <= 0.0, 1.0, 0.0)


@dataclass(frozen=True)
class Hinge:
    """max(0, 1 - z)."""

    margin: ClassVar[bool] = True

    def value(self, z: Array) -> Array:
        return np.maximum(0.0, 1.0 - z)

    def subgradient(self, z: Array) -> tuple[Array, Array]:
        return np.where(z <= 1.0, -1.0, 0.0), np.where(z < 1.0, -1.0, 0.0)

    def conjugate(self, u: Array) -> Array:
        return _within(u, -1.0, 0.0, u)


@dataclass(frozen=True)
class SquaredHinge:
    """max(0, 1 - z)^2."""

    margin: ClassVar[bool] = True

    def value(self, z: Array) -> Array:
        return np.asarray(np.maximum(0.0, 1.0 - z) ** 2)

    def subgradient(self, z: Array) -> tuple[Array, Array]:
        slope = -2.0 * np.maximum(0.0, 1.0 - z)
        return slope, slope

    def curvature(self, z: Array) -> Array:
        return np.where(z < 1.0, 2.0, 0.0)

    def conjugate(self, u: Array) -> Array:
        return _within(u, -np.inf, 0.0, u + 0.25 * u**2)


@dataclass(frozen=True)
class Logistic:
    """log(1 + exp(-z)), in units of log 2 (bits) when `bits`: only then is it at least the 0/1 loss."""

    margin: ClassVar[bool] = True

    bits: bool = False

    @property
    def unit(self) -> float:
        """What one unit of this loss is in natural logarithms."""
        return _LN2 if self.bits else 1.0

    def value(self, z: Array) -> Array:
        return np.asarray(np.logaddexp(0.0, -z) / self.unit)

    def subgradient(self, z: Array) -> tuple[Array, Array]:
        from scipy.special import expit

        slope = -expit(-z) / self.unit
        return slope, slope

    def curvature(self, z: Array) -> Array:
        from scipy.special import expit

        return np.asarray(expit(z) * expit(-z) / self.unit)

    def conjugate(self, u: Array) -> Array:
        p = np.clip(-u * self.unit, 0.0, 1.0)
        return _within(u, -1.0 / self.unit, 0.0, (_entropy(p) + _entropy(1.0 - p)) / self.unit)


@dataclass(frozen=True)
class Exponential:
    """exp(-z); infinite where that has no double."""

    margin: ClassVar[bool] = True

    def value(self, z: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(-z))

    def subgradient(self, z: Array) -> tuple[Array, Array]:
        slope = -self.value(z)
        return slope, slope

    def curvature(self, z: Array) -> Array:
        return self.value(z)

    def conjugate(self, u: Array) -> Array:
        return _within(u, -np.inf, 0.0, _entropy(-u) + u)


@dataclass(frozen=True)
class Squared:
    """z^2 / 2."""

    margin: ClassVar[bool] = False

    def value(self, z: Array) -> Array:
        return np.asarray(0.5 * np.square(z))

    def subgradient(self, z: Array) -> tuple[Array, Array]:
        slope = np.asarray(z, dtype=float)
        return slope, slope

    def curvature(self, z: Array) -> Array:
        return np.ones_like(z, dtype=float)

    def conjugate(self, u: Array) -> Array:
        return np.asarray(0.5 * np.square(u))


@dataclass(frozen=True)
class EpsilonInsensitive:
    """max(0, |z| - epsilon)."""

    margin: ClassVar[bool] = False

    epsilon: float = 0.1

    def __post_init__(self) -> None:
        _require(self, "epsilon", self.epsilon, 0.0 <= self.epsilon < np.inf, "a number >= 0")

    def value(self, z: Array) -> Array:
        return np.maximum(0.0, np.abs(z) - self.epsilon)

    def subgradient(self, z: Array) -> tuple[Array, Array]:
        low = np.where(z <= -self.epsilon, -1.0, np.where(z > self.epsilon, 1.0, 0.0))
        return low, np.where(z >= self.epsilon, 1.0, np.where(z < -self.epsilon, -1.0, 0.0))

    def conjugate(self, u: Array) -> Array:
        return _within(u, -1.0, 1.0, self.epsilon * np.abs(u))


@dataclass(frozen=True)
class Huber:
    """z^2 / 2 for |z| <= delta, delta |z| - delta^2 / 2 beyond: squared inside, absolute outside."""

    margin: ClassVar[bool] = False

    delta: float = 1.0

    def __post_init__(self) -> None:
        _require(self, "delta", self.delta, 0.0 < self.delta < np.inf, "a number > 0")

    def value(self, z: Array) -> Array:
        near = np.minimum(np.abs(z), self.delta)
        return np.asarray(near * (np.abs(z) - 0.5 * near))

    def subgradient(self, z: Array) -> tuple[Array, Array]:
        slope = np.clip(z, -self.delta, self.delta)
        return slope, slope

    def curvature(self, z: Array) -> Array:
        return np.where(np.abs(z) <= self.delta, 1.0, 0.0)

    def conjugate(self, u: Array) -> Array:
        return _within(u, -self.delta, self.delta, 0.5 * np.square(u))


@dataclass(frozen=True)
class Pinball:
    """tau z for z >= 0, (tau - 1) z below: its best constant is the tau-quantile."""

    margin: ClassVar[bool] = False

    tau: float = 0.5

    def __post_init__(self) -> None:
        _require(self, "tau", self.tau, 0.0 < self.tau < 1.0, "a number between 0 and 1")

    def value(self, z: Array) -> Array:
        return np.maximum(self.tau * z, (self.tau - 1.0) * z)

    def subgradient(self, z: Array) -> tuple[Array, Array]:
        below, above = self.tau - 1.0, self.tau
        return np.where(z <= 0.0, below, above), np.where(z < 0.0, below, above)

    def conjugate(self, u: Array) -> Array:
        return _within(u, self.tau - 1.0, self.tau, np.zeros_like(u))


def _require(loss: object, name: str, given: float, holds: bool, rule: str) -> None:
    if not holds:
        raise bad(type(loss).__name__, name, rule, given, f"Choose another {name}.")
