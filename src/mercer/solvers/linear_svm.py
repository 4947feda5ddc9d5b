"""Linear support vector machines on explicit features, without a Gram: C-SVC, epsilon-SVR and one class.

    minimise  1/2 |w|^2 + sum_i C_i max(0, 1 - y_i (w'x_i + r))       or  sum_i C_i max(0, |y_i - w'x_i - r| - epsilon)
                                                                      or  nu n r + sum_i max(0, -w'x_i - r)

The intercept r is not penalised, so the answer is that of the kernel machine with k(x, y) = x'y.  X is dense, CSR, or
a matrix whose rows are on other machines (gram/tall.py): all that is asked of it are sums over its rows.

The method is the proximal point algorithm on the dual, each step by Newton on the primal (Yan & Li, 2020).  Given
coefficients b and a proximal parameter sigma, the next coefficients solve

    maximise over c   (dual objective at c) - |c - b|^2 / (2 sigma)

The dual of that is smooth in the d + 1 numbers (w, r): its gradient is (w - X'c, s - sum c), where s is the prescribed
sum of the coefficients and every c_i depends on its own score only (native/loops/linear.cpp), and its Hessian is
I + sigma X_F'X_F over the items F whose c_i is neither clipped nor zero.  These become the free support vectors; they
are few, so a Newton step costs two passes over X and a small linear system (linear_svm_newton.py).  As sigma grows, the
coefficients converge faster and faster.  The number of passes does not depend on n, and little on C or on the scales of
the columns.  Where C is large or the scales differ, coordinate descent needs thousands of passes and SMO millions of
steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from mercer.engine.interrupts import until_interrupted
from mercer.engine.pool import one_blas_thread
from mercer.errors import bad
from mercer.gram.row_squares import is_elsewhere, row_squares
from mercer.gram.tall import brought
from mercer.native import linear
from mercer.solvers.dual.certificate import DualSolution, conjugate
from mercer.solvers.dual.optimality import conditions
from mercer.solvers.dual.problem import DualProblem
from mercer.solvers.limits import Limits, Progress
from mercer.solvers.linear_svm_newton import from_sums, newton_step
from mercer.typing import Array

_FIRST_SIGMA = 100.0  # the first sigma is at most this / mean |x|^2; with a much larger one Newton needs many steps
_NEWTON_STEPS = 50  # at most, per proximal step; 5 to 10 are usual
_MATCHED = 1000  # columns or free coefficients up to which the last digits of b come from a least-squares problem
_IDLE = 5  # proximal steps at the largest sigma without progress before giving up


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearSolution(DualSolution):
    """f(x) = w'x + bias, with w = X'coef up to rounding; `passes` is the work as a number of passes over X."""

    w: Array
    passes: float


def solve_linear(
    X: Any,
    problem: DualProblem,
    *,
    tol: float = 1e-3,
    max_iter: int | None = None,
    time_limit: float | None = None,
    start: Array | None = None,
    progress: Progress | None = None,
) -> LinearSolution:
    """`solve_on_features` with these limits."""
    return solve_on_features(X, problem, Limits(tol, max_iter, time_limit, progress), start)


def solve_on_features(X: Any, problem: DualProblem, limits: Limits, start: Array | None = None) -> LinearSolution:
    """Solve until the optimality conditions hold to `tol` and the relative duality gap is at most tol / 100.

    The optimum of a one-class problem may be 0, where a relative gap says nothing: there the conditions and |w - X'b|
    must be at most `tol`.  `start` are the first coefficients.  The limits count Newton steps; their `progress` is
    called with (free items, violation, dual) after every proximal step.
    """
    import scipy.linalg  # noqa: F401  # loaded here, so that one_blas_thread limits its BLAS too

    _check(X, problem)
    with one_blas_thread():  # the systems are small, and the result must not depend on the number of threads
        run = _Run.of(X, problem, problem.start if start is None else np.asarray(start, dtype=float), limits)
        with until_interrupted() as work:
            run.follow()
        if work.came():
            run.reason = limits.ended = "interrupted"
    return run.solution()


def _check(X: Any, problem: DualProblem) -> None:
    if problem.second is not None:
        raise bad("solve_linear", "problem", "one with a single sum of coefficients", "a nu-SVC or nu-SVR",
                  "Use solve(gram, problem).")  # fmt: skip
    if X.shape[0] != len(problem):
        raise bad("solve_linear", "X", f"one row per label ({len(problem)})", f"shape {X.shape}",
                  "Pass the items the labels belong to.")  # fmt: skip
    if not len(problem.ridge) and not np.isfinite(problem.hi - problem.lo).all():
        raise bad("solve_linear", "C", "finite", "an infinite box", "For a hard margin use solve(gram, problem).")


@dataclass(eq=False)
class _Features:
    """The rows of X minus a centre, for which the intercept makes up; counts the passes over them."""

    X: Any
    centre: Array
    passes: float = 0.0

    @classmethod
    def of(cls, X: Any, *, centred: bool) -> Self:
        """Sparse rows are not centred: they would become dense."""
        if hasattr(X, "tocsr"):
            return cls(X.tocsr().astype(np.float64, copy=False), np.zeros(X.shape[1]))
        centre = X.mean(axis=0, dtype=np.float64) if centred else np.zeros(X.shape[1])
        return cls(X - centre, centre)

    def scores(self, w: Array) -> Array:
        """Xw."""
        self.passes += 1.0
        return np.asarray(self.X @ w)

    def weights(self, b: Array) -> Array:
        """X'b."""
        self.passes += 1.0
        return np.asarray(self.X.T @ b)

    def newton_step(
        self, index: Array, gain: Array, delta: float, gw: Array, gr: float, *, bias: bool
    ) -> tuple[Array, float]:
        """Newton's step with Z = diag(sqrt(gain)) X[index], by linear_svm_newton.py."""
        if is_elsewhere(self.X):
            (A,), (h,) = self.X[index].squares(gain)
            self.passes += 1.0
            return from_sums(A, h * float(bias), float(gain.sum()) * float(bias), delta, gw, gr)
        root, rows = np.sqrt(gain), self.X[index]
        Z = rows.multiply(root[:, None]).tocsr() if hasattr(rows, "tocsr") else rows * root[:, None]
        dw, dr, uses = newton_step(Z, root if bias else np.zeros(len(root)), delta, gw, gr)
        self.passes += uses * len(index) / max(self.X.shape[0], 1)
        return dw, dr

    def least_change(self, index: Array, wanted: Array, *, bias: bool) -> Array:
        """The shortest c with X[index]'c = wanted, the last entry of which is the sum of c if there is a bias."""
        rows = brought(self.X[index])
        if is_elsewhere(rows):  # from the square of the matrix, which has its columns alone
            (A,), (h,) = rows.squares(np.ones(len(index)))
            A = np.block([[A, h[:, None] * bias], [h[None] * bias, np.array([[float(bias) * len(index)]])]])
            v = np.linalg.lstsq(A, wanted, rcond=None)[0]
            return np.asarray(rows @ v[:-1] + bias * v[-1])
        rows = rows.toarray() if hasattr(rows, "tocsr") else rows
        A = np.column_stack([rows, np.full(len(index), float(bias))])
        unit = np.sqrt((A * A).sum(axis=0))
        unit[unit == 0.0] = 1.0
        return np.asarray(np.linalg.lstsq((A / unit).T, wanted / unit, rcond=None)[0])

    @property
    def reach(self) -> float:
        """The largest |x|, 1 if all are zero."""
        return float(self._square_norms.max()) ** 0.5 or 1.0

    @property
    def mean_square(self) -> float:
        """The mean of |x|^2, 1 if all are zero."""
        return float(self._square_norms.mean()) or 1.0

    @cached_property
    def _square_norms(self) -> Array:
        """|x_i|^2."""
        if hasattr(self.X, "tocsr"):
            return np.asarray(self.X.power(2).sum(axis=1)).ravel()
        return row_squares(self.X)


