"""The whole regularisation path of the two-class SVM, exactly (Hastie, Rosset, Tibshirani & Zhu, 2004).

    minimise  sum_i (1 - y_i f(x_i))_+ + lambda/2 |w|^2,     f = (1/lambda) (sum_i a_i y_i k(x_i, .) + a0)

which is the C-SVC with C = 1/lambda.  With Q_ij = y_i y_j K_ij and s_i = lambda (1 - y_i f_i) it is optimal when

    s = lambda 1 - Qa - a0 y,   y'a = 0,   and   a_i = 1 where s_i > 0,   a_i = 0 where s_i < 0,   else 0 <= a_i <= 1.

As long as every point stays in its case of the three, these equations are linear in lambda; so a, a0 and s are
piecewise linear.
The *elbow* is the set of points on the margin, s_i = 0.  Walking down from large lambda, (a, a0) keeps its direction
until a point reaches the elbow or the a_i of an elbow point reaches 0 or 1; there a new direction is found.

The direction at a knot is the optimum of a small QP over the elbow, in which points with a_i on a bound may only move
inwards.  Solving that QP, rather than swapping one point, handles simultaneous events, duplicated points and dependent
rows of K without special cases: the next step always has positive length.  Nearly always events come one at a time;
then a native loop follows them without a QP.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mercer.engine.interrupts import until_interrupted
from mercer.engine.pool import one_blas_thread
from mercer.errors import bad
from mercer.gram import StoredGram
from mercer.native import path
from mercer.solvers.active_set import bordered, box_qp
from mercer.solvers.dual import DualProblem, solve
from mercer.solvers.solution import Solution
from mercer.typing import Array, Gram

_STRETCH = 256  # events after which accumulated rounding is removed


@dataclass(frozen=True)
class Event:
    """At knot `knot`, point `index` reached the elbow ("enter") or its a_i reached a bound ("zero", "one")."""

    knot: int
    kind: str
    index: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Path(Solution):
    """The path as its knots, largest lambda first; a, a0 and the slacks are linear in between.

    `primal` and `dual` belong to the last knot, `primals` and `duals` to all, recomputed from a and K.  `reason` is
    "lambda_min", "separable" (no slack is left: below the last knot f is the hard margin), "max_events", "interrupted"
    or "stalled"; `converged` means one of the first two, with every gap closed.
    """

    lambdas: Array  # (m,)
    alphas: Array  # (m, n)
    a0: Array  # (m,)
    slacks: Array  # (m,): sum_i (s_i)_+ = lambda sum_i (1 - y_i f_i)_+
    primals: Array  # (m,)
    duals: Array  # (m,)
    events: tuple[Event, ...]
    y: Array  # (n,)
    start_slope: float  # of a0 in lambda above the first knot

    def alpha(self, lam: float | Array) -> Array:
        """a at lambda: (n,) for a number, (..., n) for an array."""
        return self._at(lam, self.alphas)

    def intercept(self, lam: float | Array) -> Array:
        """b = a0 / lambda."""
        return np.asarray(self._at(lam, self.a0, above=self.start_slope) / lam)

    def coef(self, C: float) -> tuple[Array, float]:
        """beta and b of the C-SVC, f = sum_i beta_i k(x_i, .) + b: beta_i = C y_i a_i at lambda = 1/C."""
        return C * self.y * self.alpha(1.0 / C), float(self.intercept(1.0 / C))

    def norm(self, lam: float | Array) -> Array:
        """|w|, from lambda^2 |w|^2 = a'Qa = lambda sum_i a_i - sum_i (s_i)_+."""
        total = self.alpha(lam).sum(axis=-1)
        slack = self._at(lam, self.slacks, above=float(self.alphas[0].sum()))
        return np.asarray(np.sqrt(np.maximum(lam * total - slack, 0.0)) / lam)

    def margin(self, lam: float | Array) -> Array:
        """1 / |w|: the distance of the margin from the boundary."""
        with np.errstate(divide="ignore"):
            return np.asarray(1.0 / self.norm(lam))

    def n_support(self, lam: float | Array) -> Array:
        """How many a_i > 0."""
        return np.asarray((self.alpha(lam) > 0.0).sum(axis=-1))

    def _at(self, lam: float | Array, knots: Array, *, above: float = 0.0) -> Array:
        """A quantity known at the knots, linear between; of slope `above` before them, proportional after them."""
        lam = np.asarray(lam, dtype=float)
        first, last = self.lambdas[0], self.lambdas[-1]
        if not (lam > 0.0).all() or (self.reason != "separable" and (lam < last * (1.0 - 1e-12)).any()):
            raise bad("Path", "lambda = 1/C", f"at least {last:.6g}, where the path ends ({self.reason})", lam.min(),
                      "Follow the path further: lower lambda_min or raise max_events.")  # fmt: skip
        place = np.interp(-lam, -self.lambdas, np.arange(len(knots)))
        k = np.minimum(place.astype(int), max(len(knots) - 2, 0))
        part = place - k
        beyond, scale = np.maximum(lam - first, 0.0), np.minimum(lam / last, 1.0)
        if knots.ndim > 1:
            part, beyond, scale = part[..., None], beyond[..., None], scale[..., None]
        after = knots[np.minimum(k + 1, len(knots) - 1)]
        return np.asarray(((1.0 - part) * knots[k] + part * after + above * beyond) * scale)


