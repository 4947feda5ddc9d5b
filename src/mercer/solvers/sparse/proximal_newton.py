"""Proximal Newton on a working set of features.

A step replaces the losses by their second-order expansions at the scores f, from which the intercept is eliminated
(hessian.py), and minimises that with the penalty exactly (quadratic.py); a line search on the true objective follows.
For squared losses the first step is exact, and products of columns are kept from one working set to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from mercer.solvers.sparse import quadratic
from mercer.solvers.sparse.hessian import DenseHessian, FactoredHessian, Hessian
from mercer.solvers.sparse.problem import SparseProblem, State
from mercer.typing import Array

_ROUNDS = 30
_BACK = 100.0  # the first sigma of a step is the last one of the step before, divided by this
_DIRECT = 3000  # features * functions up to which the Hessian of several functions is a matrix
_SHORTEST = 1e-8  # least share of a step that is tried
_EPS = float(np.finfo(float).eps)


@dataclass(eq=False)
class ProximalNewton:
    """The working set `index`, its columns Z, for squared losses their products H, kept from one set to the next."""

    problem: SparseProblem
    index: Array
    Z: Array
    H: Array
    sigma: float = quadratic.FIRST
    steps: int = 0  # linear systems solved

    @classmethod
    def of(cls, problem: SparseProblem) -> Self:
        """An empty working set."""
        return cls(problem, np.zeros(0, dtype=np.intp), np.zeros((0, problem.T.shape[1])), np.zeros((0, 0)))

    @property
    def squares(self) -> bool:
        """Whether the losses are quadratic, so that their expansion is exact."""
        return self.problem.family.quadratic

    def improve(self, state: State, working: Array, lam: float, tol: float) -> State:
        """A better state that differs in the weights of `working` only; violations there at most tol * lambda."""
        self._load(working)
        worst, primal = np.inf, np.inf
        for _ in range(_ROUNDS):
            V, Q = state.W[self.index], -(self.Z @ state.R)
            before, worst = worst, float(quadratic.violation(Q, V, lam).max(initial=0.0)) / lam
            last, primal = primal, state.objective(lam)
            if worst <= tol or (worst > 0.9 * before and primal > last * (1.0 - 1e-10)):
                break
            state = self._step(state, V, Q, lam, tol if self.squares else max(tol, 0.1 * min(worst, 1.0)))
        return state

    def _load(self, working: Array) -> None:
        """Make `working` the working set; what is known of its columns is kept."""
        kept, new = np.flatnonzero(np.isin(self.index, working)), np.setdiff1d(working, self.index)
        old, fresh = self.Z[kept], self.problem.columns(new)
        self.Z, self.index = np.concatenate([old, fresh]), np.concatenate([self.index[kept], new])
        if self.squares:
            scaled = fresh * self.problem.s
            across = scaled @ old.T
            self.H = np.block([[self.H[np.ix_(kept, kept)], across.T], [across, scaled @ fresh.T]])

    def _step(self, state: State, V: Array, Q: Array, lam: float, tol: float) -> State:
        C = self.problem.s[:, None, None] * self.problem.family.curvature(state.f)
        found = quadratic.minimise(self._curvature(C), Q, lam, V, tol=tol * lam, sigma=self.sigma)
        self.sigma = max(quadratic.FIRST, found.sigma / _BACK)
        self.steps += found.steps
        df = self.Z.T @ (found.V - V)
        if self.problem.intercept:
            df -= np.linalg.pinv(C.sum(axis=0), hermitian=True) @ np.einsum("nab,nb->a", C, df)
        return self._searched(state, V, found.V, df, lam)

    def _curvature(self, C: Array) -> Hessian:
        if self.squares:
            return DenseHessian(self.H)
        direct = C.shape[1] == 1 or C.shape[1] * len(self.Z) <= _DIRECT
        return (DenseHessian if direct else FactoredHessian).of(self.Z, C, intercept=self.problem.intercept)

    def _searched(self, state: State, old: Array, new: Array, df: Array, lam: float) -> State:
        """The state after the first of the steps 1, 1/2, 1/4, ... that does not raise the objective, or the same."""
        W, h, here = state.W.copy(), 1.0, state.objective(lam)
        while h > _SHORTEST:
            W[self.index], f = new if h == 1.0 else old + h * (new - old), state.f + h * df
            if self.problem.loss(f) + lam * float(quadratic.lengths(W).sum()) <= here * (1.0 + 4.0 * _EPS):
                return self.problem.scored(W, f)
            h *= 0.5
        return state
