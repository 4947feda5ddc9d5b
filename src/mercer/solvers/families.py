"""Exponential families in their natural parameter f: the likelihoods of generalised linear models.

    log p(t | f) = t'f - A(f) + const,      E[t] = A'(f),      Cov[t] = A''(f)

The loss of one item is A(f) - t'f + A*(t), half its deviance: not negative, and 0 where the mean equals t.  A* is the
convex conjugate, from which dual bounds are made; it is infinite at what is no mean.  Arrays have one row per item and
one column per function; A'' is (items, functions, functions).  The link is always the canonical one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from mercer.errors import bad
from mercer.typing import Array


class Family(Protocol):
    """What the solver of generalised linear models asks of a likelihood."""

    @property
    def functions(self) -> int: ...

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
        """(items, others, functions): what the own class has more of each function than another; None for numbers."""

    def shown(self, F: Array) -> Array:
        """Columns of functions as people see them."""

    def hidden(self, F: Array) -> Array:
        """The inverse of `shown`."""


_ROUNDING = 1e-14  # what a probability 0 may miss it by


def _entropy(p: Array) -> Array:
    """p log p, 0 at 0 and infinite below."""
    return np.where(p < -_ROUNDING, np.inf, p * np.log(np.where(p > 0.0, p, 1.0)))


@dataclass(frozen=True)
class _OneFunction:
    """What families of one number share."""

    @property
    def functions(self) -> int:
        return 1

    def shown(self, F: Array) -> Array:
        return F

    def hidden(self, F: Array) -> Array:
        return F


@dataclass(frozen=True)
class Bernoulli(_OneFunction):
    """y in {0, 1} with P(y = 1) = sigm(f): A(f) = log(1 + e^f), the logit link."""

    def statistic(self, y: Array) -> Array:
        return np.asarray(y, dtype=float)[:, None]

    def loss(self, f: Array, t: Array) -> Array:
        return np.asarray(np.logaddexp(0.0, (1.0 - 2.0 * t[:, 0]) * f[:, 0]))

    def mean(self, f: Array) -> Array:
        from scipy.special import expit

        return np.asarray(expit(f))

    def curvature(self, f: Array) -> Array:
        return np.asarray(self.mean(f) * self.mean(-f))[:, :, None]  # 1 - p would lose the digits of a small one

    def skew(self, f: Array, Q: Array) -> Array:
        return np.asarray(self.curvature(f)[:, 0] * (self.mean(-f) - self.mean(f)) * Q[:, 0])

    def conjugate(self, q: Array) -> Array:
        return np.asarray(_entropy(q[:, 0]) + _entropy(1.0 - q[:, 0]))

    def constant(self, mean: Array) -> Array:
        return np.asarray(np.log(mean) - np.log1p(-mean))

    def perfect(self, f: Array, t: Array) -> bool:
        return bool(((2.0 * t - 1.0) * f > 0.0).all())

    def contrasts(self, t: Array) -> Array | None:
        return np.asarray(2.0 * t - 1.0)[:, :, None]


@dataclass(frozen=True)
class Multinomial:
    """y in {0, ..., C - 1} with P(y = c) = softmax(f)_c: A(f) = log sum_c e^f_c.

    Equal shifts of all C functions change nothing, and a ridge makes them sum to 0; so the solver sees their C - 1
    coordinates in an orthonormal basis E of the vectors that sum to 0, and nothing is redundant.
    """

    classes: int

    @property
    def functions(self) -> int:
        return self.classes - 1

    @cached_property
    def E(self) -> Array:
        """(C, C - 1): orthonormal columns that sum to 0, Helmert's."""
        C = self.classes
        lower = np.tril(np.ones((C, C)), -1) - np.diag(np.arange(C))
        return np.ascontiguousarray((lower[1:] / np.linalg.norm(lower[1:], axis=1, keepdims=True)).T)

    def shown(self, F: Array) -> Array:
        return np.asarray(F @ self.E.T)

    def hidden(self, F: Array) -> Array:
        return np.asarray(F @ self.E)

    def statistic(self, y: Array) -> Array:
        return self.E[np.asarray(y, dtype=np.intp)]

    def loss(self, f: Array, t: Array) -> Array:
        """log(1 + sum_c e^(f_c - f_y)) over the other classes c."""
        from scipy.special import logsumexp

        others, own = self._ahead(f, t)
        return np.asarray(np.logaddexp(0.0, logsumexp(others, axis=1) - own))

    def probabilities(self, f: Array) -> Array:
        """softmax."""
        from scipy.special import softmax

        return np.asarray(softmax(self.shown(f), axis=1))

    def mean(self, f: Array) -> Array:
        return self.hidden(self.probabilities(f))

    def curvature(self, f: Array) -> Array:
        """E' (diag p - p p') E, the covariance of the statistic."""
        P, away = self._about_the_mean(f)
        return np.asarray(np.einsum("nca,ncb->nab", P[:, :, None] * away, away, optimize=True))

    def skew(self, f: Array, Q: Array) -> Array:
        """The third central moment of the statistic, contracted with Q."""
        P, away = self._about_the_mean(f)
        spread = np.einsum("nca,nab,ncb->nc", away, Q, away, optimize=True)
        return np.asarray(np.einsum("nc,nca->na", P * spread, away))

    def _about_the_mean(self, f: Array) -> tuple[Array, Array]:
        """(p, the statistic of every class less its mean): sums over them have no cancellation."""
        P = self.probabilities(f)
        return P, self.E - self.hidden(P)[:, None]

    def conjugate(self, q: Array) -> Array:
        return np.asarray(_entropy(self.shown(q) + 1.0 / self.classes).sum(axis=1))

    def constant(self, mean: Array) -> Array:
        return self.hidden(np.log(self.shown(mean) + 1.0 / self.classes))

    def perfect(self, f: Array, t: Array) -> bool:
        others, own = self._ahead(f, t)
        return bool((others.max(axis=1) < own).all())

    def contrasts(self, t: Array) -> Array | None:
        own = np.argmax(self.shown(t), axis=1)
        others = (own[:, None] + np.arange(1, self.classes)) % self.classes
        return np.asarray(self.E[own][:, None] - self.E[others])

    def _ahead(self, f: Array, t: Array) -> tuple[Array, Array]:
        """The functions with that of the own class at -infinity, and the latter."""
        F, at = self.shown(f), (np.arange(len(f)), np.argmax(self.shown(t), axis=1))
        own = F[at]
        F[at] = -np.inf
        return F, own


