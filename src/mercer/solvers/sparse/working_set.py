"""Solving on a few features at a time, with a proof over all of them.

    1. one pass over all features: the duality gap, what can be screened, which features violate optimality
    2. the features in use and the worst violators are the working set
    3. proximal Newton improves the weights of the working set
    4. again, until the gap is small enough

About ten passes are enough, whatever n.  A path of lambdas goes from large to small, each from the answer before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mercer.engine.interrupts import until_interrupted
from mercer.engine.pool import one_blas_thread
from mercer.solvers.solution import Solution
from mercer.solvers.sparse.problem import Proof, SparseProblem, State
from mercer.solvers.sparse.proximal_newton import ProximalNewton
from mercer.typing import Array

_NEW = 100  # violators that join at a time, or as many as are in use if that is more
_IDLE = 4  # rounds without progress before giving up
_SCREENING_GAP = 0.01  # relative gap below which screening is worth its cost


@dataclass(frozen=True, kw_only=True, eq=False)
class SparseSolution(Solution):
    """f(x) = W' phi(x) + intercept for one lambda, one column per function; rows of W off the `support` are 0.

    `violation` is how far the optimality conditions are from holding, in units of lambda; `screened` are features that
    were proved to have weight 0 in every solution; `passes` counts the looks at all features, n_iter linear systems.
    """

    lam: float
    features: int
    support: Array
    weights: Array  # the rows of W on the support
    intercept: Array
    violation: float
    screened: Array
    passes: int

    @property
    def W(self) -> Array:
        """(features, functions)."""
        W = np.zeros((self.features, self.weights.shape[1]))
        W[self.support] = self.weights
        return W

    def __str__(self) -> str:
        return (
            f"The objective is within {self.relative_gap:.1e} (relative) of the best possible: primal "
            f"{self.primal:.8g}, dual {self.dual:.8g}, gap {self.gap:.1e}; the optimality conditions hold to "
            f"{self.violation:.1e} lambda, and {len(self.support)} of {self.features} features are in use."
        )


def follow(
    problem: SparseProblem, lambdas: Sequence[float], *, tol: float, max_iter: int, screen: bool
) -> list[SparseSolution]:
    """The solution for every lambda, in their order; after an interrupt, the state reached so far for the others."""
    import scipy.linalg  # noqa: F401  # before its BLAS is held to one thread

    solutions, inner = [], ProximalNewton.of(problem)
    work = until_interrupted()
    with one_blas_thread():  # the systems are small, and the answer must not depend on the number of threads
        state = problem.first()
        for lam in lambdas:
            round_ = _Rounds(problem, inner, state, lam, tol, max_iter, screen, work)
            solutions.append(round_.solve())
            state = round_.state
    return solutions


@dataclass(eq=False)
class _Rounds:
    """The rounds for one lambda."""

    problem: SparseProblem
    inner: ProximalNewton
    state: State
    lam: float
    tol: float
    max_iter: int
    screen: bool
    work: until_interrupted
    dual: float = -np.inf  # the best so far; the primal falls in every step
    gap: float = np.inf
    passes: int = 0
    idle: int = 0
    alive: Array = field(init=False)
    begun: int = field(init=False)

    def __post_init__(self) -> None:
        self.alive, self.begun = np.ones(len(self.state.W), dtype=bool), self.inner.steps

    def solve(self) -> SparseSolution:
        primal = np.inf
        while True:
            proof = self._proof()
            self._take(proof, primal)
            primal = proof.primal
            if reason := self._end():
                return self._solution(proof, reason)
            goal = 0.03 * min(max(self.gap, self.tol), 0.3)
            with self.work:
                moved = self.inner.improve(self.state, self._working(proof), self.lam, goal)
                self.state = self.problem.at(moved.W, moved.f)

    def _proof(self) -> Proof:
        """What the state proves; computed again if Ctrl-C ended it, because every answer needs its gap."""
        with self.work:
            return self.problem.prove(self.state, self.lam, self.alive)
        return self.problem.prove(self.state, self.lam, self.alive)

    def _take(self, proof: Proof, primal: float) -> None:
        """Keep the bounds of a proof, and count the rounds without progress."""
        self.dual, self.passes = max(self.dual, proof.dual), self.passes + 1
        gap = (proof.primal - self.dual) / max(abs(proof.primal), 1e-300)
        better = gap < 0.9 * self.gap or proof.primal < primal - 0.1 * self.tol * abs(primal)
        self.gap, self.idle = min(gap, self.gap), 0 if better else self.idle + 1
        if self.screen and gap <= _SCREENING_GAP:
            self.alive &= self.problem.possible(proof, self.lam)

    def _end(self) -> str:
        if self.gap <= self.tol:
            return "converged"
        if self.inner.steps - self.begun >= self.max_iter:
            return "max_iter"
        if self.work.came():
            return "interrupted"
        return "stalled" if self.idle >= _IDLE else ""

    def _working(self, proof: Proof) -> Array:
        """The features in use, and the worst violators among the others."""
        support = self.state.support
        excess = np.where(self.alive, proof.size - self.lam, -1.0)
        excess[support] = -1.0
        new, count = np.flatnonzero(excess > 0.0), max(_NEW, len(support))
        if len(new) > count:
            new = new[np.argpartition(-excess[new], count)[:count]]
        return np.concatenate([support, new])

    def _solution(self, proof: Proof, reason: str) -> SparseSolution:
        shown, support = self.problem.family.shown, self.state.support
        return SparseSolution(
            primal=proof.primal, dual=self.dual, n_iter=self.inner.steps - self.begun, reason=reason,
            converged=reason == "converged", lam=self.lam, features=len(self.state.W), support=support,
            weights=shown(self.state.W[support]), intercept=shown(self.problem.intercept_of(self.state)),
            violation=proof.violation, screened=np.flatnonzero(~self.alive), passes=self.passes,
        )  # fmt: skip
