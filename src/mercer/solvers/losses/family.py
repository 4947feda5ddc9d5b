"""Exponential families in their natural parameter f: the likelihoods of generalised linear models.

    log p(t | f) = t'f - A(f) + const,      E[t] = A'(f),      Cov[t] = A''(f)

The loss of one item is A(f) - t'f + A*(t), half its deviance: not negative, and 0 where the mean equals t.  A* is the
convex conjugate, from which dual bounds are made; it is infinite where its argument is not a possible mean.  Arrays
have one row per item and one column per function; A'' is (items, functions, functions).  The link is always the
canonical one.
"""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np

from mercer.typing import Array


class Family(Protocol):
    """What the solvers of generalised linear models, sparse or not, ask of a likelihood."""

    @property
    def functions(self) -> int: ...

    @property
    def curvature_bound(self) -> float:
        """The largest eigenvalue of A'' anywhere; infinite where it has none."""

    @property
    def quadratic(self) -> bool:
        """Whether A is quadratic: a constant can then be subtracted from both y and f."""

    def statistic(self, y: Array) -> Array:
        """t of every item, (items, functions)."""

    def loss(self, f: Array, t: Array) -> Array:
        """A(f) - t'f + A*(t), without cancellation where it is small."""

    def mean(self, f: Array) -> Array:
        """A'(f)."""

    def curvature(self, f: Array) -> Array:
        """A''(f)."""

    def skew(self, f: Array, Q: Array) -> Array:
        """sum_ab A'''_abc(f) Q_ab of every item, for Q like A''."""

    def conjugate(self, q: Array) -> Array:
        """A*(q) = sup_f q'f - A(f)."""

    def constant(self, mean: Array) -> Array:
        """The f whose mean this is."""

    def perfect(self, f: Array, t: Array) -> bool:
        """Whether the losses of all items fall to 0 together when f is multiplied by ever larger numbers."""

    def contrasts(self, t: Array) -> Array | None:
        """(items, others, functions): coefficients of own class minus other class; None for numbers."""

    def shown(self, F: Array) -> Array:
        """The functions as users see them, from those that the solver uses."""

    def hidden(self, F: Array) -> Array:
        """The inverse of `shown`."""


_ROUNDING = 1e-14  # error of a probability that should be 0


def mean_entropy(p: Array) -> Array:
    """p log p of a mean p: 0 at 0 and infinite below, where it is no mean."""
    return np.where(p < -_ROUNDING, np.inf, p * np.log(np.where(p > 0.0, p, 1.0)))


class OneFunction:
    """What families of one number share, unless they say otherwise."""

    quadratic: ClassVar[bool] = False

    @property
    def functions(self) -> int:
        return 1

    def statistic(self, y: Array) -> Array:
        return np.asarray(y, dtype=float)[:, None]

    def perfect(self, f: Array, t: Array) -> bool:
        return False

    def contrasts(self, t: Array) -> Array | None:
        return None

    def shown(self, F: Array) -> Array:
        return F

    def hidden(self, F: Array) -> Array:
        return F