def svm_path(
    K: Array | Gram, y: Array, *, lambda_min: float = 1e-3, max_events: int = 100_000, ridge: float = 0.0
) -> Path:
    """The path for lambda from infinity down to `lambda_min`, for the kernel matrix K + ridge I and labels +-1.

    K is stored: nearly every row of it is visited.  One event costs O(n e + e^2) for e points on the elbow.
    """
    K, y = _checked(K, y, lambda_min, ridge)
    centred, mean, unit = _standard(K)
    with one_blas_thread():  # the systems are too small for more threads
        walk, slope = _start(centred, y, lambda_min / unit)
        reason = walk.follow(lambda_min / unit, max_events)
        lambdas, alphas, a0 = (np.array(part) for part in zip(*walk.knots, strict=True))
        lambdas, a0 = unit * lambdas, unit * a0 - (alphas * y) @ mean
        slacks, primals, duals = _certificates(K, y, lambdas, alphas, a0)
    return Path(
        primal=float(primals[-1]),
        dual=float(duals[-1]),
        n_iter=len(walk.events),
        converged=reason in ("lambda_min", "separable") and bool(np.all(primals - duals <= 1e-6 * primals)),
        reason=reason,
        lambdas=lambdas,
        alphas=alphas,
        a0=a0,
        slacks=slacks,
        primals=primals,
        duals=duals,
        events=tuple(walk.events),
        y=y,
        start_slope=slope,
    )