@dataclass(frozen=True, eq=False)
class _Answer:
    """w with its scores u = Xw and best r, feasible coefficients b, and the proof.

    At the optimum w = X'b.  Both are kept, because X'b loses digits to rounding when C is large, while any w bounds the
    optimum from above and any feasible b from below.
    """

    w: Array
    u: Array
    r: float
    b: Array
    primal: float
    dual: float
    violation: float
    mismatch: float  # |w - X'b| times the largest |x|: an upper bound of the error of u as scores of b
    total: float  # the prescribed sum of the coefficients

    @classmethod
    def of(cls, features: _Features, problem: DualProblem, w: Array, c: Array) -> Self:
        b, u, total = problem.feasible(c), features.scores(w), float(problem.start.sum())
        v, kept = features.weights(b), problem.ridge_times(b)
        r = best_bias(u, problem) if problem.bias else 0.0
        primal = 0.5 * float(w @ w) + r * total + float(conjugate(problem.z - u - r, problem).sum())
        dual = float(b @ (problem.z - 0.5 * kept)) - problem.epsilon * float(np.abs(b).sum()) - 0.5 * float(v @ v)
        violation = conditions(b, u - problem.z + kept, problem).violation
        return cls(w, u, r, b, primal, dual, violation, features.reach * float(np.linalg.norm(w - v)), total)

    def error(self, strictness: float = 100.0) -> float:
        """The number that `tol` bounds: the violation, or `strictness` times the relative gap if that is larger."""
        if self.total:
            return max(self.violation, self.mismatch)
        gap = (self.primal - self.dual) / max(abs(self.primal), abs(self.dual), 1e-300)
        return max(self.violation, strictness * gap)


