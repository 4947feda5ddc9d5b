"""Linear support vector machines at scale: the problems of solvers/dual on explicit features, without a Gram.

    minimise  1/2 |w|^2 + sum_i C_i max(0, 1 - y_i (w'x_i + r))       or  sum_i C_i max(0, |y_i - w'x_i - r| - epsilon)

The intercept r is not penalised, so the answer is that of the kernel machine with k(x, y) = x'y.  X is dense or CSR.

The method is the proximal point algorithm on the dual, each step by Newton on the primal (Yan & Li, 2020).  Given
coefficients b and a proximal parameter sigma, the next coefficients solve

    maximise over c   (dual objective at c) - |c - b|^2 / (2 sigma)

The dual of that is smooth in the d + 1 numbers (w, r): its gradient is (w - X'c, -sum c), where every c_i answers to
its score alone (compiled/linear.py), and its Hessian is I + sigma X_F'X_F over the items F whose answer is neither
clipped nor zero.  Those are the coming free support vectors, few, so that a Newton step costs two passes over X and a
small linear system.  sigma grows from step to step and the coefficients converge faster and faster.  The number of
passes depends neither on n nor much on C, where coordinate descent needs thousands of them when C is large.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from mercer.engine.pool import one_blas_thread
from mercer.errors import bad
from mercer.solvers.dual.certificate import DualSolution, conjugate
from mercer.solvers.dual.optimality import conditions
from mercer.solvers.dual.problem import Problem
from mercer.typing import Array

Progress = Callable[[int, float, float], None]

_BEGIN = 100.0  # the first sigma is at most this / mean |x|^2: from a far larger one Newton has a long way to go
_STEPS = 50  # of Newton, at most, per proximal step; 5 to 10 are usual
_IDLE = 5  # proximal steps without progress before giving up
_FACTORED = 1500  # linear systems up to this size are factorised, larger ones solved by conjugate gradients


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearSolution(DualSolution):
    """f(x) = w'x + bias with w = X'coef, and the work it took in passes over X, linear systems included."""

    w: Array
    passes: float


def solve_linear(
    X: Any,
    problem: Problem,
    *,
    tol: float = 1e-3,
    max_iter: int | None = None,
    time_limit: float | None = None,
    start: Array | None = None,
    progress: Progress | None = None,
) -> LinearSolution:
    """Solve until the optimality conditions hold to `tol` and the duality gap is at most `tol` times the objective.

    `start` are coefficients to begin with, `max_iter` counts Newton steps, and `progress` is called with (free items,
    violation, dual) after every proximal step.
    """
    _check(X, problem)
    deadline = np.inf if time_limit is None else time.monotonic() + time_limit
    with one_blas_thread():  # the systems are small, and the answer shall not depend on the number of threads
        run = _Run.of(X, problem, start)
        reason = run.follow(tol, 10**6 if max_iter is None else max_iter, deadline, progress)
    return run.solution(reason)


def _check(X: Any, problem: Problem) -> None:
    if problem.second is not None:
        raise bad(
            "solve_linear", "problem", "one with a single group", "a nu-SVC or nu-SVR", "Use solve(gram, problem)."
        )
    if X.shape[0] != len(problem):
        raise bad(
            "solve_linear", "X", f"one row per label ({len(problem)})", f"shape {X.shape}", "Pass the same items."
        )
    if not len(problem.ridge) and not np.isfinite(problem.hi - problem.lo).all():
        raise bad("solve_linear", "C", "finite", "an infinite box", "For a hard margin use solve(gram, problem).")


@dataclass(eq=False)
class _Features:
    """The rows of X less a centre, which the intercept takes up; counts the passes over them."""

    X: Any
    centre: Array
    passes: float = 0.0

    @classmethod
    def of(cls, X: Any, *, centred: bool) -> Self:
        """Sparse rows keep their place: less a centre they would be dense."""
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

    def scaled_rows(self, index: Array, factor: Array) -> Any:
        """diag(factor) X[index]."""
        rows = self.X[index]
        return rows.multiply(factor[:, None]).tocsr() if hasattr(rows, "tocsr") else rows * factor[:, None]

    def square_norms(self) -> Array:
        """|x_i|^2."""
        if hasattr(self.X, "tocsr"):
            return np.asarray(self.X.power(2).sum(axis=1)).ravel()
        return np.asarray(np.einsum("ij,ij->i", self.X, self.X))


@dataclass(frozen=True, eq=False)
class _Answer:
    """w with its best r, feasible coefficients b, the gradient F = Xw - z + ridge b, and the proof.

    w and X'b agree at the optimum.  They are kept apart because rounding X'b costs digits when C is large, while any w and
    any feasible b bound the optimum from their sides.
    """

    w: Array
    r: float
    b: Array
    F: Array
    primal: float
    dual: float
    violation: float
    mismatch: float  # |w - X'b|

    @classmethod
    def of(cls, features: _Features, problem: Problem, w: Array, c: Array) -> Self:
        b, u, total = feasible(c, problem), features.scores(w), float(problem.start.sum())
        v = features.weights(b)
        r = best_bias(u, problem) if problem.bias else 0.0
        primal = 0.5 * float(w @ w) + r * total + float(conjugate(problem.z - u - r, problem).sum())
        smooth = float(problem.z @ b) - 0.5 * float(v @ v) - 0.5 * float(np.sum(problem.ridge_times(b) * b))
        F = u - problem.z + problem.ridge_times(b)
        dual, violation = smooth - problem.epsilon * float(np.abs(b).sum()), conditions(b, F, problem).violation
        return cls(w, r, b, F, primal, dual, violation, float(np.linalg.norm(w - v)))

    @property
    def error(self) -> float:
        """What `tol` bounds: violation and relative gap, or the root of the gap alone, which bounds the error of w."""
        gap = max(self.primal - self.dual, 0.0) / max(abs(self.primal), abs(self.dual), 1e-300)
        return min(max(self.violation, gap), gap**0.5)


@dataclass(eq=False)
class _Run:
    """Where the proximal point algorithm is: centre b, step size sigma, Newton's (w, r) with the scores t = Xw + r."""

    features: _Features
    problem: Problem
    b: Array
    w: Array
    r: float
    t: Array
    sigma: float
    slack: float  # size of a usual slack
    box: float  # width of a usual box
    reach: float  # largest |x|
    best: _Answer
    n_iter: int = 0
    trace: list[tuple[int, float, float]] = field(default_factory=list)

    @classmethod
    def of(cls, X: Any, problem: Problem, start: Array | None) -> Self:
        features = _Features.of(X, centred=problem.bias and problem.start.sum() == 0.0)
        b = feasible(problem.start if start is None else np.asarray(start, dtype=float), problem)
        first = _Answer.of(features, problem, features.weights(b), b)
        slack = float(np.sqrt(np.mean((first.F + first.r) ** 2))) or 1.0
        norms = features.square_norms()
        width = 1.0 / problem.ridge if len(problem.ridge) else problem.hi - problem.lo
        box = float(np.median(width[width > 0.0])) if (width > 0.0).any() else 1.0
        sigma = min(box / (2.0 * slack), _BEGIN / (float(norms.mean()) or 1.0))
        t = first.F + problem.z - problem.ridge_times(first.b) + first.r
        return cls(features, problem, first.b, first.w, first.r, t, sigma, slack, box, float(norms.max()) ** 0.5, first)

    def follow(self, tol: float, max_iter: int, deadline: float, progress: Progress | None) -> str:
        """Proximal steps until the best answer is proved; returns why they ended."""
        idle = 0
        try:
            while self.best.error > tol:
                if reason := self._end(max_iter, deadline) or ("stalled" if idle >= _IDLE else ""):
                    return reason
                c, free, steps = self._subproblem(tol, max_iter, deadline)
                better = self._keep(_Answer.of(self.features, self.problem, self.w, c), free)
                most = 100.0 * float(np.abs(c).max()) / tol  # a larger sigma only magnifies the rounding of scores
                idle = 0 if better or self.sigma < most else idle + 1
                if progress is not None:
                    progress(*self.trace[-1])
                self.b = c
                self.sigma = min(self.sigma * (10.0 if steps <= 5 else 4.0 if steps <= 12 else 1.5), most)
        except KeyboardInterrupt:
            return "interrupted"
        return "converged"

    def _end(self, max_iter: int, deadline: float) -> str:
        return "max_iter" if self.n_iter >= max_iter else "time_limit" if time.monotonic() >= deadline else ""

    def _keep(self, found: _Answer, free: int) -> bool:
        """Record an answer; returns whether it is better than the best so far."""
        self.trace.append((free, found.violation, found.dual))
        better = found.error < self.best.error
        if better:
            self.best = found
        return better

    def _subproblem(self, tol: float, max_iter: int, deadline: float) -> tuple[Array, int, int]:
        """Newton on (w, r) until the gradient is small beside the move from b; (c, free items, steps made)."""
        from mercer.compiled import linear

        p, n = self.problem, len(self.b)
        q, gain = p.z + self.b / self.sigma, self.sigma / (1.0 + self.sigma * p.ridge_times(np.ones(n))) * np.ones(n)
        c, free, total = np.empty(n), np.empty(n, dtype=np.intp), float(p.start.sum())
        for steps in range(_STEPS + 1):
            count = linear.respond(q, self.t, gain, p.lo, p.hi, p.epsilon, c, free)
            gw, gr = self.w - self.features.weights(c), total - float(c.sum()) if p.bias else 0.0
            if self._small(gw, gr, c, count, tol) or steps == _STEPS or self._end(max_iter, deadline):
                break
            dw, dr = self._direction(free[:count], gain, gw, gr)
            e = self.features.scores(dw) + dr
            ray = (q, self.t, e), (gain, p.lo, p.hi, p.epsilon)
            step = _line_search(ray, float(self.w @ dw) + total * dr, float(dw @ dw), float(gw @ dw) + gr * dr)
            self.w, self.r, self.t = self.w + step * dw, self.r + step * dr, self.t + step * e
            self.n_iter += 1
        return c, count, steps

    def _small(self, gw: Array, gr: float, c: Array, count: int, tol: float) -> bool:
        """Whether the gradient is a tenth of what the proximal step is worth, or too small to matter for `tol`."""
        reach = self.reach or 1.0
        worth = float((c - self.b) @ (c - self.b)) / self.sigma
        noise = count * self.sigma * (self.slack + reach * float(np.linalg.norm(self.w)))
        rounding = np.finfo(float).eps * (float(np.abs(c).sum()) + noise)
        fine = 0.05 * tol * min(1.0, abs(self.best.dual) / (self.box * max(count, 1)))
        small_w = max(0.1 * worth**0.5, fine / reach, rounding * reach)
        small_r = max(0.1 * worth / self.slack, fine / reach**2, rounding)
        return float(gw @ gw) <= small_w**2 and abs(gr) <= small_r

    def _direction(self, free: Array, gain: Array, gw: Array, gr: float) -> tuple[Array, float]:
        """Newton's step; the curvature in r, which may vanish, is helped by as much as keeps the step in the data."""
        root = np.sqrt(gain[free])
        Z = self.features.scaled_rows(free, root)
        m, d = Z.shape
        s, delta = (
            (root, abs(gr) / (10.0 * self.slack) + 1e-12 * self.sigma) if self.problem.bias else (0.0 * root, 1.0)
        )
        if min(m, d) > _FACTORED:
            dw, dr, products = conjugate_gradients(Z, s, delta, gw, gr)
        else:
            dw, dr = by_items(Z, s, delta, gw, gr) if m <= d else by_columns(Z, s, delta, gw, gr)
            products = min(m, d)
        self.features.passes += products * m / len(self.b)
        return dw, dr

    def solution(self, reason: str) -> LinearSolution:
        """The best answer, about the origin again."""
        best, shift = self.best, float(self.features.centre @ self.best.w)
        return LinearSolution(
            coef=best.b, bias=best.r - shift, w=best.w, violation=best.violation,
            gradient=best.F + shift, gradient_error=self.reach * best.mismatch,
            primal=best.primal, dual=best.dual, n_iter=self.n_iter, converged=reason == "converged", reason=reason,
            trace=self.trace, passes=self.features.passes,
        )  # fmt: skip