@dataclass(eq=False)
class _Walk:
    """The state at one lambda.  Cases are exact: s is 0.0 on the elbow, and a_i on a bound is 0.0 or 1.0."""

    K: Array
    y: Array
    lam: float
    a: Array
    a0: float
    s: Array
    elbow: Array  # mask
    knots: list[tuple[float, Array, float]] = field(default_factory=list)  # lambda, a, a0
    events: list[Event] = field(default_factory=list)
    still: int = 0  # consecutive steps of length 0

    def follow(self, lambda_min: float, max_events: int) -> str:
        """Walk down to `lambda_min`; returns why the walk ended.  In a fit Ctrl-C ends it at the last knot."""
        self._keep([("enter", int(i)) for i in np.flatnonzero(self.elbow)])
        with until_interrupted():
            while not (reason := self._end(lambda_min, max_events)):
                if not self._follow_single_events(lambda_min, max_events):
                    self._advance(lambda_min)
            return reason
        return "interrupted"

    def _end(self, lambda_min: float, max_events: int) -> str:
        """Why to stop here, if there is a reason."""
        if self.lam <= lambda_min:
            return "lambda_min"
        if not ((self.a == 1.0) & ~self.elbow).any():
            return "separable"
        if self.still > 2 * len(self.y):
            return "stalled"
        return "max_events" if len(self.events) >= max_events else ""

    def _follow_single_events(self, lambda_min: float, max_events: int) -> int:
        """Follow single events in the native loop (native/loops/path.cpp) as far as it can; returns how many."""
        F = np.flatnonzero(self.elbow & (self.a > 0.0) & (self.a < 1.0))
        room, n = min(_STRETCH, max_events - len(self.events)), len(self.y)
        N = self._inverse(F)
        if N is None:
            return 0
        where = np.array([self.lam, self.a0])
        lambdas, alphas, zeros = np.empty(room), np.empty((room, n)), np.empty(room)
        kinds, points = np.empty(room, dtype=np.intp), np.empty(room, dtype=np.intp)
        count = path.stroll(
            self.K, self.y, self.a, self.s, self.elbow, where, np.resize(F, n + 1), len(F), N,
            lambda_min, lambdas, alphas, zeros, kinds, points,
        )  # fmt: skip
        if count:
            self.lam, self.a0 = float(where[0]), float(where[1])
            self.still = 0
            self._remove_rounding()
            alphas[count - 1], zeros[count - 1] = self.a, self.a0
            first, names = len(self.knots), ("zero", "one", "enter")
            self.knots += [(float(lambdas[k]), alphas[k], float(zeros[k])) for k in range(count)]
            self.events += [Event(first + k, names[kinds[k]], int(points[k])) for k in range(count)]
        return int(count)

    def _inverse(self, F: Array) -> Array | None:
        """The inverse of [0 y'; y Q] over F, with room for more; None if F is empty or has copies of a point."""
        m, y = len(F), self.y[F]
        M = np.zeros((m + 1, m + 1))
        M[0, 1:] = M[1:, 0] = y
        M[1:, 1:] = y[:, None] * y * self.K[np.ix_(F, F)]
        room = min(m + _STRETCH, len(self.y)) + 2
        N = np.empty((room, room))
        try:
            N[: m + 1, : m + 1] = np.linalg.inv(M)
        except np.linalg.LinAlgError:
            return None
        return N

    def _remove_rounding(self) -> None:
        """Put the elbow exactly on the margin again, and recompute s from a."""
        F = np.flatnonzero(self.elbow & (self.a > 0.0) & (self.a < 1.0))
        if len(F):
            y = self.y[F]
            d, d0 = bordered(y[:, None] * y * self.K[np.ix_(F, F)], y, self._slack()[F], -float(self.y @ self.a))
            self.a[F] = np.clip(self.a[F] + d, 0.0, 1.0)
            self.a0 += d0
        self.s = np.where(self.elbow, 0.0, self._slack())

    def _slack(self) -> Array:
        return np.asarray(self.lam - self.y * (self.K @ (self.y * self.a) + self.a0))

    def _advance(self, lambda_min: float) -> None:
        """One step, to the next event."""
        d, d0, ds = self._direction()
        until = self._until(d, ds)
        step = float(min(until.min(), self.lam - lambda_min))
        self.lam = self.lam - step if step < self.lam - lambda_min else lambda_min
        self.a += step * d
        self.a0 += step * d0
        self.s += step * ds
        self._keep(self._arrive(np.flatnonzero(until <= step + 1e-12 * self.lam), d))

    def _direction(self) -> tuple[Array, float, Array]:
        """The change of a, a0 and s as lambda falls by 1; points that cannot stay leave the elbow.

        min 1/2 d'Qd + sum d over the elbow, y'd = 0, d_i >= 0 where a_i = 0, d_i <= 0 where a_i = 1.
        """
        E = np.flatnonzero(self.elbow)
        a, y = self.a[E], self.y[E]
        free = (a > 0.0) & (a < 1.0)
        lo, hi = np.where(a > 0.0, -np.inf, 0.0), np.where(a < 1.0, np.inf, 0.0)
        Q = y[:, None] * y * self.K[np.ix_(E, E)]
        x, d0, free, noise = box_qp(Q, np.ones(len(E)), y, lo, hi, np.zeros(len(E)), free)
        d0 = self._intercept_direction() if np.isnan(d0) else d0
        ds = -1.0 - self.y * ((y * x) @ self.K[E] + d0)
        stays = free | (np.where(a > 0.0, ds[E], -ds[E]) <= noise)
        ds[E[stays]] = 0.0
        self.elbow[E[~stays]] = False
        d = np.zeros_like(self.a)
        d[E] = x
        return d, d0, ds

    def _intercept_direction(self) -> float:
        """The direction of a0 when nothing on the elbow moves.

        Then a stays, and a0 may have any value in an interval that shrinks to the one point lambda' - A at
        lambda' = (A + B) / 2, where A and B are the largest (Qa)_i among the positive and the negative points with
        a_i = 1.  a0 moves to that point on a straight line.
        """
        Qa = self.lam - self.s - self.a0 * self.y
        A, B = (Qa[(self.a == 1.0) & (self.y == sign)].max() for sign in (1.0, -1.0))
        length, goal = self.lam - 0.5 * (A + B), 0.5 * (B - A)
        return float(np.clip((goal - self.a0) / length, -1.0, 1.0)) if length > 0.0 else 0.0

    def _until(self, d: Array, ds: Array) -> Array:
        """By how much lambda can fall before each point changes its case; inf for never."""
        until = np.full(len(d), np.inf)
        grows, shrinks = d > 0.0, d < 0.0
        until[grows] = (1.0 - self.a[grows]) / d[grows]
        until[shrinks] = -self.a[shrinks] / d[shrinks]
        nears = ~self.elbow & np.where(self.a == 1.0, ds < 0.0, ds > 0.0)
        until[nears] = -self.s[nears] / ds[nears]
        return np.asarray(np.maximum(until, 0.0))

    def _arrive(self, reached: Array, d: Array) -> list[tuple[str, int]]:
        """Put the points that reached a bound or the elbow exactly there."""
        inner, outer = reached[self.elbow[reached]], reached[~self.elbow[reached]]
        self.a[inner] = d[inner] > 0.0
        self.elbow[outer] = True
        self.s[outer] = 0.0
        return [("one" if d[i] > 0.0 else "zero", int(i)) for i in inner] + [("enter", int(i)) for i in outer]

    def _keep(self, arrived: list[tuple[str, int]]) -> None:
        """Record the knot and its events; a step of length 0 replaces the knot before."""
        self.still = self.still + 1 if self.knots and self.knots[-1][0] == self.lam else 0
        self.knots[len(self.knots) - bool(self.still) :] = [(self.lam, self.a.copy(), self.a0)]
        self.events += [Event(len(self.knots) - 1, kind, i) for kind, i in arrived]


