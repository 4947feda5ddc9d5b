"""The problem that sparse linear models share, its dual, and what both prove.

    minimise  P(W, b) = sum_i s_i loss(t_i, W' phi_i + b) + lambda sum_j |W_j|_2

over W (features, functions) and b, with the losses A(f) - t'f + A*(t) of a family (solvers/losses).  One function
makes |W_j|_2 an absolute value (lasso, l1-logistic regression); of several, those of a feature form a group (group
lasso).  The dual has one theta_i per item,

    maximise  D(theta) = sum_i s_i (A*(t_i) - A*(t_i - theta_i / s_i))
    subject to  |sum_i theta_i phi_ij|_2 <= lambda for every feature j,   sum_i theta_i = 0 when there is a b.

The residuals R_i = s_i (t_i - A'(f_i)) sum to 0 for the best b; scaled down until they are feasible they are such a
theta.  As A'' <= L, the best theta is within sqrt(2 L gap) of ours, in the norm sum_i |.|^2 / s_i.  A feature that no
such theta brings up to lambda has weight 0 in every solution: gap-safe screening (Fercoq, Gramfort & Salmon, 2015).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from mercer.engine.tiles import cuts
from mercer.errors import bad
from mercer.solvers.losses import Family
from mercer.solvers.sparse.quadratic import lengths, violation
from mercer.typing import Array

_EPS = float(np.finfo(float).eps)
_COPY_SHARE = 0.5  # up to this share of the features their columns are copied for a product; beyond, all are used


@dataclass(frozen=True, eq=False)
class State:
    """Weights W of all features, scores f = Phi W + b, residuals R = s (t - A'(f)), and the sum of the losses."""

    W: Array
    f: Array
    R: Array
    loss: float

    @property
    def support(self) -> Array:
        """The features in use."""
        return np.flatnonzero(self.W.any(axis=1))

    def objective(self, lam: float) -> float:
        """P."""
        return self.loss + lam * float(lengths(self.W).sum())


@dataclass(frozen=True, eq=False)
class Proof:
    """What one pass over the features says of a state: `size` is |Phi_j' R| and `scale` R makes theta.

    `violation` is how far the optimality conditions are from holding, in units of lambda.
    """

    primal: float
    dual: float
    violation: float
    size: Array
    scale: float


@dataclass(frozen=True, eq=False)
class SparseProblem:
    """The columns T = Phi' one after the other in memory, statistics t of the items less `shift`, weights s."""

    T: Array
    t: Array
    s: Array
    family: Family
    intercept: bool
    shift: Array

    @classmethod
    def of(cls, Phi: Array, y: Array, family: Family, weight: Any, fit_intercept: bool) -> Self:
        T, t = np.ascontiguousarray(np.asarray(Phi, dtype=float).T), family.statistic(y)
        s = np.ones(len(t)) if weight is None else np.asarray(weight, dtype=float)
        if T.ndim != 2 or T.shape[1] != len(t) or s.shape != (len(t),) or not (s > 0.0).all():
            raise bad("sparse_path", "Phi, y and weight", "one row, one target and one positive weight per item",
                      f"shapes {T.T.shape}, {np.shape(y)} and {s.shape}", "Leave out items of weight 0.")  # fmt: skip
        if not np.isfinite(family.curvature_bound):
            raise bad("sparse_path", "family", "one whose curvature is bounded", family, "Use squares or classes.")
        shift = np.zeros(t.shape[1])
        if fit_intercept and family.quadratic:  # large numbers would hide small residuals
            shift = s @ t / s.sum()
        return cls(T, t - shift, s, family, fit_intercept, shift)

    # ---- columns

    @cached_property
    def centre(self) -> Array:
        """The mean of every column, which b takes up; 0 without it."""
        return self.T @ (self.s / self.s.sum()) if self.intercept else np.zeros(len(self.T))

    @cached_property
    def norm(self) -> Array:
        """sqrt(sum_i s_i (phi_ij - centre_j)^2), a little more for rounding."""
        squares = np.concatenate([np.square(self.T[r]) @ self.s for r in cuts(len(self.T), 64)])
        rounding = 4.0 * self.T.shape[1] * _EPS * squares
        return np.asarray(np.sqrt(squares - self.s.sum() * self.centre**2 + rounding))

    def columns(self, index: Array) -> Array:
        """(index, items): columns less their centre."""
        Z = self.T[index]
        Z -= self.centre[index, None]
        return Z

    def sizes(self, R: Array, alive: Array) -> Array:
        """|Phi_j' R|_2 of the features that are alive, 0 for the others."""
        size, some = np.zeros(len(self.T)), np.flatnonzero(alive)
        G = (self.T @ R)[some] if len(some) > _COPY_SHARE * len(alive) else self.T[some] @ R
        size[some] = lengths(G - self.centre[some, None] * R.sum(axis=0))[:, 0]  # a sum that is 0 up to rounding
        return size

    # ---- states

    def first(self) -> State:
        """All weights 0."""
        f = np.zeros_like(self.t)
        if self.intercept:
            f += self.family.constant(self.s @ self.t / self.s.sum())
        return self.scored(np.zeros((len(self.T), self.t.shape[1])), f)

    def at(self, W: Array, f: Array) -> State:
        """The state of weights W, where f are its scores up to rounding."""
        scores = self._scores(W)
        return self.scored(W, scores + self._mean(f - scores))

    def scored(self, W: Array, f: Array) -> State:
        """The state of weights W with the scores f, after the best intercept has been added to them."""
        f = self._balanced(f) if self.intercept else f
        return State(W, f, self.residuals(f), self.loss(f))

    def intercept_of(self, state: State) -> Array:
        """b of a state."""
        return self.shift + self._mean(state.f - self._scores(state.W))

    def residuals(self, f: Array) -> Array:
        """s (t - A'(f))."""
        return np.asarray(self.s[:, None] * (self.t - self.family.mean(f)))

    def loss(self, f: Array) -> float:
        """sum_i s_i loss(t_i, f_i)."""
        return float(self.s @ self.family.loss(f, self.t))

    def _scores(self, W: Array) -> Array:
        some = np.flatnonzero(W.any(axis=1))
        return np.asarray(self.T[some].T @ W[some])

    def _mean(self, f: Array) -> Array:
        return np.asarray(self.s @ f / self.s.sum()) if self.intercept else np.zeros(f.shape[1])

    def _balanced(self, f: Array) -> Array:
        """f plus the constant that makes the residuals sum to 0, by Newton's method."""
        goal, loss = 64.0 * _EPS * self.s.sum(), self.loss(f)
        for _ in range(60):
            g = self.residuals(f).sum(axis=0)
            if np.abs(g).max() <= goal:
                break
            H = np.einsum("n,nab->ab", self.s, self.family.curvature(f))
            step, h = np.linalg.lstsq(H, g, rcond=None)[0], 1.0
            while (moved := self.loss(f + h * step)) > loss * (1.0 + _EPS) and h > 1e-3:
                h *= 0.5
            f, loss = f + h * step, moved
        return f

    # ---- proofs

    def prove(self, state: State, lam: float, alive: Array) -> Proof:
        """One pass over the features that are alive; the others are known to have weight 0."""
        size, some = self.sizes(state.R, alive), state.support
        scale = min(1.0, lam / max(float(size.max(initial=0.0)), 1e-300))
        gain = self.family.conjugate(self.t) - self.family.conjugate(self.t - scale * state.R / self.s[:, None])
        worst = float(violation(-(self.T[some] @ state.R), state.W[some], lam).max(initial=0.0))
        worst = max(worst, float(size.max(initial=0.0)) - lam)
        return Proof(state.objective(lam), float(self.s @ gain), max(worst, 0.0) / lam, size, scale)

    def possible(self, proof: Proof, lam: float) -> Array:
        """Which features may have a weight, as far as the gap tells."""
        rounding = 64.0 * _EPS * (abs(proof.primal) + abs(proof.dual))
        radius = np.sqrt(2.0 * self.family.curvature_bound * (max(proof.primal - proof.dual, 0.0) + rounding))
        return np.asarray(proof.scale * proof.size + radius * self.norm >= lam)
