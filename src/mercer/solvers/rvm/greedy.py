"""Greedy ascent on the evidence: the change that gains most comes first (Tipping & Faul, 2003), by working sets.

    1. S and Q of all candidates give the gain of each: the best that differ from each other join the active ones
    2. among these few, one variance changes at a time while that gains; P has a row for each of them, so that a step
       does not touch the data
    3. beta or the mode is computed again; back to 2 while anything changes, then to 1

until no single change and no exchange of an active function for another gains more than tol.  Every step that is kept
raises the evidence.  It has many local maxima: a restart drops half of the functions, every second time others take
their place at random, and climbs again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.engine.interrupts import until_interrupted
from mercer.engine.pool import one_blas_thread
from mercer.native import rvm
from mercer.solvers.rvm.evidence import Relevance, View
from mercer.typing import Array

_JOIN = 32  # candidates that join at a time, or as many as are active if that is more
_COARSE = 1.0  # tolerance of the first ascent, with beta held
_ROUNDS = 10  # of steps 2 and 3
_REACH = 10_000  # changes of variances between two fits, at most
_SHARES = (0.3, 0.1, 0.03)  # parts of a change that are tried before it is refused
_SMALL = 4000  # candidates up to which one that joins keeps out all similar ones: slower, and often a better end
_ALIKE = 4  # with more candidates the similarity is raised to this power: only near copies are kept out
_RESTART_ENTRIES = 8_000_000  # entries of the design that all restarts may use if their number is not given,
_LEAST_RESTARTS, _MOST_RESTARTS = 2, 20  # within these bounds
_DENSE = 0.2  # share of the candidates: a model with so many functions is not a sparse one
_RANDOM_ADDED = 2  # random functions that a restart adds, per function of the best model
_GRAIN = 1e-11  # a candidate is a copy of the active ones if they explain all but this share of it


def greedy(
    model: Any,
    *,
    tol: float = 1e-3,
    max_iter: int = 1000,
    restarts: int | None = 0,
    seed: int | np.random.Generator = 0,
) -> Relevance:
    """Ascend from nothing, first roughly with beta held, then to tol; a restart counts when it ends higher."""
    with one_blas_thread():  # most products are small; large ones are cut into tasks for all threads
        return _greedy(model, tol, max_iter, restarts, np.random.default_rng(seed))


def affordable(candidates: int, active: int) -> int:
    """Restarts among so many candidates: 20 for some hundreds, then fewer, and never less than 2.

    Where a fifth of them or more is active, the kernel is too narrow for a sparse model: others have the same evidence
    at the price of a dense one, and 2 restarts do.
    """
    if active >= _DENSE * candidates:
        return _LEAST_RESTARTS
    return int(np.clip(_RESTART_ENTRIES // max(candidates, 1) ** 2, _LEAST_RESTARTS, _MOST_RESTARTS))


def _greedy(model: Any, tol: float, max_iter: int, restarts: int | None, rng: np.random.Generator) -> Relevance:
    climb, converged = GreedyClimb(model.held(), model.start(), []), False
    with until_interrupted() as work:
        climb.run(max(tol, _COARSE), max_iter)
        climb = GreedyClimb(model, climb.fit, climb.trace)
        converged = climb.run(tol, max_iter)
        for turn in range(affordable(len(model), len(climb.fit.index)) if restarts is None else restarts):
            again = GreedyClimb(model, _shaken(model, climb.fit, _RANDOM_ADDED * (turn % 2), rng), [])
            ended = again.run(tol, max_iter)
            if again.fit.evidence > climb.fit.evidence:
                again.trace = [*climb.trace, again.fit.evidence]
                climb, converged = again, ended
    if work.came():  # the report is for the model that learns beta, which the first climb does not
        return GreedyClimb(model, climb.fit, climb.trace).report("interrupted")
    return climb.report("converged" if converged else "max_iter")


def _shaken(model: Any, fit: Any, added: int, rng: np.random.Generator) -> Any:
    """The fit without a random half of its functions, and with `added` random others for each function it had."""
    tau = np.zeros(len(model))
    tau[rng.choice(len(model), min(added * len(fit.index), len(model)), replace=False)] = _middle(fit.tau)
    tau[fit.index] = np.where(rng.random(len(fit.index)) < 0.5, fit.tau, 0.0)
    index = np.flatnonzero(tau)
    return model.at(index, tau[index], fit)


def _middle(tau: Array) -> float:
    return float(np.median(tau)) if len(tau) else 1.0


class GreedyClimb:
    """One ascent: the fit it has come to, and the evidence on the way."""

    def __init__(self, model: Any, fit: Any, trace: list[float]) -> None:
        self.model, self.fit, self.reach = model, fit, _REACH
        self.alike = 1 if len(model) <= _SMALL else _ALIKE
        self.refused = np.zeros(len(model), dtype=bool)
        self.trace = trace or [fit.evidence]

    def report(self, reason: str) -> Relevance:
        """What was found, and how much could still be gained."""
        fit, view = self.fit, self.model.view(self.fit)
        return Relevance(
            index=fit.index, alpha=1.0 / fit.tau, mean=fit.mean, covariance=fit.factor.covariance(), beta=fit.beta,
            log_evidence=fit.evidence, trace=np.array(self.trace), gain=float(self._alone(view).max(initial=0.0)),
            exchange=float(self._exchanged(view).max(initial=0.0)), noise=self.model.noise(fit),
            n_iter=len(self.trace) - 1, converged=reason == "converged", reason=reason,
        )  # fmt: skip

    def run(self, tol: float, max_iter: int) -> bool:
        """Ascend until nothing gains more than tol; False when max_iter ended it."""
        while True:
            self._refit(tol)
            view = self.model.view(self.fit)
            gains = self._alone(view)
            if not gains.max(initial=0.0) > tol:
                gains = self._exchanged(view)
            if not gains.max(initial=0.0) > tol:
                return True
            if len(self.trace) > max_iter:
                return False
            before = self.fit.evidence
            self._settle(self._joined(gains, tol), view, tol)
            self.trace.append(self.fit.evidence)
            if self.fit.evidence - before > tol:
                self.refused[:] = False
            else:
                self.refused |= gains > tol  # they were tried without the predicted gain

    def _refit(self, tol: float) -> None:
        """Compute beta again while that gains."""
        before = -np.inf
        while self.fit.evidence - before > 0.1 * tol:
            before, fit = self.fit.evidence, self.model.at(self.fit.index, self.fit.tau, self.fit)
            self.fit = fit if fit.evidence > before else self.fit
        self.trace[-1] = self.fit.evidence

    def _grain(self, view: View) -> Array:
        """The least unexplained part of each candidate; infinite where a change has been refused."""
        return np.where(self.refused, np.inf, _GRAIN * view.size)

    def _alone(self, view: View) -> Array:
        """The gain of the best change of each variance alone."""
        gains, best = np.empty((2, len(self.model)))
        rvm.singles(view.S, view.Q, self._tau(), self._grain(view), gains, best)
        return gains

    def _exchanged(self, view: View) -> Array:
        """The gain of each candidate if it replaces the active one for which that gains most."""
        gains, best = np.empty((2, len(self.model)))
        partner, index = np.empty(len(self.model), dtype=np.intp), self.fit.index
        rvm.exchanges(view.pairs(), index, view.S, view.Q, self._tau(), self._grain(view), gains, partner, best)
        return gains

    def _tau(self) -> Array:
        """The variances of all candidates."""
        tau = np.zeros(len(self.model))
        tau[self.fit.index] = self.fit.tau
        return tau

    def _joined(self, gains: Array, tol: float) -> Array:
        """The active candidates and those of the largest gain; each that joins lowers the gain of similar ones."""
        promise = gains.copy()
        joined: list[int] = []
        promise[self.fit.index] = 0.0
        most = max(_JOIN, len(self.fit.index))
        while len(joined) < most and promise.max(initial=0.0) > tol:
            j = int(np.argmax(promise))
            joined.append(j)
            promise *= 1.0 - self.model.likeness(j) ** self.alike
        return np.union1d(self.fit.index, np.array(joined, dtype=np.intp))

    def _settle(self, chosen: Array, view: View, tol: float) -> None:
        """Change variances and refit among the chosen until nothing changes."""
        for _ in range(_ROUNDS):
            before = self.fit.evidence
            if not self._ascend(chosen, view, 0.5 * tol) or self.fit.evidence - before <= 0.1 * tol:
                return

    def _ascend(self, chosen: Array, view: View, tol: float) -> bool:
        """As many changes as last raised the evidence, else fewer; one change that fails even in part is refused."""
        old, knowledge = self._tau()[chosen], self.model.local(self.fit, chosen)
        while True:
            tau = old.copy()
            P, Q = (part.copy() for part in knowledge)
            made = rvm.ascend(P, Q, tau, self._grain(view)[chosen], tol, self.reach)
            if made == 0:
                return False
            if self._accept(chosen, tau):
                self.reach = min(4 * self.reach, _REACH)
                return True
            if made == 1:
                if any(self._accept(chosen, old + share * (tau - old)) for share in _SHARES):
                    return True
                changed = np.flatnonzero(tau != old)
                self.refused[chosen[changed[np.argmax(tau[changed])]]] = True  # of an exchange, the new one
            self.reach = max(made // 4, 1)

    def _accept(self, chosen: Array, tau: Array) -> bool:
        """Take these variances if the evidence is higher with them, and valid."""
        if not self.model.trusted(chosen, tau):
            return False
        new = self.model.at(chosen[tau > 0.0], tau[tau > 0.0], self.fit)
        higher = bool(new.evidence > self.fit.evidence)
        if higher:
            self.fit = new
        return higher
