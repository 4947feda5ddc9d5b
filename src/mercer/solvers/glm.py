"""Generalised linear models with a ridge, by Newton's method (iteratively reweighted least squares).

    minimise  P(W, b) = sum_i s_i loss(t_i, W' phi_i + b) + alpha/2 |W|^2

over the rows phi_i of a design matrix, with weights s_i, the losses of a family (losses/), and b not penalised.
A Newton step is also a proof.  To first order it moves the slopes u_i of the losses to u_i + A''(f_i) df_i, and these
are feasible for the dual,

    maximise  D(u) = sum_i s_i (A*(t_i) - A*(t_i + u_i)) - |sum_i s_i u_i phi_i|^2 / (2 alpha),   sum_i s_i u_i = 0,

if every t_i + u_i is a possible mean; the optimum lies between D and P.  With alpha = 0 the sum over phi_i must be 0,
which holds up to rounding; there is then no optimum if the features separate the classes: `reason` is "separable",
or "quasi-separable" where some items lie on the border (separation.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from mercer.engine import fill
from mercer.engine.interrupts import until_interrupted
from mercer.engine.pool import one_blas_thread, run
from mercer.engine.tiles import cuts
from mercer.errors import bad
from mercer.linalg.conjugate_gradients import conjugate_gradients
from mercer.solvers.losses import Family
from mercer.solvers.separation import separation
from mercer.solvers.solution import LENIENCE, Solution
from mercer.typing import Array

_DIRECT = 1600  # unknowns up to which a Hessian of several functions is factorised; beyond, conjugate gradients
_ROWS = 2048  # items of one task in a product with the Hessian
_ROUGH, _FINE = 0.1, 1e-3  # share of the gradient that conjugate gradients leave: far from the optimum, and near it
_NEAR = 1e-2  # a step is near the optimum after one that gained less than this share of P
_MANY, _PART = 10_000, 8  # of more items than these, one in so many is solved first, to begin from there
_FAR = 12.0  # without a penalty, log odds beyond this start the test for separable classes
_EPS = float(np.finfo(float).eps)


SEPARATED = ("separable", "quasi-separable")  # reasons for which there is no best answer


@dataclass(frozen=True, kw_only=True, eq=False)
class GLMSolution(Solution):
    """f = W' phi + intercept, one column per function; `gradient` is the norm of the gradient of P at it."""

    W: Array
    intercept: Array
    gradient: float

    def __str__(self) -> str:
        if self.reason in SEPARATED:
            all_but = "" if self.reason == "separable" else " except for items on the border"
            return f"The features separate the classes{all_but}: without a penalty no finite weights are the best."
        return (
            f"The objective is within {self.relative_gap:.1e} (relative) of the best possible: primal "
            f"{self.primal:.8g}, dual {self.dual:.8g}, gap {self.gap:.1e}; the norm of the gradient is "
            f"{self.gradient:.1e}."
        )


def solve_glm(
    Phi: Array,
    y: Array,
    family: Family,
    *,
    alpha: float,
    weight: Array | None = None,
    fit_intercept: bool = True,
    tol: float = 1e-8,
    max_iter: int = 100,
    start: GLMSolution | None = None,
) -> GLMSolution:
    """Newton steps from `start`, until the relative duality gap is at most `tol` or the gap is rounding."""
    problem = GLMProblem.of(Phi, y, family, alpha, weight, fit_intercept)
    rounding = 100.0 * _EPS * float(problem.s.sum())
    dual, reason, n_iter, gain = -np.inf, "", 0, np.inf
    with until_interrupted() as work:
        state = problem.at(_begun(problem, work.came) if start is None and alpha > 0.0 else problem.first(start))
        while not reason:
            step = problem.newton(state, _FINE if gain <= _NEAR * state.primal else _ROUGH)
            dual = max(dual, problem.dual(step))
            moved = problem.searched(state, step)
            gain = state.primal - moved.primal
            stuck, state, n_iter = moved is state, moved, n_iter + 1
            if alpha == 0.0 and family.perfect(state.f, problem.t):
                dual, reason = 0.0, "separable"
            elif np.isfinite(dual) and state.primal - dual <= tol * max(state.primal, abs(dual)) + rounding:
                reason = "converged"
            elif stuck or n_iter >= max_iter:
                reason = "stalled" if stuck else "max_iter"
            elif work.came():
                break
    reason = reason or "interrupted"
    if alpha == 0.0 and reason != "separable" and np.abs(state.f).max(initial=0.0) > _FAR:
        found = problem.separation()
        dual, reason = (0.0, found) if found else (dual, reason)
    return problem.solution(state, dual, n_iter, reason)


