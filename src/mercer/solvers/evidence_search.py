"""Maximising the evidence of a model over its hyper-parameters, most of the way on subsets of the data.

    levels    the same problem on ever more items, the last on all of them
    climb     quasi-Newton steps within bounds, their curvature being the information in the data every few steps
    finish    L-BFGS-B, where there is one level only (solvers/evidence_finish.py)

An evaluation on half the items costs an eighth, so hyper-parameters are found on few items and only corrected on all.
What few items do not determine must not run away there (an irrelevant lengthscale goes to infinity, from where no slope
leads back), so on subsets every parameter stays within some distance of its start.

The evidence has several maxima, and two paths from one start may end at different ones.  So a second start (a hint) is
tried on the smallest subset, and both ends go on where they differ.  Up to some hundred items, and where restarts are
asked for, L-BFGS-B climbs on all items too: the end is then never below its own.

Curvature gives the search its units: with B the information, 1/2 g'B^-1 g is the gain in nats still to be had, and
2 of it the squared distance to the optimum in posterior standard deviations.  A climb ends when that is below `tol`.

theta is a logarithm.  The evidence of what does not matter (a long lengthscale, a small variance) approaches a limit
like exp(-|theta|), of which the information sees nothing while its curvature is |g|.  So B + diag |g| takes the place
of B: at the optimum it is B, and on such a slope it promises what is there instead of infinitely much.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

import numpy as np

from mercer.engine.interrupts import interrupted, until_interrupted
from mercer.engine.pool import Stopped
from mercer.solvers.evidence_finish import finish
from mercer.typing import Array

TOL = 2e-2  # nats still to be had: within 0.2 standard deviations of the optimum
_SUBSET_TOL = 1.0  # the same on subsets, whose optimum is another anyway
_SPAN = 3.5  # how far from its start a parameter may go on subsets, in units of theta
_ONE = 0.5  # nats between two ends, by the information, that count as one maximum
_REACH = 2.0  # longest step, in units of theta
_ENOUGH = 1e-4  # share of the gain promised by the slope that a step must bring
_SHORTEST = 1e-3  # of a step, before it is given up
_WORN, _CUT = 3, 2  # steps after which the information is taken anew, and where the last was cut short
_PATIENCE = 5  # steps in a row that bring less than a tenth of `tol`: rounding, or a plateau without end
_LIMIT = 200  # evaluations in one climb
_SURE = 900  # items up to which L-BFGS-B climbs on all of them too
_LEAST = 1e-2  # nats that a step of L-BFGS-B must gain on the last of several levels without information
_FINISH_LIMIT = 1000  # the same of L-BFGS-B, whose steps know less


class Level(Protocol):
    """The evidence of a model on some of the data, as a function of theta."""

    @property
    def size(self) -> int:
        """The number of items."""

    @property
    def informed(self) -> bool:
        """Whether it knows its curvature."""

    def value(self, theta: Array) -> float:
        """log p(y | theta); -inf where it cannot be computed."""

    def slope(self) -> Array:
        """The derivative in theta, where `value` was last asked for."""

    def curvature(self, theta: Array) -> Array | None:
        """What the data tell of theta there: minus the second derivatives, or near them; None if it is not known."""


@dataclass(frozen=True)
class Prior:
    """theta_j ~ N(centre_j, spread_j^2): log p(theta) without its constant; an infinite spread says nothing."""

    centre: Array
    spread: float | Array

    def value(self, theta: Array) -> float:
        return -0.5 * float(np.sum(((theta - self.centre) / self.spread) ** 2))

    def slope(self, theta: Array) -> Array:
        return np.asarray((self.centre - theta) / self.spread**2)


@dataclass(frozen=True, eq=False)
class Climb:
    """One ascent: from where to where, on how many items, and what is still to be gained by its own account."""

    size: int
    start: Array
    start_value: float
    theta: Array
    value: float
    gain: float
    evaluations: int
    reason: str
    curvature: Array = field(repr=False)

    @property
    def converged(self) -> bool:
        return self.reason == "converged"


@dataclass(frozen=True, eq=False)
class Search:
    """The best hyper-parameters found, and every climb on the way, in order."""

    climbs: tuple[Climb, ...]
    best: Climb


def search(levels: Sequence[Level], starts: Sequence[Array], bounds: Array, *,
           prior: Prior | None = None, tol: float = TOL, hints: Sequence[Array] = ()) -> Search:  # fmt: skip
    """Climb from every start on the first level, and from the best of these on the others.

    `prior` is weighed against the evidence on all levels.  `hints` are further starts for the first of several levels.
    Two climbs at most go on to the next level: that of the first start, so that others never end lower than it alone,
    and the best of all if it is another.
    """
    bounds = np.asarray(bounds, dtype=float).reshape(-1, 2)
    starts = [np.clip(start, *bounds.T) for start in starts]
    climbs: list[Climb] = []
    with until_interrupted():
        for climb in _climbs(levels, starts, [np.clip(hint, *bounds.T) for hint in hints], bounds, prior, tol):
            climbs.append(climb)
            if interrupted():
                break
    if not climbs:
        raise KeyboardInterrupt("The search of hyper-parameters was interrupted before its first value.")
    largest = max(climb.size for climb in climbs)
    best = max((climb for climb in climbs if climb.size == largest), key=lambda climb: climb.value)
    others = [climb for climb in climbs if climb is not best]
    best = replace(best, reason="interrupted") if interrupted() else best
    return Search((*others, best), best)


def _climbs(
    levels: Sequence[Level], starts: list[Array], hints: list[Array], bounds: Array, prior: Prior | None, tol: float
) -> Iterator[Climb]:
    """Every climb of a search, in the order in which they are made."""
    last = partial(_Climber, levels[-1], bounds, [prior] if prior else [], tol)
    if len(levels) == 1:
        yield from (last().finish(start) for start in starts)
        return
    runs = [_Run(levels, start, start, bounds, prior, tol) for start in starts]
    runs += [_Run(levels, hint, starts[0], bounds, prior, tol) for hint in hints]
    yield from (run.on(0) for run in runs)
    for i in range(1, len(levels)):
        runs = _leading(runs)
        yield from (run.on(i) for run in runs)
    if len(starts) > 1 or levels[-1].size <= _SURE:
        yield last().finish(starts[0])


@dataclass(eq=False)
class _Run:
    """One start on its way through the levels."""

    levels: Sequence[Level]
    start: Array
    centre: Array  # of the box that subsets keep to
    bounds: Array
    prior: Prior | None
    tol: float
    last: Climb | None = None

    def on(self, i: int) -> Climb:
        """The climb on level i, which takes over from that on the level before."""
        level, last, subset = self.levels[i], self.last, i + 1 < len(self.levels)
        priors, theta = [self.prior] if self.prior else [], self.start if last is None else last.theta
        if subset or level.informed:
            near = np.clip(self.centre[:, None] + [-_SPAN, _SPAN], *self.bounds.T[:, :, None])
            climber = _Climber(level, near, priors, _SUBSET_TOL) if subset else self._climber(level, priors)
            self.last = climber.climb(theta, None if last is None else last.curvature * (level.size / last.size))
        else:
            self.last = self._climber(level, priors).finish(theta, _LEAST)
        return self.last

    def _climber(self, level: Level, priors: list[Prior]) -> _Climber:
        return _Climber(level, self.bounds, priors, self.tol)


def _leading(runs: list[_Run]) -> list[_Run]:
    """The first run, and the best if that is on its way to another maximum."""
    best = max(runs, key=lambda run: run.last.value)  # type: ignore[union-attr]
    return runs[:1] if best is runs[0] or _same(best.last, runs[0].last) else [runs[0], best]


def _same(one: Climb | None, other: Climb | None) -> bool:
    """Whether two climbs ended at one maximum, as far as their information tells."""
    assert one is not None
    assert other is not None
    apart = one.theta - other.theta
    return bool(0.5 * apart @ one.curvature @ apart <= _ONE)


@dataclass(eq=False)
class _Climber:
    """An ascent on one level: maximise the evidence plus the log of the priors within bounds."""

    level: Level
    bounds: Array
    priors: list[Prior]
    tol: float
    evaluations: int = 0
    reach: float = _REACH
    slow: int = 0  # steps in a row that brought next to nothing

    def climb(self, start: Array, inherited: Array | None) -> Climb:
        """Steps B^-1 g until too little is left to gain by the information itself.

        B is the information where that is known, with BFGS updates for what it does not know; every few steps, sooner
        after one that had to be cut short, it is taken anew.  Far from the optimum, with nothing inherited, B begins as
        a step of length 1.
        """
        theta, value = start, self._value(start)
        first = value
        if not np.isfinite(value):
            return self._end(start, first, start, value, np.inf, np.eye(len(start)), "not finite")
        g = self._slope(theta)
        B = self._gradual(g) if inherited is None else self._information(theta, inherited)
        sure, steps, gain = inherited is not None, 0, np.inf
        with until_interrupted():
            while not interrupted():
                free = self._free(theta, g)
                gain = self._gain(B, g, free)
                if gain <= self.tol and not sure:
                    B, sure = self._information(theta, B), True
                    continue
                if gain <= self.tol or self.slow >= _PATIENCE or self.evaluations >= _LIMIT:
                    reason = "converged" if gain <= self.tol else "stalled" if self.slow >= _PATIENCE else "max_iter"
                    return self._end(start, first, theta, value, gain, B, reason)
                step, new, whole = self._line(theta, value, g, _direction(B, g, free, self.reach))
                if step is None:
                    if sure:
                        return self._end(start, first, theta, value, gain, B, "stalled")
                    B, sure, steps = self._information(theta, _diagonal(B)), True, 0
                    continue
                g_new = self._slope(theta + step)
                change = g - g_new
                self.slow = self.slow + 1 if new - value < 0.1 * self.tol else 0
                theta, value, g, steps = theta + step, new, g_new, steps + 1
                if inherited is not None and steps >= (_WORN if whole else _CUT):
                    B, steps = self._information(theta, B), 0
                B, sure = _updated(B, step, change), False
        return self._end(start, first, theta, value, gain, B, "interrupted")

    def finish(self, start: Array, least: float = 0.0) -> Climb:
        """L-BFGS-B until the slope is nothing, or steps gain too little; where it stalls before, ours go on."""
        found = finish(self._value_and_slope, start, self.bounds, least=least, limit=_FINISH_LIMIT)
        theta, g, first = found.theta, found.slope, found.start_value
        if g is None and found.reason == "interrupted":
            raise Stopped  # there is nothing to keep
        if g is None:
            return self._end(start, first, start, first, np.inf, np.eye(len(start)), "not finite")
        if found.reason == "interrupted":
            return self._end(start, first, theta, found.value, np.inf, self._gradual(g), found.reason)
        B = self._information(theta, self._gradual(g))
        gain, reason = self._gain(B, g, self._free(theta, g)), found.reason
        if reason == "stalled" and gain > self.tol:
            end = self.climb(theta, B)
            return replace(end, start=start, start_value=first)
        reason = "converged" if gain <= self.tol else reason
        return self._end(start, first, theta, found.value, gain, B, reason)

    def _value_and_slope(self, theta: Array) -> tuple[float, Array]:
        value = self._value(theta)
        return value, self._slope(theta) if np.isfinite(value) else np.zeros(len(theta))

    def _value(self, theta: Array) -> float:
        self.evaluations += 1
        return self.level.value(theta) + sum(prior.value(theta) for prior in self.priors)

    def _slope(self, theta: Array) -> Array:
        return np.asarray(self.level.slope() + sum(prior.slope(theta) for prior in self.priors))

    def _gradual(self, g: Array) -> Array:
        """The curvature that makes the first step one of length 1 along g."""
        return np.eye(len(g)) * max(float(np.linalg.norm(g)), 1e-300)

    def _information(self, theta: Array, known: Array) -> Array:
        """The information with that of the priors; what is known already where the level has none."""
        information = self.level.curvature(theta)
        if information is None:
            return known
        return information + np.eye(len(theta)) * sum(prior.spread**-2 for prior in self.priors)

    def _free(self, theta: Array, g: Array) -> Array:
        """The parameters that are not held by a bound."""
        low, high = self.bounds.T
        return np.asarray(~(((theta <= low) & (g < 0.0)) | ((theta >= high) & (g > 0.0))))

    def _gain(self, B: Array, g: Array, free: Array) -> float:
        """What the quadratic model promises at best, in nats."""
        return 0.5 * float(g @ _direction(B, g, free, 5.0 * _REACH))

    def _line(self, theta: Array, value: float, g: Array, d: Array) -> tuple[Array | None, float, bool]:
        """The longest of ever shorter steps along d, cut off at the bounds, that brings enough, and if it is whole."""
        share = 1.0
        while share > _SHORTEST and self.evaluations < _LIMIT:
            step = np.clip(theta + share * d, *self.bounds.T) - theta
            promised = float(g @ step)
            if promised <= 0.0:
                break
            new = self._value(theta + step)
            if new >= value + _ENOUGH * promised:
                self._learn_reach(share, float(np.linalg.norm(d)))
                return step, new, share == 1.0
            missing = promised - (new - value)
            share *= float(np.clip(0.5 * promised / missing, 0.1, 0.5)) if np.isfinite(missing) else 0.2
        return None, value, False

    def _learn_reach(self, share: float, length: float) -> None:
        """Steps may be longer after one that was good at full length, and begin at the length that was good."""
        if share < 1.0:
            self.reach = 1.5 * share * length
        elif length > 0.9 * self.reach:
            self.reach = min(2.0 * self.reach, 2.0 * _REACH)

    def _end(self, start: Array, first: float, theta: Array, value: float, gain: float, B: Array, reason: str) -> Climb:
        return Climb(self.level.size, start, first, theta, value, gain, self.evaluations, reason, B)


def _direction(B: Array, g: Array, free: Array, reach: float) -> Array:
    """argmax g'd - 1/2 d'(B + diag |g|) d over the free parameters with |d| <= reach: (.. + s I)^-1 g, s >= 0."""
    d = np.zeros(len(g))
    if not free.any():
        return d
    w, V = np.linalg.eigh((B + np.diag(np.abs(g)))[np.ix_(free, free)])
    w, c = np.maximum(w, max(1e-9 * w[-1], np.finfo(float).tiny)), V.T @ g[free]
    low, high = 0.0, float(np.linalg.norm(c)) / reach + w[-1]
    if np.linalg.norm(c / w) > reach:
        for _ in range(60):
            s = float(np.sqrt(max(low, 1e-12 * high) * high))
            low, high = (s, high) if np.linalg.norm(c / (w + s)) > reach else (low, s)
        w = w + high
    d[free] = V @ (c / w)
    return d


def _updated(B: Array, s: Array, y: Array) -> Array:
    """The BFGS update, damped where the curvature along s is too small (Powell, 1978): B stays positive definite."""
    Bs = B @ s
    quadratic, seen = float(s @ Bs), float(s @ y)
    share = 1.0 if seen >= 0.2 * quadratic else 0.8 * quadratic / (quadratic - seen)
    r = share * y + (1.0 - share) * Bs
    return np.asarray(B - np.outer(Bs, Bs) / quadratic + np.outer(r, r) / float(s @ r))


def _diagonal(B: Array) -> Array:
    """What is left of a curvature that led nowhere."""
    d = np.diagonal(B)
    return np.diag(np.maximum(d, 1e-3 * d.max()))
