"""Generalised linear models whose link is not the canonical one, by Fisher scoring.

    minimise  P(w, b) = sum_i s_i loss(y_i, w' phi_i + b) + alpha/2 |w|^2

The curvature of a step is that of the loss where it is convex (probit, complementary log-log), and its expectation
where it is not (numbers with a logarithmic link).  There is no dual in closed form.  Where P is convex, alpha > 0 and
the slope in b vanishes, P is at most |dP/dw|^2 / (2 alpha) above its minimum, and `dual` is P minus that bound;
otherwise it is -infinity, and the gradient alone tells how close to stationary the solution is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from mercer.engine.interrupts import until_interrupted
from mercer.solvers.glm import SEPARATED, GLMSolution, solved
from mercer.solvers.losses import classifies
from mercer.solvers.risk.summed_loss import Target, target_of
from mercer.solvers.solution import LENIENCE
from mercer.typing import Array

_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoringSolution(GLMSolution):
    """As GLMSolution; where no bound is known, `gradient` is the only proof."""

    def __str__(self) -> str:
        if np.isfinite(self.dual) or self.reason in SEPARATED:
            return super().__str__()
        return f"The norm of the gradient is {self.gradient:.1e} at objective {self.primal:.8g}; no bound is known."


def solve_by_scoring(
    Phi: Array,
    y: Array,
    loss: Any,
    *,
    alpha: float,
    weight: Array | None = None,
    fit_intercept: bool = True,
    tol: float = 1e-8,
    max_iter: int = 100,
) -> ScoringSolution:
    """Scoring steps until the gain predicted for the next one is at most tol times P."""
    problem = _Problem.of(Phi, y, loss, alpha, weight, fit_intercept)
    B, reason, n_iter = problem.first(), "", 0
    with until_interrupted() as work:
        while not reason and not work.came():
            g, step = problem.scored(B)
            if alpha == 0.0 and problem.convex and problem.separates(B):
                reason = "separable"
            elif -0.5 * float(g @ step) <= tol * problem.at(B) + problem.rounding:
                reason = "converged"
            elif n_iter >= max_iter:
                reason = "max_iter"
            else:
                moved, n_iter = problem.searched(B, step), n_iter + 1
                reason = "stalled" if moved is B else ""
                B = moved
    return problem.solution(B, n_iter, reason or "interrupted")


def prove_by_scoring(
    Phi: Array,
    y: Array,
    loss: Any,
    w: Array,
    intercept: Array,
    *,
    alpha: float,
    weight: Array | None = None,
    fit_intercept: bool = True,
    tol: float = 1e-8,
) -> ScoringSolution:
    """The proof of given weights: P there, the bound at their best intercept, and what the next step would gain."""
    problem = _Problem.of(Phi, y, loss, alpha, weight, fit_intercept)
    B = np.concatenate([w, intercept]) if fit_intercept else w
    g, step = problem.scored(B)
    done = -0.5 * float(g @ step) <= LENIENCE * tol * problem.at(B) + problem.rounding
    return replace(
        problem.solution(problem.balanced(B), 0, "converged"), W=w[:, None], intercept=intercept,
        gradient=float(np.linalg.norm(g)), primal=problem.at(B), converged=done,
        reason="converged" if done else "tol not reached",
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Problem:
    """The problem with Z = [Phi, 1]; `ridge` is alpha for every column, 0 for that of ones."""

    Z: Array
    target: Target
    ridge: Array
    columns: int
    y: Array  # -1 and +1 for classes
    total: float  # sum of the weights
    constant: float  # the best constant f
    convex: bool

    @classmethod
    def of(cls, Phi: Array, y: Array, loss: Any, alpha: float, weight: Array | None, fit_intercept: bool) -> Self:
        n, K = Phi.shape
        s = np.ones(n) if weight is None else np.asarray(weight, dtype=float)
        Z = np.column_stack([Phi, np.ones(n)]) if fit_intercept else np.asarray(Phi, dtype=float)
        ridge = np.where(np.arange(Z.shape[1]) < K, float(alpha), 0.0)
        y = np.asarray(y, dtype=float)
        constant = loss.constant(float(s @ y / s.sum()))
        y = 2.0 * y - 1.0 if classifies(loss) else y
        convex = getattr(loss, "convex", True)
        return cls(Z, target_of(loss, y, s), ridge, K, y, float(s.sum()), constant, convex)

    @property
    def rounding(self) -> float:
        return 100.0 * _EPS * self.total

    def first(self) -> Array:
        """The start: zero weights and the best constant."""
        B = np.zeros(self.Z.shape[1])
        B[self.columns :] = self.constant
        return B

    def _scores(self, B: Array) -> Array:
        return np.asarray(self.Z @ B)[:, None]

    def at(self, B: Array) -> float:
        """The objective."""
        return self.target.value(self._scores(B)) + 0.5 * float(self.ridge @ (B * B))

    def gradient(self, B: Array) -> Array:
        return np.asarray(self.Z.T @ self.target.slopes(self._scores(B))[:, 0] + self.ridge * B)

    def scored(self, B: Array) -> tuple[Array, Array]:
        """The gradient, and the step to the minimum of the quadratic model."""
        g, curvature = self.gradient(B), self.target.curvature(self._scores(B)).size()
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
        return bool((self.y * (self.Z @ B) > 0.0).all())

    def balanced(self, B: Array) -> Array:
        """B with the best intercept for its weights; the bound needs it."""
        for _ in range(3 * (len(B) > self.columns)):
            f = self._scores(B)
            curvature, B = float(self.target.curvature(f).size().sum()), B.copy()
            B[-1] -= float(self.target.slopes(f).sum()) / max(curvature, 1e-300)
        return B

    def solution(self, B: Array, n_iter: int, reason: str) -> ScoringSolution:
        B = self.balanced(B) if reason == "converged" else B
        g, K, primal, alpha = self.gradient(B), self.columns, self.at(B), float(self.ridge.max(initial=0.0))
        dual = 0.0 if reason == "separable" else -np.inf
        if self.convex and alpha > 0.0 and reason == "converged":
            dual = primal - float(g[:K] @ g[:K]) / (2.0 * alpha)
        return ScoringSolution(
            W=B[:K, None], intercept=B[K:] if len(B) > K else np.zeros(1), gradient=float(np.linalg.norm(g)),
            primal=primal, dual=dual, n_iter=n_iter, converged=reason == "converged", reason=reason,
        )  # fmt: skip
