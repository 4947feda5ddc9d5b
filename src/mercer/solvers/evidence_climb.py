"""One ascent of the evidence of a model over its hyper-parameters theta, within bounds.

    climb     quasi-Newton steps whose curvature is, every few steps, the information in the data
    finish    SciPy's L-BFGS-B until the slope is almost 0, as scikit-learn's optimizer does from the same start

With B the information, 1/2 g'B^-1 g is the gain in nats that a quadratic model still predicts, and twice that is the
squared distance to the optimum in posterior standard deviations.  A climb ends when the gain is below `tol`.

theta is a logarithm.  The evidence of a parameter that does not matter (a long lengthscale, a small variance)
approaches a limit like exp(-|theta|).  The information there is 0, while the curvature is |g|.  So B + diag |g| takes
the place of B: at the optimum the two are equal, and near such a limit the predicted gain is finite.

On a long ridge, where a variance and a lengthscale grow together, the evidence keeps rising with a slope so small that
the predicted gain is below `tol`.  `finish` goes on there, because it looks at the slope alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from mercer.engine.interrupts import interrupted, until_interrupted
from mercer.engine.pool import Stopped
from mercer.solvers.quasi_newton import minimise
from mercer.typing import Array

LONGEST_STEP = 2.0  # in units of theta
_SUFFICIENT = 1e-4  # share of the gain predicted by the slope that a step must bring
_SHORTEST = 1e-3  # share of a step below which its direction is given up
_RENEW, _RENEW_AFTER_CUT = 3, 2  # steps after which the information is recomputed; the second if a step was cut short
_PATIENCE = 5  # steps in a row that gain less than a tenth of `tol`: rounding, or an endless plateau
_CLIMB_LIMIT = 200  # evaluations
_FINISH_LIMIT = 1000  # evaluations of L-BFGS-B, which needs more because it learns the curvature from slopes
_FLAT = 1e-5  # L-BFGS-B stops at slopes below this (SciPy's default)
_ROUNDING = 1e7 * float(np.finfo(float).eps)  # and at steps that gain less than this share of the value (the same)
_INFINITE = 1e25  # given to L-BFGS-B instead of an infinite value, with which its line search cannot interpolate


class Evidence(Protocol):
    """The evidence of a model on some of the data, as a function of theta."""

    @property
    def size(self) -> int:
        """The number of items."""

    @property
    def has_curvature(self) -> bool:
        """Whether `curvature` is known."""

    @property
    def least_gain(self) -> float:
        """Where it is not: the gain in nats that no longer matters."""

    def value_and_slope(self, theta: Array, *, at_least: float = -np.inf) -> tuple[float, Array | None]:
        """log p(y | theta), -inf where it cannot be computed; its derivative if it is finite and >= at_least."""

    def curvature(self, theta: Array) -> Array | None:
        """The information about theta: minus the second derivatives, or near them; None if it is not known."""


@dataclass(frozen=True)
class Prior:
    """theta_j ~ N(centre_j, spread_j^2): log p(theta) without its constant; an infinite spread is no prior."""

    centre: Array
    spread: float | Array

    def value(self, theta: Array) -> float:
        return -0.5 * float(np.sum(((theta - self.centre) / self.spread) ** 2))

    def slope(self, theta: Array) -> Array:
        return np.asarray((self.centre - theta) / self.spread**2)


@dataclass(frozen=True, eq=False)
class EvidenceClimb:
    """One ascent: its number of items, start and end, the gain still predicted at the end, and why it ended."""

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


@dataclass(eq=False)
class Climber:
    """Maximise the evidence on one set of items, plus the log of a prior, within bounds."""

    evidence: Evidence
    bounds: Array
    prior: Prior | None
    tol: float
    evaluations: int = 0
    reach: float = LONGEST_STEP
    slow: int = 0  # steps in a row that gained next to nothing

    def climb(self, start: Array, inherited: Array | None) -> EvidenceClimb:
        """Steps B^-1 g until the predicted gain is below `tol`, with B confirmed by the information there.

        Between two computations of the information B gets BFGS updates.  Without an inherited B, which is far from the
        optimum, B starts as the multiple of I whose first step has length 1.
        """
        theta = start
        first, g = self._value_and_slope(start)
        if g is None:
            return self._end(start, first, start, first, np.inf, np.eye(len(start)), "not finite")
        value = first
        B = _unit_step(g) if inherited is None else self._information(theta, inherited)
        confirmed, steps, gain = inherited is not None, 0, np.inf
        with until_interrupted():
            while not interrupted():
                free = self._free(theta, g)
                gain = _gain(B, g, free)
                if gain <= self.tol and not confirmed:
                    B, confirmed = self._information(theta, B), True
                    continue
                if gain <= self.tol or self.slow >= _PATIENCE or self.evaluations >= _CLIMB_LIMIT:
                    reason = "converged" if gain <= self.tol else "stalled" if self.slow >= _PATIENCE else "max_iter"
                    return self._end(start, first, theta, value, gain, B, reason)
                found = self._line_search(theta, value, g, _direction(B, g, free, self.reach))
                if found is None:
                    if confirmed:
                        return self._end(start, first, theta, value, gain, B, "stalled")
                    B, confirmed, steps = self._information(theta, _diagonal(B)), True, 0
                    continue
                self.slow = self.slow + 1 if found.value - value < 0.1 * self.tol else 0
                change, g = g - found.slope, found.slope
                theta, value, steps = theta + found.step, found.value, steps + 1
                if inherited is not None and steps >= (_RENEW if found.whole else _RENEW_AFTER_CUT):
                    B, steps = self._information(theta, B), 0
                B, confirmed = _bfgs(B, found.step, change), False
        return self._end(start, first, theta, value, gain, B, "interrupted")

    def finish(self, start: Array, least: float = 0.0) -> EvidenceClimb:
        """L-BFGS-B until the slope is near 0 or a step gains less than `least` nats; if it stalls, `climb` goes on."""

        def loss(theta: Array) -> tuple[float, Array]:
            value, slope = self._value_and_slope(theta)
            return (_INFINITE, np.zeros(len(theta))) if slope is None else (-value, -slope)

        ended = minimise(loss, start, bounds=self.bounds, least=least, ftol=_ROUNDING, gtol=_FLAT,
                         maxfun=_FINISH_LIMIT)  # fmt: skip
        theta, value, g, first = ended.best.x, -float(ended.best.fun), -ended.best.jac, -float(ended.first)
        if value <= -_INFINITE and ended.interrupted:
            raise Stopped  # no value is known yet
        if value <= -_INFINITE:
            return self._end(start, -np.inf, start, -np.inf, np.inf, np.eye(len(start)), "not finite")
        if ended.interrupted:
            return self._end(start, first, theta, value, np.inf, _unit_step(g), "interrupted")
        B = self._information(theta, _unit_step(g))
        gain = _gain(B, g, self._free(theta, g))
        if gain <= self.tol or ended.success or ended.status == 1:
            reason = "converged" if gain <= self.tol or ended.success else "max_iter"
            return self._end(start, first, theta, value, gain, B, reason)
        return replace(self.climb(theta, B), start=start, start_value=first)

    def _value_and_slope(self, theta: Array, at_least: float = -np.inf) -> tuple[float, Array | None]:
        self.evaluations += 1
        if self.prior is None:
            return self.evidence.value_and_slope(theta, at_least=at_least)
        known = self.prior.value(theta)
        value, slope = self.evidence.value_and_slope(theta, at_least=at_least - known)
        return value + known, None if slope is None else slope + self.prior.slope(theta)

    def _information(self, theta: Array, otherwise: Array) -> Array:
        """The information, with that of the prior; `otherwise` where the evidence does not know it."""
        B = self.evidence.curvature(theta)
        if B is None:
            return otherwise
        return B if self.prior is None else B + np.eye(len(theta)) * self.prior.spread**-2

    def _free(self, theta: Array, g: Array) -> Array:
        """The parameters that are not held by a bound."""
        low, high = self.bounds.T
        return np.asarray(~(((theta <= low) & (g < 0.0)) | ((theta >= high) & (g > 0.0))))

    def _line_search(self, theta: Array, value: float, g: Array, d: Array) -> _Step | None:
        """The longest of ever shorter steps along d, clipped to the bounds, that gains enough; None if none does."""
        share = 1.0
        while share > _SHORTEST and self.evaluations < _CLIMB_LIMIT:
            step = np.clip(theta + share * d, *self.bounds.T) - theta
            predicted = float(g @ step)
            if predicted <= 0.0:
                break
            new, slope = self._value_and_slope(theta + step, at_least=value + _SUFFICIENT * predicted)
            if slope is not None:
                self._adapt_reach(share, float(np.linalg.norm(d)))
                return _Step(step, new, slope, share == 1.0)
            missing = predicted - (new - value)
            share *= float(np.clip(0.5 * predicted / missing, 0.1, 0.5)) if np.isfinite(missing) else 0.2
        return None

    def _adapt_reach(self, share: float, length: float) -> None:
        """Allow longer steps after one of full length; after a shortened one start from its length."""
        if share < 1.0:
            self.reach = 1.5 * share * length
        elif length > 0.9 * self.reach:
            self.reach = min(2.0 * self.reach, 2.0 * LONGEST_STEP)

    def _end(self, start: Array, first: float, theta: Array, value: float, gain: float, B: Array,
             reason: str) -> EvidenceClimb:  # fmt: skip
        return EvidenceClimb(self.evidence.size, start, first, theta, value, gain, self.evaluations, reason, B)


@dataclass(frozen=True, eq=False)
class _Step:
    """A step that was accepted, value and slope at its end, and whether it has its full length."""

    step: Array
    value: float
    slope: Array
    whole: bool


def _unit_step(g: Array) -> Array:
    """The multiple of I that makes the first step one of length 1 along g."""
    return np.eye(len(g)) * max(float(np.linalg.norm(g)), 1e-300)


def _gain(B: Array, g: Array, free: Array) -> float:
    """The gain that the quadratic model predicts, in nats."""
    return 0.5 * float(g @ _direction(B, g, free, 5.0 * LONGEST_STEP))


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


def _bfgs(B: Array, s: Array, y: Array) -> Array:
    """The BFGS update, damped where the curvature along s is too small (Powell, 1978): B stays positive definite."""
    Bs = B @ s
    quadratic, seen = float(s @ Bs), float(s @ y)
    share = 1.0 if seen >= 0.2 * quadratic else 0.8 * quadratic / (quadratic - seen)
    r = share * y + (1.0 - share) * Bs
    return np.asarray(B - np.outer(Bs, Bs) / quadratic + np.outer(r, r) / float(s @ r))


def _diagonal(B: Array) -> Array:
    """The diagonal of B, bounded below: a fresh start after a direction along which no step gained."""
    d = np.diagonal(B)
    return np.diag(np.maximum(d, 1e-3 * d.max()))