def _line_search(ray: tuple[Any, Any], slope: float, curvature: float, first: float) -> float:
    """Where the slope along the Newton direction is a tenth of `first`, its value at 0: Newton kept in a bracket.

    The slope at step h is slope + h curvature plus that of the loss.  It rises with h, so that signs suffice and no
    difference of nearly equal objectives is ever taken.
    """
    from mercer.compiled import linear

    (q, t, e), box = ray
    low, high, h = 0.0, np.inf, 1.0
    for _ in range(60):
        rise, bend = linear.along(q, t, e, h, *box)
        rise, bend = rise + slope + h * curvature, bend + curvature
        if abs(rise) <= 0.1 * abs(first):
            break
        low, high = (h, high) if rise < 0.0 else (low, h)
        guess = h - rise / bend if bend > 0.0 else np.inf
        h = guess if low < guess < high else 0.5 * (low + high) if high < np.inf else 4.0 * h
        h = max(h, 0.01 * high) if low == 0.0 and high < np.inf else h
    return h


def by_items(Z: Any, s: Array, delta: float, gw: Array, gr: float) -> tuple[Array, float]:
    """(dw, dr) with [I + Z'Z, Z's; s'Z, s's + delta] (dw, dr) = -(gw, gr), by a system of one equation per row of Z.

    With p = Z dw + s dr it reads (I + ZZ') p = s dr - Z gw, s'p + delta dr = -gr.
    """
    right = np.column_stack([-(Z @ gw), s])
    p = _positive_solve(Z @ Z.T, right)
    dr = float((-gr - s @ p[:, 0]) / (s @ p[:, 1] + delta))
    return -gw - Z.T @ (p[:, 0] + dr * p[:, 1]), dr