@dataclass(frozen=True)
class Poisson(_OneFunction):
    """Counts y >= 0 with mean e^f: A(f) = e^f, the log link."""

    def statistic(self, y: Array) -> Array:
        t = np.asarray(y, dtype=float)
        if (t < 0.0).any() or not (t > 0.0).any():
            raise bad("Poisson", "y", "counts >= 0, not all zero", f"numbers from {t.min()} to {t.max()}",
                      "Their mean is modelled as exp(f), which is positive.")  # fmt: skip
        return t[:, None]

    def loss(self, f: Array, t: Array) -> Array:
        return np.asarray(self.mean(f)[:, 0] - t[:, 0] * f[:, 0] + self.conjugate(t))

    def mean(self, f: Array) -> Array:
        with np.errstate(over="ignore"):  # a step too far has an infinite loss and is taken back
            return np.asarray(np.exp(f))

    def curvature(self, f: Array) -> Array:
        return self.mean(f)[:, :, None]

    def skew(self, f: Array, Q: Array) -> Array:
        return np.asarray(self.mean(f) * Q[:, 0])

    def conjugate(self, q: Array) -> Array:
        return np.asarray(_entropy(q[:, 0]) - q[:, 0])

    def constant(self, mean: Array) -> Array:
        return np.asarray(np.log(mean))

    def perfect(self, f: Array, t: Array) -> bool:
        return False

    def contrasts(self, t: Array) -> Array | None:
        return None