@dataclass(eq=False)
class _Run:
    """The state of the proximal point algorithm: centre b, parameter sigma, and Newton's (w, r) with t = Xw + r."""

    features: _Features
    problem: DualProblem
    limits: Limits
    b: Array
    w: Array
    r: float
    t: Array
    sigma: float
    slack: float  # typical size of a slack
    box: float  # typical width of a box
    best: _Answer
    n_iter: int = 0
    reason: str = "converged"
    trace: list[tuple[int, float, float]] = field(default_factory=list)

    @classmethod
    def of(cls, X: Any, problem: DualProblem, start: Array, limits: Limits) -> Self:
        features = _Features.of(X, centred=problem.bias and not problem.start.any())
        b = problem.feasible(start)
        first = _Answer.of(features, problem, features.weights(b), b)
        t = first.u + first.r
        slack = float(np.sqrt(np.mean((problem.z - t) ** 2))) or 1.0
        width = 1.0 / problem.ridge if len(problem.ridge) else problem.hi - problem.lo
        box = float(np.median(width[width > 0.0])) if width.any() else 1.0
        sigma = min(box / (2.0 * slack), _FIRST_SIGMA / features.mean_square)
        return cls(features, problem, limits, b, first.w, first.r, t, sigma, slack, box, first)

    def follow(self) -> None:
        """Proximal steps until the best answer is proved; `reason` says why they ended."""
        idle, tol = 0, self.limits.tol
        while not self._proved(tol):
            if reached := self.limits.reached(self.n_iter):
                self.reason = reached
                return
            if idle >= _IDLE:  # rounding prevents a gap of tol / 100; a gap of tol is accepted
                self.reason = "converged" if self.best.error(1.0) <= tol else "stalled"
                return
            c, free, steps = self._subproblem(tol)
            better = self._move(c, free)
            # a larger sigma only magnifies the rounding of the scores
            most = max(100.0 * float(np.abs(c).max()) / tol, self.sigma)
            idle = 0 if better or self.sigma < most else idle + 1
            self.sigma = min(_growth_of_sigma(steps) * self.sigma, most)
            if self.limits.progress is not None:
                self.limits.progress(*self.trace[-1])

    def _proved(self, tol: float) -> bool:
        """Whether the best answer is within `tol`, and the scores of its coefficients are too."""
        if self.best.error() > tol:
            return False
        if self.best.mismatch > tol:
            b = self._matched(self.best)
            settled = _Answer.of(self.features, self.problem, self.features.weights(b), b)
            self.best = settled if settled.error() <= tol else self.best
        return self.best.mismatch <= tol

    def _matched(self, answer: _Answer) -> Array:
        """Coefficients with w = X'b: the smallest change of those strictly inside their bounds."""
        b, p = answer.b, self.problem
        free = np.flatnonzero((b > p.lo) & (b < p.hi) & (b != 0.0))
        if not 0 < min(len(free), len(answer.w)) <= _MATCHED:
            return b
        wanted = np.append(answer.w - self.features.weights(b), answer.total - b.sum() if p.bias else 0.0)
        moved = b.copy()
        moved[free] += self.features.least_change(free, wanted, bias=p.bias)
        return p.feasible(moved)

    def _move(self, c: Array, free: int) -> bool:
        """Make c the centre; returns whether its answer is better than the best so far."""
        found = _Answer.of(self.features, self.problem, self.w, c)
        self.b, self.t = c, found.u + self.r  # scores recomputed, without accumulated rounding
        self.trace.append((free, found.violation, found.dual))
        better = found.error() < self.best.error()
        self.best = found if better else self.best
        return better

    def _subproblem(self, tol: float) -> tuple[Array, int, int]:
        """Newton on (w, r) until the gradient is small compared with the move from b: (c, free items, steps made)."""
        p, n = self.problem, len(self.b)
        q, gain = p.z + self.b / self.sigma, np.full(n, self.sigma) / (1.0 + self.sigma * p.ridge_times(np.ones(n)))
        box, c, free = (gain, p.lo, p.hi, p.epsilon), np.empty(n), np.empty(n, dtype=np.intp)
        for steps in range(_NEWTON_STEPS + 1):
            count = linear.respond(q, self.t, *box, c, free)
            gw, gr = self.w - self.features.weights(c), self.best.total - float(c.sum()) if p.bias else 0.0
            if self._small(gw, gr, c, count, tol) or steps == _NEWTON_STEPS or self.limits.reached(self.n_iter):
                break
            dw, dr = self._direction(free[:count], gain, gw, gr)
            e = self.features.scores(dw) + dr
            slope = float(self.w @ dw) + self.best.total * dr
            h = line_search(q, self.t, e, box, slope, float(dw @ dw), float(gw @ dw) + gr * dr)
            self.w = self.w + h * dw
            self.r = self.r + h * dr
            self.t = self.t + h * e
            self.n_iter += 1
        return c, count, steps

    def _small(self, gw: Array, gr: float, c: Array, count: int, tol: float) -> bool:
        """Whether the gradient is below a tenth of the step from b in size, or below what `tol` or rounding allows."""
        worth = float((c - self.b) @ (c - self.b)) / self.sigma
        reach, known = self.features.reach, 0.01 * abs(self.best.dual) / (self.box * max(count, 1))
        fine = 0.05 * tol * (1.0 if self.best.total else min(1.0, known))
        scores = count * self.sigma * (self.slack + reach * float(np.linalg.norm(self.w)))
        rounding = np.finfo(float).eps * (float(np.abs(c).sum()) + scores)
        small_w = max(0.1 * worth**0.5, fine / reach, rounding * reach)
        small_r = max(0.1 * worth / self.slack, fine / reach**2, rounding)
        return float(gw @ gw) <= small_w**2 and abs(gr) <= small_r

    def _direction(self, free: Array, gain: Array, gw: Array, gr: float) -> tuple[Array, float]:
        """Newton's step; `delta`, added to the curvature in r, which may be 0, keeps the step of r below ten slacks."""
        delta = abs(gr) / (10.0 * self.slack) + 1e-12 * self.sigma
        return self.features.newton_step(free, gain[free], delta, gw, gr, bias=self.problem.bias)

    def solution(self) -> LinearSolution:
        """The best answer, for the features before they were centred."""
        best, p, shift = self.best, self.problem, float(self.features.centre @ self.best.w)
        return LinearSolution(
            coef=best.b, bias=best.r - shift, w=best.w, violation=best.violation,
            gradient=best.u + shift - p.z + p.ridge_times(best.b), gradient_error=best.mismatch,
            primal=best.primal, dual=best.dual, n_iter=self.n_iter, converged=self.reason == "converged",
            reason=self.reason, trace=self.trace, passes=self.features.passes,
        )  # fmt: skip


