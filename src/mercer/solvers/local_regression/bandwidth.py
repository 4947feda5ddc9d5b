"""The widths with the best criterion.

First all bandwidths together, from wide to narrow in steps of a factor 2; steps end when the last FURTHER of them were
all worse than the best before.  Then along slopes from the best of these, in log h and the rates within bounds: to the
root of the slope if there is one bandwidth, by L-BFGS-B if there are several widths.  So bandwidths stay positive and
rates in their range.  A column that says nothing of y gets the widest bandwidth there is, and a boxcar, whose criterion
has steps and no slopes, the best of a finer grid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.engine.interrupts import until_interrupted
from mercer.solvers.local_regression.criteria import criterion
from mercer.solvers.local_regression.problem import LocalProblem, Width
from mercer.solvers.quasi_newton import minimise
from mercer.typing import Array
from mercer.windows import Boxcar, Gaussian

FURTHER = 3
WIDEST = 10.0  # times the range of a column
LEAST_RATE = 1e-6
EXACT = 1e-18  # of the variance of y: errors below it are rounding, and the widest bandwidth that has one is best
RESTARTS = 5  # of L-BFGS-B, whose line search may end on the rounding of nearly singular fits
ROUNDING = 1e-6  # of the logarithm of the criterion: a restart that gains less is the last
FINER = 24  # steps between two of the grid, for windows without slopes


@dataclass(frozen=True)
class BandwidthSearch:
    """How widths were chosen.

    criterion   "loo", "gcv" or "aicc", and its `value` at the end
    slope       its largest slope there, in log h and rates, without those that a bound holds
    at_bound    the columns whose width ended at a bound: it smooths as much, or as little, as it may
    reason      "converged", or "no lower value nearby": at a jump of the criterion, where a local fit loses a term
    """

    criterion: str
    value: float
    slope: float
    n_iter: int
    at_bound: tuple[int, ...]
    converged: bool
    reason: str

    def __str__(self) -> str:
        return f"{self.criterion} = {self.value:.6g} after {self.n_iter} evaluations, {self.reason}"


def _relative(problem: LocalProblem) -> float:
    """Bandwidths of the window, over those of a Gaussian that smooths as much."""
    return problem.window.canonical() / Gaussian().canonical()


def highest_rates(problem: LocalProblem) -> Array:
    """The rates at which categories say nothing: all of them weigh alike."""
    return np.array([(levels - 1.0) / levels if levels else 1.0 for levels in problem.levels])


def best_width(
    problem: LocalProblem, start: Width, kind: str, *, gaps: str = "nearest", tol: float = 1e-5, max_iter: int = 200
) -> tuple[Width, BandwidthSearch]:
    """The widths that minimise a criterion, searched around those of `start`; Ctrl-C leaves the best so far."""
    search = _Search(problem, start, kind, gaps)
    with until_interrupted() as work:
        search.scan()
        if isinstance(problem.window, Boxcar):
            search.refine()
    if not work.came():
        search.descend(tol, max_iter)
    came = work.came() or search.interrupted
    ends = "converged" if search.slope <= 10.0 * tol else "no lower value nearby" if search.flat else "max_iter"
    found = BandwidthSearch(kind, search.criterion_value(), search.slope, search.count, search.at_bound(),
                            not came and ends != "max_iter", "interrupted" if came else ends)  # fmt: skip
    return search.width(search.best), found


class _Search:
    """theta = (log h, rates), and the best one seen."""

    def __init__(self, problem: LocalProblem, start: Width, kind: str, gaps: str) -> None:
        self.problem, self.kind, self.gaps = problem, kind, gaps
        self.d = problem.X.shape[1]
        spread = np.where(problem.ranges > 0.0, problem.ranges, 1.0)
        self.start = np.concatenate([np.log(start.h), start.rates])
        relative, n = _relative(problem), len(problem)
        least = spread * relative * 0.25 * float(n) ** (-1.0 / max(self.d, 1))
        self.low = np.concatenate([np.log(np.minimum(least, start.h)), np.full(len(start.rates), LEAST_RATE)])
        self.high = np.concatenate([np.log(np.maximum(WIDEST * relative * spread, start.h)), highest_rates(problem)])
        self.best, self.log_best, self.count = self.start, np.inf, 0
        self.slope, self.interrupted, self.flat = np.inf, False, False

    def width(self, theta: Array) -> Width:
        """The widths that theta stands for."""
        return Width(np.exp(theta[: self.d]), theta[self.d :].copy())

    def at(self, theta: Array, gradient: bool) -> tuple[float, Array]:
        """The criterion, in logarithms if it is an error, and its slopes."""
        self.count += 1
        value, slope = criterion(self.problem, self.width(theta), self.kind, gaps=self.gaps, gradient=gradient)
        if self.kind != "aicc":
            value, slope = np.log(max(value, EXACT)), slope / value if value > EXACT else np.zeros_like(slope)
        if value < self.log_best:
            self.best, self.log_best = theta.copy(), value
        return float(value), slope

    def scan(self) -> None:
        """All bandwidths together, from the widest down."""
        if self.d == 0:
            self.at(self.start, False)
            return
        top = float((self.high - self.start)[: self.d].min())
        down = float((self.start - self.low)[: self.d].min())
        worse, best = 0, np.inf
        for shift in np.arange(top, -down - 1e-9, -np.log(2.0)):
            value = self.at(self._shifted(shift), False)[0]
            worse = 0 if value < best else worse + 1
            best = min(best, value)
            if worse >= FURTHER and shift < 0.0:
                break

    def refine(self) -> None:
        """A finer grid around the best."""
        around = self.best.copy()
        for shift in np.linspace(-np.log(2.0), np.log(2.0), FINER):
            theta = around.copy()
            theta[: self.d] = np.clip(theta[: self.d] + shift, self.low[: self.d], self.high[: self.d])
            self.at(theta, False)

    def _shifted(self, shift: float) -> Array:
        theta = self.start.copy()
        theta[: self.d] += shift
        return np.asarray(np.clip(theta, self.low, self.high))

    def descend(self, tol: float, max_iter: int) -> None:
        """Along slopes from the best so far."""
        if len(self.best) == 0:
            self.slope, self.flat = 0.0, True
            return
        if len(self.best) == 1:
            self._follow_slope(tol, max_iter)
            return
        bounds = np.column_stack([self.low, self.high])
        for _ in range(RESTARTS):
            before, begin = self.log_best, np.clip(self.best, self.low, self.high)
            found = minimise(lambda theta: self.at(theta, True), begin, bounds=bounds, maxiter=max_iter, gtol=tol,
                             ftol=1e-13)  # fmt: skip
            self.interrupted = bool(found.interrupted)
            self._set_slope(np.asarray(found.best.jac, dtype=float))
            self.flat = bool(found.success) or before - self.log_best <= ROUNDING
            if self.flat or self.interrupted or found.nit >= max_iter:
                return

    def _set_slope(self, slope: Array) -> None:
        """The largest slope at the best widths, without those that a bound holds."""
        held = ((self.best <= self.low) & (slope > 0.0)) | ((self.best >= self.high) & (slope < 0.0))
        self.slope = float(np.abs(np.where(held, 0.0, slope)).max(initial=0.0)) if np.isfinite(slope).all() else np.inf

    def _follow_slope(self, tol: float, max_iter: int) -> None:
        """The root of the slope in one log h, between the neighbours of the best on the grid, by secants."""
        left = max(float(self.low[0]), float(self.best[0]) - np.log(2.0))
        right = min(float(self.high[0]), float(self.best[0]) + np.log(2.0))
        here, ends = float(self.best[0]), [np.nan, np.nan]  # slopes at the ends, where they are known
        last = -1
        with until_interrupted() as work:
            for _ in range(max_iter):
                slope = float(self.at(np.array([here]), True)[1][0])
                self.slope = abs(slope)
                side = int(slope > 0.0)  # the minimum is to the left of a rising criterion
                bound = (right, left)[side]
                if abs(slope) <= tol or abs(bound - here) <= 1e-5:
                    break
                left, right = (left, here) if side else (here, right)
                ends[side] = slope
                if side == last:  # the other end has stayed for two steps: half of its slope counts (Illinois)
                    ends[1 - side] *= 0.5
                last = side
                secant = (ends[1] * left - ends[0] * right) / (ends[1] - ends[0])
                inner = 0.05 * (right - left)
                here = float(secant) if left + inner < secant < right - inner else 0.5 * (left + right)
                if right - left <= 1e-5:
                    break
            self.flat = True
        self.interrupted = work.came()

    def criterion_value(self) -> float:
        """At the best widths."""
        return float(self.log_best if self.kind == "aicc" else np.exp(self.log_best))

    def at_bound(self) -> tuple[int, ...]:
        """The widths that ended at a bound."""
        room = 1e-6 * np.maximum(1.0, np.abs(self.best))
        return tuple(int(j) for j in np.flatnonzero((self.best <= self.low + room) | (self.best >= self.high - room)))