def _begun(problem: GLMProblem, late: Callable[[], bool]) -> Array:
    """Coefficients to begin with: the best constant; for many items, nearly the best ones of a part of them."""
    n, part = len(problem.s), None
    if n > _MANY:
        part = problem.part(np.sort(np.random.default_rng(0).permutation(n)[: n // _PART]))
    if part is None:
        return problem.first(None)
    state, gain = part.at(_begun(part, late)), np.inf
    while gain > _NEAR * state.primal and not late():
        moved = part.searched(state, part.newton(state, _ROUGH))
        state, gain = moved, state.primal - moved.primal
    return state.B


def prove_glm(
    Phi: Array,
    y: Array,
    family: Family,
    W: Array,
    intercept: Array,
    *,
    alpha: float,
    weight: Array | None = None,
    fit_intercept: bool = True,
    tol: float = 1e-8,
) -> GLMSolution:
    """The proof of given weights: P there, and the best dual bound that Newton steps from there find."""
    given = GLMSolution(W=W, intercept=intercept, gradient=np.nan, primal=np.inf, dual=-np.inf, n_iter=0,
                        converged=False, reason="")  # fmt: skip
    problem = GLMProblem.of(Phi, y, family, alpha, weight, fit_intercept)
    state = problem.at(problem.first(given))
    f = family.hidden(np.asarray(Phi, dtype=float) @ W + intercept)
    s = np.ones(len(f)) if weight is None else np.asarray(weight, dtype=float)
    primal = float(s @ family.loss(f, family.statistic(y))) + 0.5 * alpha * float(np.sum(W * W))
    bound = solve_glm(
        Phi, y, family, alpha=alpha, weight=weight, fit_intercept=fit_intercept, tol=tol, start=given
    )  # fmt: skip
    done = primal - bound.dual <= LENIENCE * tol * max(primal, abs(bound.dual)) + 100.0 * _EPS * float(s.sum())
    return replace(
        given, gradient=float(np.linalg.norm(problem.gradient(state))), primal=primal, dual=bound.dual,
        converged=done, reason="converged" if done else "tol not reached",
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class GLMState:
    """Coefficients B of [phi, 1], with f, the slopes u = A'(f) - t and the objective there."""

    B: Array
    f: Array
    u: Array
    primal: float


@dataclass(frozen=True, eq=False)
class _Step:
    """The change D of B, that of f, and the slopes it leads to in first order."""

    D: Array
    df: Array
    u: Array


@dataclass(frozen=True, eq=False)
class GLMProblem:
    """The problem in the coordinates of the solver: Z = [Phi, 1], and at most as many features as items.

    More features than items are turned into their coordinates in the span of the items (`turn`), which changes
    neither f nor |W|.
    """

    Z: Array
    t: Array
    s: Array
    family: Family
    ridge: Array  # alpha for every row of B, 0 for the intercept
    turn: Array | None
    fit_intercept: bool

    @classmethod
    def of(cls, Phi: Array, y: Array, family: Family, alpha: float, weight: Any, fit_intercept: bool) -> Self:
        Phi, turn, y = np.asarray(Phi, dtype=float), None, np.asarray(y)
        s = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
        if not s.all():
            Phi, y, s = Phi[s > 0.0], y[s > 0.0], s[s > 0.0]
        n, K = Phi.shape
        if not 0.0 <= alpha < np.inf:
            raise bad("solve_glm", "alpha", "a number >= 0", alpha, "It multiplies |w|^2 / 2.")
        size = (min(n, K) + 1) * (n + (min(n, K) + 1) * min(family.functions, 2) ** 2)
        fill.require_memory("Newton's method", 16 * size, "Use fewer features.")
        if n < K:
            turn, R = np.linalg.qr(Phi.T)
            Phi = R.T
        Z = np.column_stack([Phi, np.ones(n)]) if fit_intercept else Phi
        ridge = np.full(Z.shape[1], float(alpha))
        ridge[Phi.shape[1] :] = 0.0
        return cls(Z, family.statistic(y), s, family, ridge, turn, fit_intercept)

    # ---- values

    def first(self, start: GLMSolution | None) -> Array:
        """The coefficients of a solution, or the best constant."""
        B = np.zeros((self.Z.shape[1], self.family.functions))
        if start is not None:
            W = self.family.hidden(start.W)
            B[: len(B) - self.fit_intercept] = W if self.turn is None else self.turn.T @ W
            B[len(B) - self.fit_intercept :] = self.family.hidden(start.intercept)
        elif self.fit_intercept:
            B[-1] = self.family.constant(self.s @ self.t / self.s.sum())
        return B

    def part(self, rows: Array) -> Self | None:
        """The problem of some items with the weight of all; None if they do not determine constants."""
        t, s = self.t[rows], self.s[rows] * (self.s.sum() / self.s[rows].sum())
        with np.errstate(divide="ignore", invalid="ignore"):  # a class that they do not have
            if not np.isfinite(self.family.constant(s @ t / s.sum())).all():
                return None
        return replace(self, Z=self.Z[rows], t=t, s=s)

    def at(self, B: Array, f: Array | None = None) -> GLMState:
        f = self.Z @ B if f is None else f
        loss = self.family.loss(f, self.t)
        primal = float(self.s @ loss) + 0.5 * float(self.ridge @ (B * B).sum(axis=1))
        return GLMState(B, f, self.family.mean(f) - self.t, primal)

    def gradient(self, state: GLMState) -> Array:
        return np.asarray(self.Z.T @ (self.s[:, None] * state.u) + self.ridge[:, None] * state.B)

    def dual(self, step: _Step) -> float:
        """D at the slopes after a Newton step; -infinity where these are not feasible."""
        gain = float(self.s @ (self.family.conjugate(self.t) - self.family.conjugate(self.t + step.u)))
        v = (self.Z.T @ (self.s[:, None] * step.u))[self.ridge > 0.0]
        return gain - 0.5 * float((v * v).sum()) / float(self.ridge.max(initial=1e-300))

    def separation(self) -> str:
        """Whether the features separate classes."""
        contrasts = self.family.contrasts(self.t)
        return "" if contrasts is None else separation(self.Z, contrasts)

    # ---- steps

    def newton(self, state: GLMState, leave: float = _FINE) -> _Step:
        """The minimiser of the quadratic model at a state; conjugate gradients may `leave` a share of the gradient."""
        g, C = self.gradient(state), self.s[:, None, None] * self.family.curvature(state.f)
        if g.size == 0:
            D = np.zeros_like(g)
        elif g.size > _DIRECT and g.shape[1] > 1:
            D = self._iterated(C, g, leave)
        else:
            D = -solved(self.hessian(C), g.T.ravel()).reshape(g.T.shape).T
        if self.fit_intercept:  # restore sum_i s_i u_i = 0, which the dual needs exactly
            error = (g + self._curved(C, D))[-1]
            D[-1] -= np.linalg.solve(C.sum(axis=0) + 1e-300 * np.eye(len(error)), error)
        df = self.Z @ D
        return _Step(D, df, state.u + np.einsum("nab,nb->na", self.family.curvature(state.f), df))

    def hessian(self, C: Array) -> Array:
        """(functions * features)^2: the blocks Z' diag(C_ab) Z, and the ridge."""
        m, p = C.shape[1], self.Z.shape[1]
        H = np.empty((m, p, m, p))

        def block(pair: tuple[int, int]) -> None:
            a, b = pair
            if a == b:
                R = np.sqrt(C[:, a, a, None]) * self.Z
                H[a, :, a] = R.T @ R  # R'R is symmetric: half the work of a general product
                H[a, np.arange(p), a, np.arange(p)] += self.ridge
            else:
                H[a, :, b] = self.Z.T @ (C[:, a, b, None] * self.Z)
                H[b, :, a] = H[a, :, b].T

        pairs = [(a, b) for a in range(m) for b in range(a + 1)]
        if m == 1:
            block(pairs[0])
        else:
            with one_blas_thread():
                run(block, pairs)
        return H.reshape(m * p, m * p)

    def _curved(self, C: Array, D: Array) -> Array:
        """The Hessian times D, without the Hessian; items in an order that does not depend on threads."""
        parts = cuts(len(self.Z), _ROWS)
        sums: list[Array] = [D] * len(parts)

        def some(i: int) -> None:
            Z = self.Z[parts[i]]
            sums[i] = Z.T @ np.einsum("nab,nb->na", C[parts[i]], Z @ D)

        run(some, range(len(parts)))
        return np.asarray(sum(sums, self.ridge[:, None] * D))

    def _blocks(self, C: Array) -> list[Any]:
        """Factors of the blocks of the Hessian, one for each function."""
        from scipy.linalg import cho_factor

        found: list[Any] = [None] * C.shape[1]

        def factor(a: int) -> None:
            R = np.sqrt(C[:, a, a, None]) * self.Z
            H = R.T @ R + np.diag(self.ridge)
            H[np.diag_indices_from(H)] += _EPS * np.trace(H)
            found[a] = cho_factor(H, lower=True, overwrite_a=True)

        run(factor, range(len(found)))
        return found

    def _iterated(self, C: Array, g: Array, leave: float) -> Array:
        """Newton's step by conjugate gradients, until a share of the gradient is left in the norm of the blocks."""
        from scipy.linalg import cho_solve

        with one_blas_thread():
            blocks = self._blocks(C)

            def solve(R: Array) -> Array:
                return np.column_stack([cho_solve(block, r) for block, r in zip(blocks, R.T, strict=True)])

            return conjugate_gradients(lambda D: self._curved(C, D), -g, solve=solve, tol=leave, most=10 * len(g))[0]

    def searched(self, state: GLMState, step: _Step) -> GLMState:
        """The state after the longest of 1, 1/2, 1/4, ... steps that lowers P enough for its slope, or the old one."""
        slope, h = float((self.gradient(state) * step.D).sum()), 1.0
        while h > 1e-10:
            moved = self.at(state.B + h * step.D, state.f + h * step.df)
            if moved.primal <= state.primal + 1e-4 * h * slope + 4.0 * _EPS * state.primal:
                return moved if moved.primal < state.primal or h == 1.0 else state
            h *= 0.5
        return state

    def solution(self, state: GLMState, dual: float, n_iter: int, reason: str) -> GLMSolution:
        state = self.at(state.B)  # f without accumulated rounding
        K = len(state.B) - self.fit_intercept
        W = self.family.shown(state.B[:K] if self.turn is None else self.turn @ state.B[:K])
        intercept = state.B[-1] if self.fit_intercept else np.zeros(self.family.functions)
        return GLMSolution(
            W=W, intercept=self.family.shown(intercept), gradient=float(np.linalg.norm(self.gradient(state))),
            primal=state.primal, dual=dual, n_iter=n_iter, converged=reason == "converged", reason=reason,
        )  # fmt: skip


def solved(H: Array, g: Array) -> Array:
    """H^-1 g by Cholesky, or the shortest solution by eigenvalues where H is singular to working precision."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

    try:
        x = cho_solve(cho_factor(H, lower=True), g)
        if np.linalg.norm(H @ x - g) <= 1e-6 * np.linalg.norm(g):
            return np.asarray(x)
    except LinAlgError:
        pass
    values, V = eigh(H)
    some = values > len(H) * _EPS * max(values[-1], 0.0)
    return np.asarray(V[:, some] @ ((V[:, some].T @ g) / values[some]))