def by_columns(Z: Any, s: Array, delta: float, gw: Array, gr: float) -> tuple[Array, float]:
    """The same by a system of one equation per column of Z, from which r is eliminated."""
    h = Z.T @ s
    x = _positive_solve(Z.T @ Z, np.column_stack([gw, h]))
    dr = float((h @ x[:, 0] - gr) / max(s @ s + delta - h @ x[:, 1], delta))
    return -x[:, 0] - dr * x[:, 1], dr


def _positive_solve(A: Any, B: Array) -> Array:
    """(I + A)^-1 B for A positive semi-definite, a little damped so that rounding cannot make it indefinite."""
    from scipy.linalg import cho_factor, cho_solve

    A = A.toarray() if hasattr(A, "tocsr") else A
    diagonal, damping = np.diagonal(A).copy(), 8.0 * len(A) * np.finfo(float).eps
    while True:
        np.fill_diagonal(A, diagonal * (1.0 + damping) + 1.0)
        try:
            return np.asarray(cho_solve(cho_factor(A, check_finite=False), B, check_finite=False)) if len(A) else B
        except np.linalg.LinAlgError:
            damping *= 100.0


def conjugate_gradients(Z: Any, s: Array, delta: float, gw: Array, gr: float) -> tuple[Array, float, int]:
    """The same to one digit or two, without forming a product of Z with itself; and how many products it took."""
    squares = Z.power(2) if hasattr(Z, "tocsr") else Z * Z
    scale = np.append(1.0 + np.asarray(squares.sum(axis=0)).ravel(), s @ s + delta)
    ridge = np.append(np.ones(len(gw)), delta)
    x, residual = np.zeros(len(scale)), -np.append(gw, gr)
    step = residual / scale
    size = first = float(residual @ step)
    for count in range(1, 201):
        p = Z @ step[:-1] + s * step[-1]
        image = np.append(Z.T @ p, s @ p) + ridge * step
        length = size / float(step @ image)
        x, residual = x + length * step, residual - length * image
        size, before = float(residual @ (residual / scale)), size
        if size <= 0.0025 * first:
            break
        step = residual / scale + size / before * step
    return x[:-1], float(x[-1]), 2 * count