def _growth_of_sigma(steps: int) -> float:
    """The factor of sigma after a proximal step: the larger, the fewer Newton steps were needed."""
    if steps <= 5:
        return 10.0
    return 4.0 if steps <= 12 else 1.5


def line_search(q: Array, t: Array, e: Array, box: tuple[Any, ...], slope: float, bend: float, first: float) -> float:
    """The step h along (dw, dr) at which the slope is a tenth of `first`, its value at 0: Newton within a bracket.

    The slope at h is slope + h bend plus that of the losses at the scores t + h e.  It rises with h, so its sign is
    enough to bracket the step, without differences of nearly equal objectives.
    """
    low, high, h = 0.0, np.inf, 1.0
    for _ in range(60):
        rise, curvature = linear.along(q, t, e, h, *box)
        rise, curvature = rise + slope + h * bend, curvature + bend
        if abs(rise) <= 0.1 * abs(first):
            break
        low, high = (h, high) if rise < 0.0 else (low, h)
        guess = h - rise / curvature if curvature > 0.0 else np.inf
        if not low < guess < high:
            guess = 4.0 * h if high == np.inf else 0.5 * (low + high)
        h = max(guess, 0.01 * high) if low == 0.0 and high < np.inf else guess
    return h


def best_bias(u: Array, problem: DualProblem) -> float:
    """The r that minimises the primal for the scores u = Xw, exactly; the middle if an interval does.

    It is the r at which the c_i of the scores u_i + r have the prescribed sum.  Without a ridge they are step functions
    of r, which fall by hi at r = z - u - epsilon and by -lo at r = z - u + epsilon.
    """
    if len(problem.ridge):
        return _smooth_bias(u, problem)
    at = np.concatenate([problem.z - u - problem.epsilon, problem.z - u + problem.epsilon])
    fall = np.concatenate([problem.hi, -problem.lo])
    order = np.argsort(at[fall > 0.0])
    at, fallen = at[fall > 0.0][order], np.cumsum(fall[fall > 0.0][order])
    if not len(at):
        return 0.0
    goal, slip = float(problem.hi.sum() - problem.start.sum()), 1e-12 * float(fallen[-1])
    ends = np.searchsorted(fallen, [goal - slip, goal + slip])
    return float(at[np.minimum(ends, len(at) - 1)].mean())


def _smooth_bias(u: Array, problem: DualProblem) -> float:
    """The same with squared slacks, where the sum of the c_i is continuous in r: by bisection."""
    rest, box = problem.z - u, (1.0 / problem.ridge, problem.lo, problem.hi, problem.epsilon)
    zeros, ones = np.zeros(len(u)), np.ones(len(u))
    low, high = float(rest.min()) - problem.epsilon, float(rest.max()) + problem.epsilon
    while low < (middle := 0.5 * (low + high)) < high:
        falling = linear.along(rest, zeros, ones, middle, *box)[0] < 0.0
        low, high = (middle, high) if falling else (low, middle)
    return middle
