"""What a machine can ask of a loss.  A loss offers what it has; a machine that needs more says so.

A loss is a convex function of one number z: the margin z = y f with y = -1 or +1 (`margin` is True), or the residual
z = y - f.  Everything is elementwise and keeps its accuracy for large |z|.

    value(z)                 the loss                                                   every loss
    subgradient(z)           the lowest and the highest slope at z, which differ        every loss
                             only at a kink
    conjugate(u)             sup_z u z - value(z), infinite where u is no slope         where it has a closed form
    slope(z), curvature(z)   first and second derivative                                Smooth: Newton's method
    dual_box(y, c), tube     the bounds of the dual coefficients                        Straight: SVM solvers
    skew(z), average(m, v)   third derivative; integral over a Gaussian                 Likelihood: Gaussian processes
    log_odds(f), constant(p) what f says of the probability of a class, and back        Link: generalised linear models

A loss of (y, f) that depends on neither y f nor y - f is a function (y, f) -> (values, slopes, curvatures) in f; it may
be a Link too.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from mercer.errors import bad
from mercer.typing import Array


@runtime_checkable
class Loss(Protocol):
    """What every loss of a margin or of a residual has."""

    @property
    def margin(self) -> bool: ...

    def value(self, z: Array) -> Array: ...

    def subgradient(self, z: Array) -> tuple[Array, Array]: ...


@runtime_checkable
class SmoothLoss(Loss, Protocol):
    """A loss without kinks, for Newton's method.  Where the curvature jumps, it is one of its two values."""

    def slope(self, z: Array) -> Array: ...

    def curvature(self, z: Array) -> Array: ...


@runtime_checkable
class StraightLoss(Loss, Protocol):
    """A loss made of straight lines: its dual is the box-constrained problem of support vector machines.

    The dual of sum_i c_i loss_i is max y'b - tube |b|_1 - 1/2 b'Kb over lo <= b <= hi.
    """

    @property
    def tube(self) -> float: ...

    def dual_box(self, y: Array, c: Array) -> tuple[Array, Array]:
        """(lo, hi)."""


@runtime_checkable
class Likelihood(SmoothLoss, Protocol):
    """value(y f) = -log p(y | f) of two classes, with what the Laplace approximation of a Gaussian process needs."""

    def skew(self, z: Array) -> Array:
        """-d log curvature / dz: minus the third derivative of the value over its curvature."""

    def average(self, mean: Array, variance: Array) -> Array:
        """The integral of p(+1 | f) over f ~ N(mean, variance)."""


@runtime_checkable
class Link(Protocol):
    """A model of the probability of a class as a function of f."""

    def log_odds(self, f: Array) -> Array: ...

    def constant(self, mean: float) -> float:
        """The f at which the probability is `mean`."""


class Smooth:
    """A loss with one slope at every z."""

    def slope(self, z: Array) -> Array:
        raise NotImplementedError

    def subgradient(self, z: Array) -> tuple[Array, Array]:
        slope = self.slope(z)
        return slope, slope


def within(u: Array, low: float, high: float, value: Array) -> Array:
    """The value where low <= u <= high, infinity elsewhere."""
    return np.where((u >= low) & (u <= high), value, np.inf)


def entropy(p: Array) -> Array:
    """p log p, 0 at p <= 0."""
    return np.asarray(p * np.log(np.where(p > 0.0, p, 1.0)))


def require(loss: object, name: str, given: float, holds: bool, rule: str) -> None:
    """Refuse a parameter of a loss that breaks its rule."""
    if not holds:
        raise bad(type(loss).__name__, name, rule, given, f"Choose another {name}.")