def feasible(c: Array, problem: Problem) -> Array:
    """c in the box and with the right sum: what is missing is shared by the free coefficients, in proportion to room."""
    b = np.clip(c, problem.lo, problem.hi)
    if not problem.bias:
        return b
    free = (b > problem.lo) & (b < problem.hi) & (b != 0.0)
    for among in (free, ~free):
        missing = float(problem.start.sum() - b.sum())
        room = np.where(among, np.minimum(problem.hi - b if missing > 0.0 else b - problem.lo, abs(missing)), 0.0)
        share = abs(missing) / max(float(room.sum()), 1e-300)
        b += np.sign(missing) * min(1.0, share) * room
        if share <= 1.0:
            break
    return b


def best_bias(u: Array, problem: Problem) -> float:
    """The r that minimises the primal for the scores u = Xw, exactly; the middle where there are many.

    The optimum is where the answers c_i to u_i + r have the required sum.  Without a ridge they are step functions of
    r, which fall by hi at r = z - u - epsilon and by -lo at r = z - u + epsilon.
    """
    total = float(problem.start.sum())
    if len(problem.ridge):
        return _smooth_bias(u, problem, total)
    at = np.concatenate([problem.z - u - problem.epsilon, problem.z - u + problem.epsilon])
    fall = np.concatenate([problem.hi, -problem.lo])
    at, fall = at[fall > 0.0], fall[fall > 0.0]
    order = np.argsort(at)
    fallen, goal = np.cumsum(fall[order]), float(problem.hi.sum()) - total
    slip = 1e-12 * float(fallen[-1])
    ends = np.searchsorted(fallen, [goal - slip, goal + slip])
    return float(at[order[np.minimum(ends, len(order) - 1)]].mean())


def _smooth_bias(u: Array, problem: Problem, total: float) -> float:
    """The same with squared slacks, where the sum of the answers is continuous in r."""
    from mercer.compiled import linear

    ones, middle = np.ones(len(u)), float((problem.z - u).mean())
    box = (1.0 / problem.ridge, problem.lo, problem.hi, problem.epsilon)
    reach = float(np.abs(problem.z - u - middle).max()) + problem.epsilon
    low, high = -reach, reach
    for _ in range(60):
        h = 0.5 * (low + high)
        slope = linear.along(problem.z, u + middle, ones, h, *box)[0] + total
        low, high = (h, high) if slope < 0.0 else (low, h)
    return middle + 0.5 * (low + high)