def _standard(K: Array) -> tuple[Array, Array, float]:
    """HKH / unit with entries of order 1, the column means m of K, and the unit.

    The path is the same, at lambda / unit: as y'a = 0, centring changes f by the constant m'(a o y), which a0 includes.
    Without centring, the values of a nearly constant kernel would differ in few digits only.
    """
    mean = K.mean(axis=0)
    centred = K - mean
    centred -= (mean - mean.mean())[:, None]
    unit = float(np.abs(centred).max()) or 1.0
    centred /= unit
    return centred, mean, unit


def _start(K: Array, y: Array, lambda_min: float) -> tuple[_Walk, float]:
    """The first knot, and the slope of a0 in lambda above it.

    For large lambda every point of the smaller class has a_i = 1, and the a_i of the larger class have the same total,
    distributed so that |w| is least.  That holds until the margins of the two classes meet.
    """
    major = 1.0 if y.sum() >= 0.0 else -1.0
    a, free = _shares(K, y, major)
    Qa = y * (K @ (y * a))
    level = Qa[free].mean() if len(free) else Qa[(y == major) & (a == 1.0)].max()
    lam = 0.5 * (level + Qa[y != major].max())
    a0, slope = major * (lam - level), major if y.sum() else 0.0
    if lam <= lambda_min:
        lam, a0 = lambda_min, a0 + slope * (lambda_min - lam)
    s = lam - Qa - a0 * y
    elbow = np.abs(s) <= 1e-12 * (abs(lam) + np.abs(Qa).max())
    elbow[free] = True
    s[elbow] = 0.0
    return _Walk(K, y, float(lam), a, float(a0), s, elbow), float(slope)


