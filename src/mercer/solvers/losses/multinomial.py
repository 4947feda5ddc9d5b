"""Several classes: the softmax as an exponential family."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from mercer.solvers.losses.family import mean_entropy
from mercer.solvers.losses.softmax import softmax
from mercer.typing import Array


@dataclass(frozen=True)
class Multinomial:
    """y in {0, ..., C - 1} with P(y = c) = softmax(f)_c: A(f) = log sum_c e^f_c.

    Equal shifts of all C functions change nothing, and a ridge makes them sum to 0; so the solver sees their C - 1
    coordinates in an orthonormal basis E of the vectors that sum to 0, and nothing is redundant.
    """

    curvature_bound: ClassVar[float] = 0.5
    quadratic: ClassVar[bool] = False

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
        return softmax(self.shown(f))

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
        return np.asarray(mean_entropy(self.shown(q) + 1.0 / self.classes).sum(axis=1))

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
        """(f with -infinity for the own class, f of the own class)."""
        F, at = self.shown(f), (np.arange(len(f)), np.argmax(self.shown(t), axis=1))
        own = F[at]
        F[at] = -np.inf
        return F, own
