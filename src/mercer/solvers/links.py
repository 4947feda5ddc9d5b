"""Generalised linear models whose link is not the canonical one, by Fisher scoring (M34).

    minimise  P(w, b) = sum_i s_i loss(y_i, w' phi_i + b) + alpha/2 |w|^2

The curvature of a step is that of the loss where it is convex (probit, complementary log-log), and its expectation
where it is not (numbers with a logarithmic link).  There is no dual in closed form.  Where P is convex, alpha > 0 and
the slope in b vanishes, P is at most |dP/dw|^2 / (2 alpha) above its least value, and `dual` is P less that; otherwise
it is -infinity, and the gradient alone says how nearly stationary the answer is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from mercer.errors import bad
from mercer.solvers.glm import SEPARATED, GLMSolution, solved
from mercer.typing import Array

_EPS = float(np.finfo(float).eps)


class Link(Protocol):
    """The loss of one item as a function of f = g(E[y]), with its slope and a curvature >= 0."""

    convex: bool

    def loss(self, f: Array, y: Array) -> Array: ...
    def slope(self, f: Array, y: Array) -> Array: ...
    def curvature(self, f: Array, y: Array) -> Array: ...

    def constant(self, mean: float) -> float:
        """The link: the f whose mean this is."""


@dataclass(frozen=True)
class Probit:
    """P(y = 1) = Phi(f), the distribution function of the standard normal."""

    convex = True

    def loss(self, f: Array, y: Array) -> Array:
        from scipy.special import log_ndtr

        return np.asarray(-log_ndtr((2.0 * y - 1.0) * f))

    def _ratio(self, z: Array) -> Array:
        """phi(z) / Phi(z) without cancellation."""
        from scipy.special import log_ndtr

        return np.asarray(np.exp(-0.5 * z * z - 0.5 * np.log(2.0 * np.pi) - log_ndtr(z)))

    def slope(self, f: Array, y: Array) -> Array:
        sign = 2.0 * y - 1.0
        return np.asarray(-sign * self._ratio(sign * f))

    def curvature(self, f: Array, y: Array) -> Array:
        z = (2.0 * y - 1.0) * f
        r = self._ratio(z)
        return np.asarray(np.maximum(r * (r + z), 0.0))

    def log_odds(self, f: Array) -> Array:
        from scipy.special import log_ndtr

        return np.asarray(log_ndtr(f) - log_ndtr(-f))

    def constant(self, mean: float) -> float:
        from scipy.special import ndtri

        return float(ndtri(mean))


@dataclass(frozen=True)
class ComplementaryLogLog:
    """P(y = 1) = 1 - exp(-e^f): whether a Poisson count of mean e^f is positive."""

    convex = True

    def loss(self, f: Array, y: Array) -> Array:
        m = _exp(f)
        return np.asarray(np.where(y > 0.0, -np.log(-np.expm1(-np.maximum(m, 1e-300))), m))

    def slope(self, f: Array, y: Array) -> Array:
        m = _exp(f)
        return np.asarray(np.where(y > 0.0, -self._share(m), m))

    def curvature(self, f: Array, y: Array) -> Array:
        """m itself, or for y = 1 the derivative of -m / (e^m - 1) in f: share (m + share - 1)."""
        m = _exp(f)
        share = self._share(m)
        return np.asarray(np.where(y > 0.0, np.maximum(share * (m + share - 1.0), 0.0), m))

    def _share(self, m: Array) -> Array:
        """m / (e^m - 1), 1 at 0."""
        m = np.minimum(m, 700.0)
        return np.asarray(m / np.maximum(np.expm1(m), 1e-300))

    def log_odds(self, f: Array) -> Array:
        m = _exp(f)
        return np.asarray(m + np.log(-np.expm1(-np.maximum(m, 1e-300))))

    def constant(self, mean: float) -> float:
        return float(np.log(-np.log1p(-mean)))


@dataclass(frozen=True)
class LogMean:
    """Numbers with Gaussian noise about e^f; the loss (y - e^f)^2 / 2 is not convex in f."""

    convex = False

    def loss(self, f: Array, y: Array) -> Array:
        return np.asarray(0.5 * (y - _exp(f)) ** 2)

    def slope(self, f: Array, y: Array) -> Array:
        m = _exp(f)
        return np.asarray((m - y) * m)

    def curvature(self, f: Array, y: Array) -> Array:
        return np.asarray(_exp(f) ** 2)

    def constant(self, mean: float) -> float:
        if not mean > 0.0:
            raise bad("log link", "y", "numbers with a positive mean", f"the mean {mean:.3g}",
                      "Their mean is modelled as exp(f).")  # fmt: skip
        return float(np.log(mean))


def _exp(f: Array) -> Array:
    """e^f, kept finite: a step too far has a huge loss and is taken back."""
    return np.asarray(np.exp(np.minimum(f, 300.0)))


BINARY: dict[str, Probit | ComplementaryLogLog] = {"probit": Probit(), "cloglog": ComplementaryLogLog()}


@dataclass(frozen=True, kw_only=True, eq=False)
class LinkSolution(GLMSolution):
    """As GLMSolution; without a bound, `gradient` is all the proof there is."""

    def __str__(self) -> str:
        if np.isfinite(self.dual) or self.reason in SEPARATED:
            return super().__str__()
        return f"The norm of the gradient is {self.gradient:.1e} at objective {self.primal:.8g}; no bound is known."


def solve_linked(
    Phi: Array,
    y: Array,
    link: Link,
    *,
    alpha: float,
    weight: Array | None = None,
    fit_intercept: bool = True,
    tol: float = 1e-8,
    max_iter: int = 100,
) -> LinkSolution:
    """Scoring steps until what the next one promises is within `tol` of P."""
    problem = _Linked.of(Phi, y, link, alpha, weight, fit_intercept)
    B, reason, n_iter = problem.first(), "", 0
    while not reason:
        g, step = problem.scored(B)
        if alpha == 0.0 and link.convex and problem.separates(B):
            reason = "separable"
        elif -0.5 * float(g @ step) <= tol * problem.at(B) + problem.rounding:
            reason = "converged"
        elif n_iter >= max_iter:
            reason = "max_iter"
        else:
            moved, n_iter = problem.searched(B, step), n_iter + 1
            reason = "stalled" if moved is B else ""
            B = moved
    return problem.solution(B, n_iter, reason)


@dataclass(frozen=True, eq=False)
class _Linked:
    """The problem with Z = [Phi, 1]; `ridge` is alpha for every column, 0 for that of ones."""

    Z: Array
    y: Array
    s: Array
    link: Link
    ridge: Array
    columns: int

    @classmethod
    def of(cls, Phi: Array, y: Array, link: Link, alpha: float, weight: Array | None, fit_intercept: bool) -> Self:
        n, K = Phi.shape
        s = np.ones(n) if weight is None else np.asarray(weight, dtype=float)
        Z = np.column_stack([Phi, np.ones(n)]) if fit_intercept else np.asarray(Phi, dtype=float)
        return cls(Z, np.asarray(y, dtype=float), s, link, np.where(np.arange(Z.shape[1]) < K, float(alpha), 0.0), K)

    @property
    def rounding(self) -> float:
        return 100.0 * _EPS * float(self.s.sum())

    def first(self) -> Array:
        """The best constant, or nothing."""
        B = np.zeros(self.Z.shape[1])
        B[self.columns :] = self.link.constant(float(self.s @ self.y / self.s.sum()))
        return B

    def at(self, B: Array) -> float:
        """The objective."""
        return float(self.s @ self.link.loss(self.Z @ B, self.y) + 0.5 * self.ridge @ (B * B))

    def gradient(self, B: Array) -> Array:
        return np.asarray(self.Z.T @ (self.s * self.link.slope(self.Z @ B, self.y)) + self.ridge * B)

    def scored(self, B: Array) -> tuple[Array, Array]:
        """The gradient, and the step to the minimum of the quadratic model."""
        g, curvature = self.gradient(B), self.s * self.link.curvature(self.Z @ B, self.y)
        return g, -solved((self.Z * curvature[:, None]).T @ self.Z + np.diag(self.ridge), g)

    def searched(self, B: Array, step: Array) -> Array:
        """The first of B + step, B + step / 2, ... that is lower, or B."""
        now = self.at(B)
        for halvings in range(34):
            moved = B + step / 2.0**halvings
            if self.at(moved) < now:
                return np.asarray(moved)
        return B

    def separates(self, B: Array) -> bool:
        return bool(((2.0 * self.y - 1.0) * (self.Z @ B) > 0.0).all())

    def balanced(self, B: Array) -> Array:
        """With the best intercept for these weights, which the bound needs."""
        for _ in range(3 * (len(B) > self.columns)):
            f = self.Z @ B
            curvature = float(self.s @ self.link.curvature(f, self.y))
            B = B.copy()
            B[-1] -= float(self.s @ self.link.slope(f, self.y)) / max(curvature, 1e-300)
        return B

    def solution(self, B: Array, n_iter: int, reason: str) -> LinkSolution:
        B = self.balanced(B) if reason == "converged" else B
        g, K, primal, alpha = self.gradient(B), self.columns, self.at(B), float(self.ridge.max(initial=0.0))
        dual = 0.0 if reason == "separable" else -np.inf
        if self.link.convex and alpha > 0.0 and reason == "converged":
            dual = primal - float(g[:K] @ g[:K]) / (2.0 * alpha)
        return LinkSolution(
            W=B[:K, None], intercept=B[K:] if len(B) > K else np.zeros(1), gradient=float(np.linalg.norm(g)),
            primal=primal, dual=dual, n_iter=n_iter, converged=reason == "converged", reason=reason,
        )  # fmt: skip