def _shares(K: Array, y: Array, major: float) -> tuple[Array, Array]:
    """a at the start, and the indices of those strictly between 0 and 1."""
    a = np.ones(len(y))
    M, few = np.flatnonzero(y == major), int((y != major).sum())
    if len(M) == few:
        return a, M[:0]
    Q, p = K[np.ix_(M, M)], -K[np.ix_(M, y != major)].sum(axis=1)
    begin = np.zeros(len(M))
    begin[np.argsort(Q.mean(axis=1) * few + p, kind="stable")[:few]] = 1.0
    begin = _one_copy_inside(Q, _rough_optimum(Q, p, begin))
    best = box_qp(Q, p, np.ones(len(M)), np.zeros(len(M)), np.ones(len(M)), begin, (begin > 0.0) & (begin < 1.0))
    a[M] = best.x
    return a, M[best.free]


def _rough_optimum(Q: Array, p: Array, x: Array) -> Array:
    """min 1/2 x'Qx + p'x over 0 <= x <= 1 with the sum of x fixed, to a few digits: the start of box_qp."""
    tol = 1e-4 * float(np.abs(p).max())
    problem = DualProblem(-p, np.zeros(len(x)), np.ones(len(x)), x)
    return solve(StoredGram(Q), problem, tol=tol, max_iter=20 * len(x)).coef


def _one_copy_inside(Q: Array, x: Array) -> Array:
    """The same Qx with at most one of several copies of a point (equal rows of Q) inside its bounds 0 and 1.

    Two copies inside their bounds would make the systems of box_qp singular, so the copies are raised to 1 one after
    another.  Rows count as equal if one generic linear combination of their entries is equal; x is only a start, so a
    mistake does no harm.
    """
    inside = np.flatnonzero((x > 0.0) & (x < 1.0))
    _, kind = np.unique(np.round(Q[inside] @ np.cos(np.arange(len(x))), 10), return_inverse=True)
    order = np.argsort(kind, kind="stable")
    before = np.empty(len(inside))  # copies of the same point that come earlier
    before[order] = np.arange(len(inside)) - np.searchsorted(kind[order], kind[order])
    x = x.copy()
    x[inside] = np.clip(np.bincount(kind, x[inside])[kind] - before, 0.0, 1.0)
    return x


def _certificates(K: Array, y: Array, lambdas: Array, alphas: Array, a0: Array) -> tuple[Array, Array, Array]:
    """Total slack, primal and dual objective of every knot, recomputed from a and K."""
    blocks = []
    for part in np.array_split(np.arange(len(lambdas)), 1 + len(lambdas) // 128):
        lam, Z = lambdas[part], alphas[part] * y
        moved = Z - Z[0]
        varying = moved.any(axis=0)  # most coefficients are equal at neighbouring knots
        F = Z[0] @ K + moved[:, varying] @ K[varying]
        slack = np.maximum(lam[:, None] - y * (F + a0[part, None]), 0.0).sum(axis=1)
        energy = 0.5 * (Z * F).sum(axis=1) / lam
        blocks.append(np.array([slack, slack / lam + energy, alphas[part].sum(axis=1) - energy]))
    slacks, primals, duals = np.hstack(blocks)
    return slacks, primals, duals


def _checked(K: Array | Gram, y: Array, lambda_min: float, ridge: float) -> tuple[Array, Array]:
    """K + ridge I as a stored matrix, y as floats."""
    K = np.array(K if isinstance(K, np.ndarray) else K.rows(np.arange(len(K))), dtype=float, order="C")
    y = np.array(y, dtype=float)  # contiguous, as the compiled loop needs it
    if K.shape != (len(y), len(y)):
        raise bad("svm_path", "K", f"square, one row per label ({len(y)})", f"shape {K.shape}", "Pass k(X) of X.")
    if not np.isfinite(K).all():
        raise bad("svm_path", "K", "finite", "NaN or infinity", "Check the items the Gram was made from.")
    if set(np.unique(y)) != {-1.0, 1.0}:
        raise bad("svm_path", "y", "labels -1 and +1, both present", np.unique(y), "Encode the two classes.")
    if not lambda_min > 0.0:
        raise bad("svm_path", "lambda_min", "positive", lambda_min, "It is the smallest 1/C of the path.")
    if not ridge >= 0.0:
        raise bad("svm_path", "ridge", "not negative", ridge, "It is added to the diagonal of K.")
    K[np.diag_indices_from(K)] += ridge
    return K, y
