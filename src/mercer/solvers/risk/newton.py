"""Newton's method for smooth losses in the representer form.

    minimise  1/2 tr(B'KB) + sum_i c_i loss(y_i, f_i),      f = KB + r

one column of B and one offset r for every output of the loss.  The slopes G of the loss at f give a feasible point -G
of the dual, and because the loss touches its conjugate there,

    primal - dual  =  1/2 tr((B + G)' K (B + G))

which is half the squared norm of the gradient in the space of functions: the quantity that Newton's method makes small
is also the proof.  r is always the best for its B, so that the slopes sum to zero.  Items without curvature (beyond
the margin of a squared hinge, on the straight parts of Huber's loss) have B = -G and stay out of the linear system.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.config import config
from mercer.engine.interrupts import until_interrupted
from mercer.engine.pool import one_blas_thread
from mercer.errors import NotPositiveDefinite
from mercer.gram import FeatureGram
from mercer.linalg.pivoted_cholesky import LowRank, pivoted_cholesky
from mercer.solvers.limits import Limits
from mercer.solvers.risk import system
from mercer.solvers.risk.curvature import Curvature
from mercer.solvers.risk.line_search import line_search
from mercer.solvers.risk.solution import RiskSolution
from mercer.solvers.risk.summed_loss import Target
from mercer.typing import Array, Gram

DIRECT = 2000  # items with curvature up to which the system of one output is factorised
RESORT = 8000  # the same when conjugate gradients were too slow
RANK = 500  # of the preconditioner of one output; less for several
PRODUCTS = 150  # of conjugate gradients per step
STEPS = 1000  # of Newton if no limit is given
MANY, PART = 10_000, 8  # of more items than these, if they have features, one in so many is solved first
_FLAT = 1e-12  # items with less curvature times k(x, x) stay out of the system
_ROUNDING = 1e-14
_IDLE, _IDLE_SHARE = 20, 1e-8  # stop after 20 steps that lower neither the value by this share nor the gap
_ROUGH = 1e-3  # relative gap of the first solution, with LL' in place of K


@dataclass(frozen=True, eq=False)
class Point:
    """Coefficients B with H = KB and offsets r; the slopes G there, E = K(B + G), primal value and gap."""

    B: Array
    H: Array
    r: Array
    G: Array
    E: Array
    value: float
    gap: float

    @property
    def f(self) -> Array:
        """The scores."""
        return np.asarray(self.H + self.r)

    @property
    def relative_gap(self) -> float:
        """The gap in units of the value."""
        return self.gap / max(abs(self.value), 1e-300)


def newton(gram: Any, target: Target, *, bias: bool = True, limits: Limits | None = None) -> RiskSolution:
    """The minimum for a smooth target, until the gap is at most limits.tol of the primal value.

    Systems of one output with few active items are factorised.  All others are solved by conjugate gradients with the
    low-rank part of K as preconditioner, from the exact solution of the problem that has only that part.
    """
    limits = limits or Limits(tol=1e-6)
    engine = _Engine(gram, target, bias, limits, limits.tol)
    import scipy.linalg  # noqa: F401  # before its BLAS is held to one thread

    with one_blas_thread():  # products with K use all threads; the answer must not depend on their number
        return engine.run(engine.begun()) if engine.small else engine.run(*engine.rough())


class _Engine:
    """One problem; the factor of K is found when it is first needed."""

    def __init__(self, gram: Any, target: Target, bias: bool, limits: Limits, tol: float) -> None:
        self.gram, self.target, self.bias, self.limits, self.tol = gram, target, bias, limits, tol
        self.most_steps = STEPS if limits.max_iter is None else limits.max_iter
        self.diagonal = np.asarray(gram.diag(), dtype=float)
        self.slow = False
        self._factor: LowRank | None = None

    @property
    def small(self) -> bool:
        """Whether the work begins at zero: every system is factorised, or K is its own factor."""
        return isinstance(self.gram, FeatureGram) or (len(self.gram) <= DIRECT and self.target.outputs == 1)

    @property
    def factor(self) -> LowRank:
        """L with LL' near K; no columns for a kernel that is not positive semi-definite."""
        if self._factor is None:
            try:
                self._factor = _factor_of(self.gram, int(RANK / self.target.outputs**0.5))
            except NotPositiveDefinite:
                self._factor = LowRank(np.zeros((len(self.gram), 0)), np.empty(0, dtype=np.intp), 1.0)
        return self._factor

    def begun(self) -> Array:
        """Coefficients to begin with: zero; for many items with features, nearly the best ones of a part of them."""
        n, B = len(self.gram), np.zeros((len(self.gram), self.target.outputs))
        if n <= MANY or not isinstance(self.gram, FeatureGram):
            return B
        rows = np.sort(np.random.default_rng(0).permutation(n)[: n // PART])
        some = FeatureGram(self.gram.Z[rows])
        part = _Engine(some, self.target.part(rows, n / len(rows)), self.bias, self.limits, _ROUGH)
        B[rows] = part.run(part.begun()).coef
        return B

    def rough(self) -> tuple[Array, int]:
        """The solution with LL' in place of K, as coefficients of the pivots, and the steps it took.

        On the pivots LL' is K, so that this is the same function with the same norm.
        """
        features, B = FeatureGram(self.factor.L), np.zeros((len(self.gram), self.target.outputs))
        found = _Engine(features, self.target, self.bias, self.limits, _ROUGH).run(B)
        if len(self.factor.pivots):
            B[self.factor.pivots] = self.factor.coefficients(features.Z.T @ found.coef)
        return B, found.n_iter

    # ---- the iteration

    def ended(self, steps: int) -> str:
        """Which limit has been reached; "" if none."""
        return self.limits.reached(steps) or ("max_iter" if steps >= self.most_steps else "")

    def run(self, B: Array, steps: int = 0) -> RiskSolution:
        """Newton steps from the coefficients B, which took some steps already."""
        point = best = self.at(B, self.times(B), np.zeros(self.target.outputs))
        idle, reason = 0, ""
        with until_interrupted() as work:
            while abs(best.relative_gap) > self.tol:
                if reason := self.ended(steps) or ("stalled" if idle > _IDLE else ""):
                    break
                new = self.step(point)
                steps += 1
                if new is None or not better(new, point):
                    reason = "stalled"
                    break
                idle = 0 if better(new, best, _IDLE_SHARE) else idle + 1
                point, best = new, new if idle == 0 or abs(new.gap) < abs(best.gap) else best
        if work.came():
            reason = self.limits.ended = "interrupted"
        return RiskSolution(
            coef=best.B, bias=best.r, feasible=-best.G, primal=best.value, dual=best.value - best.gap, n_iter=steps,
            converged=not reason, reason=reason or "converged",
        )  # fmt: skip

    def at(self, B: Array, H: Array, r: Array) -> Point:
        """The point of the coefficients B with H = KB, and the best offsets, found from r."""
        r = self.target.balance(H, r) if self.bias else r
        G = self.target.slopes(H + r)
        E = H + self.times(G)
        value = 0.5 * float((B * H).sum()) + self.target.value(H + r)
        return Point(B, H, r, G, E, value, 0.5 * float(((B + G) * E).sum()))

    def times(self, V: Array) -> Array:
        """K V, from the columns of K that have a coefficient."""
        J = np.flatnonzero(V.any(axis=1))
        if 2 * len(J) > len(V):
            return np.asarray(self.gram @ V)
        return np.asarray(self.gram.part(None, J) @ V[J]) if len(J) else np.zeros(V.shape)

    def step(self, point: Point) -> Point | None:
        """The point after one Newton step, or None where no step lowers the value."""
        dB, dH, dr = self.direction(point)
        linear, square, first = (float((dB * V).sum()) for V in (point.H, dH, point.E))
        t = line_search(self.target, point.f, dH + dr, linear, square, first)
        return self.at(point.B + t * dB, point.H + t * dH, point.r + t * dr) if t else None

    def direction(self, point: Point) -> tuple[Array, Array, Array]:
        """The Newton direction of B, of H and of r."""
        W = self.target.curvature(point.f)
        active = np.flatnonzero(W.size() * self.diagonal > _FLAT)
        whole = len(active) == len(self.gram)
        gram, W = (self.gram, W) if whole else (self.gram.sub(active), W.take(active))
        found = system.solve(
            gram, W, self.inverse(gram, W, active), point.E[active], bias=self.bias, most=PRODUCTS,
            goal=self.goal(point), late=lambda: bool(self.limits.reached(-1)),
        )  # fmt: skip
        self.slow = self.slow or not found.solved
        SU = np.zeros_like(point.B)
        SU[active] = found.SU
        KSU = found.KSU if whole else self.times(SU)
        return SU - point.B - point.G, KSU - point.E, found.shift

    def goal(self, point: Point) -> Callable[[float], float]:
        """The gap that a step may leave in its quadratic model: a share of its gain, or of the tolerance."""
        share, least = min(0.1, abs(point.relative_gap)), 0.1 * self.tol * abs(point.value)
        return lambda product: max(share * (point.gap - 0.5 * product), least)

    def inverse(self, gram: Gram, W: Curvature, active: Array) -> system.Inverse:
        """The preconditioner of a system on the active items."""
        try:
            if self.factorised(len(active)):
                return system.direct(np.array(gram.dense(), dtype=float, order="C"), W)
            return system.low_rank(self.factor.L[active], W, self.target.outputs)
        except NotPositiveDefinite:
            return lambda V: V

    def factorised(self, m: int) -> bool:
        """Whether a system of m items is solved by a factorisation."""
        fits = 8 * m * m <= config().memory // 2
        most = RESORT if self.slow and fits else DIRECT
        return self.target.outputs == 1 and m <= most and not isinstance(self.gram, FeatureGram)


def _factor_of(gram: Any, rank: int) -> LowRank:
    """L with K ~ LL' up to a rank: the features themselves if there are some, else a pivoted Cholesky factor."""
    if isinstance(gram, FeatureGram):
        return LowRank(gram.Z, np.empty(0, dtype=np.intp), 0.0)
    return pivoted_cholesky(gram, rank)


def better(new: Point, old: Point, share: float = _ROUNDING) -> bool:
    """Whether the value fell by more than a share of itself, or the gap by a tenth."""
    return new.value < old.value - share * abs(old.value) or new.gap < 0.9 * old.gap
