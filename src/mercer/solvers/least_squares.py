"""Least squares with a ridge on the weights, and the evidence of the same model.

    minimise  P(w, b) = 1/2 sum_i s_i (y_i - w' phi_i - b)^2 + alpha/2 |w|^2

b is not penalised: columns and targets are centred (by the weights s), and the rest is the ridge of A w = z.  While
alpha bounds the condition of A'A + alpha I it is solved by Cholesky, else by the singular values of A: with alpha = 0
the optimal weights of least norm, for any rank of A.

As a model, y_i ~ N(w' phi_i + b, 1/(beta s_i)) with w ~ N(0, 1/(beta alpha)) and a flat prior on b, the solution is
the posterior mean of w, and `Spectral.evidence` the logarithm of p(y) as a function of alpha, for the best beta.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from mercer.engine import fill
from mercer.errors import bad
from mercer.solvers.solution import Solution
from mercer.typing import Array

_SAFE = 1e8  # condition number up to which the normal equations are accurate enough
_EPS = float(np.finfo(float).eps)
_SOLVED = 1e-9  # relative gap up to which weights count as optimal
_RANGE = (1e-14, 1e6)  # of alpha by evidence, in units of the largest eigenvalue of A'A


@dataclass(frozen=True, kw_only=True, eq=False)
class LeastSquares(Solution):
    """y = w' phi + intercept, with noise of the variance `noise` / s.

    `noise` is 1/beta by evidence, 2P / n, or with alpha = 0 the unbiased estimate; n counts the items, less one for an
    intercept.  `rank` is that of the centred design matrix where it was looked at, None after Cholesky; `factor` and
    `values` are L of A'A + alpha I = L L', or its eigenvectors (rows) and eigenvalues.
    """

    w: Array
    intercept: float
    noise: float
    rank: int | None
    factor: Array
    values: Array | None

    def root(self) -> Array:
        """R with R R' = (A'A + alpha I)^-1, the covariance of w in units of `noise`; a pseudo-inverse for alpha = 0."""
        if self.values is None:
            from scipy.linalg import solve_triangular

            return np.asarray(solve_triangular(self.factor, np.eye(len(self.factor)), lower=True, trans="T"))
        return np.asarray(self.factor.T[:, self.values > 0.0] / np.sqrt(self.values[self.values > 0.0]))

    def __str__(self) -> str:
        return (
            f"The objective is within {self.relative_gap:.1e} (relative) of the best possible: primal "
            f"{self.primal:.8g}, dual {self.dual:.8g}, gap {self.gap:.1e}."
        )


@dataclass(frozen=True, eq=False)
class Centred:
    """A = s^1/2 (Phi - mean), z = s^1/2 (y - level): the problem without its intercept."""

    A: Array
    z: Array
    s: Array
    mean: Array
    level: float
    fit_intercept: bool

    @classmethod
    def of(cls, Phi: Array, y: Array, weight: Any = None, *, fit_intercept: bool = True) -> Self:
        Phi, y = np.asarray(Phi, dtype=float), np.asarray(y, dtype=float)
        fill.require_memory("Least squares", 24 * Phi.size, "Use fewer features.")
        s = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
        if not s.all():
            used = s > 0.0
            Phi, y, s = Phi[used], y[used], s[used]
        mean = s @ Phi / s.sum() if fit_intercept else np.zeros(Phi.shape[1])
        level = float(s @ y / s.sum()) if fit_intercept else 0.0
        root = np.sqrt(s)
        return cls(root[:, None] * (Phi - mean), root * (y - level), s, mean, level, fit_intercept)

    @property
    def freedom(self) -> int:
        """Items, less one for the intercept."""
        return max(len(self.z) - self.fit_intercept, 1)

    def pulled(self, dA: Array) -> Array:
        """The derivative in Phi from that in A."""
        dPhi = np.sqrt(self.s)[:, None] * dA
        return dPhi - self.s[:, None] * (dPhi.sum(axis=0) / self.s.sum()) if self.fit_intercept else dPhi

    def solution(self, w: Array, alpha: float, factor: Array, values: Array | None, rank: int | None) -> LeastSquares:
        """The answer w with its proof: P less P(w) is g' (A'A + alpha I)^-1 g / 2, at most |g|^2 / (2 alpha)."""
        r = self.z - self.A @ w
        primal = 0.5 * float(r @ r) + 0.5 * alpha * float(w @ w)
        g = alpha * w - self.A.T @ r
        if values is None or alpha > 0.0:
            gap, freedom = 0.5 * float(g @ g) / alpha, self.freedom
        else:
            some = values > 0.0
            gap, freedom = (
                0.5 * float(((factor @ g)[some] ** 2 / values[some]).sum()),
                max(self.freedom - (rank or 0), 1),
            )
        return LeastSquares(
            w=w, intercept=self.level - float(self.mean @ w), noise=2.0 * primal / freedom, rank=rank, factor=factor,
            values=values, primal=primal, dual=primal - gap, n_iter=1, converged=True, reason="converged",
        )  # fmt: skip


def solve_least_squares(
    Phi: Array, y: Array, *, alpha: float, weight: Any = None, fit_intercept: bool = True
) -> LeastSquares:
    """The ridge solution, by Cholesky or by singular values."""
    if not 0.0 <= alpha < np.inf:
        raise bad("least squares", "alpha", "a number >= 0", alpha, "It multiplies |w|^2 / 2.")
    problem = Centred.of(Phi, y, weight, fit_intercept=fit_intercept)
    n, K = problem.A.shape
    if n < K or float((problem.A**2).sum()) > _SAFE * alpha:
        return Spectral.of(problem).solution(alpha)
    from scipy.linalg import cho_solve, cholesky

    L = cholesky(problem.A.T @ problem.A + alpha * np.eye(K), lower=True)
    w = cho_solve((L, True), problem.A.T @ problem.z)
    return problem.solution(w, alpha, L, None, None)


def prove_least_squares(
    Phi: Array, y: Array, w: Array, intercept: float, *, alpha: float, weight: Any = None, fit_intercept: bool = True
) -> LeastSquares:
    """The proof of given weights: P there, and P at the best intercept less what the weights could still gain."""
    problem = Centred.of(Phi, y, weight, fit_intercept=fit_intercept)
    spectral = Spectral.of(problem)
    values = spectral.d**2 + alpha
    if alpha == 0.0:
        values[spectral.rank :] = 0.0
    found = problem.solution(w, alpha, spectral.V, values, spectral.rank)
    g = alpha * w - problem.A.T @ (problem.z - problem.A @ w)
    inside = spectral.V @ g
    gain = float((inside[values > 0.0] ** 2 / values[values > 0.0]).sum())
    if alpha > 0.0:  # plus the part of the gradient outside the span of the items
        gain += max(float(g @ g - inside @ inside), 0.0) / alpha
    r = np.asarray(y, dtype=float) - np.asarray(Phi, dtype=float) @ w - intercept
    s = np.ones(len(r)) if weight is None else np.asarray(weight, dtype=float)
    primal, dual = 0.5 * float(s @ r**2) + 0.5 * alpha * float(w @ w), found.primal - 0.5 * gain
    done = primal - dual <= _SOLVED * primal + _EPS * float(problem.z @ problem.z)
    return replace(
        found, intercept=float(intercept), primal=primal, dual=dual, converged=done,
        reason="converged" if done else "the normal equations do not hold",
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Spectral:
    """The problem in the singular vectors of A = U diag(d) V: every alpha costs O(n) more."""

    problem: Centred
    U: Array
    d: Array
    V: Array
    c: Array  # U'z
    rest: float  # |z - U U'z|^2, the part of z outside the span of A

    @classmethod
    def of(cls, problem: Centred) -> Self:
        from scipy.linalg import svd

        U, d, V = svd(problem.A, full_matrices=False)
        c = U.T @ problem.z
        r = problem.z - U @ c
        return cls(problem, U, d, V, c, float(r @ r))

    @property
    def rank(self) -> int:
        return int((self.d > self.d.max(initial=0.0) * max(self.problem.A.shape) * _EPS).sum())

    def weights(self, alpha: float) -> Array:
        some = slice(None) if alpha > 0.0 else slice(self.rank)
        return np.asarray(self.V[some].T @ (self.d[some] * self.c[some] / (self.d[some] ** 2 + alpha)))

    def solution(self, alpha: float) -> LeastSquares:
        values = self.d**2 + alpha
        if alpha == 0.0:
            values[self.rank :] = 0.0
        return self.problem.solution(self.weights(alpha), alpha, self.V, values, self.rank)

    # ---- evidence

    def misfit(self, alpha: float) -> float:
        """Q(alpha) = min_w |z - A w|^2 + alpha |w|^2 = z' (I + A A' / alpha)^-1 z."""
        return self.rest + float(self.c**2 @ (alpha / (alpha + self.d**2)))

    def evidence(self, alpha: float, beta: float | None = None) -> float:
        """log p(y); for the best beta = n / Q when none is given."""
        p, n = self.problem, self.problem.freedom
        Q = max(self.misfit(alpha), 1e-300)
        beta = n / Q if beta is None else beta
        scale = 0.5 * float(np.log(p.s).sum()) - (0.5 * float(np.log(p.s.sum())) if p.fit_intercept else 0.0)
        volume = 0.5 * float(np.log1p(self.d**2 / alpha).sum())
        return 0.5 * n * float(np.log(beta / (2.0 * np.pi))) - 0.5 * beta * Q - volume + scale

    def best_alpha(self) -> float:
        """The alpha of largest evidence: on a grid, because there may be several maxima, then by Brent's method."""
        from scipy.optimize import minimize_scalar

        unit = float(self.d.max(initial=0.0)) ** 2 or 1.0
        grid = np.log(np.geomspace(_RANGE[0], _RANGE[1], 101))
        values = [self.evidence(unit * float(np.exp(a))) for a in grid]
        i = int(np.argmax(values))
        ends = grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)]
        found = minimize_scalar(
            lambda a: -self.evidence(unit * float(np.exp(a))), bounds=ends, method="bounded", options={"xatol": 1e-10}
        )
        return unit * float(np.exp(found.x if -found.fun >= values[i] else grid[i]))

    def evidence_slope(self, alpha: float) -> Array:
        """d/dPhi of the evidence at this alpha and its best beta."""
        w = self.weights(alpha)
        r = self.problem.z - self.problem.A @ w
        beta = self.problem.freedom / max(self.misfit(alpha), 1e-300)
        return self.problem.pulled(beta * np.outer(r, w) - (self.U * (self.d / (self.d**2 + alpha))) @ self.V)
