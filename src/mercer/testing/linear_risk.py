"""Linear functions w'x + r of least penalised risk, for any loss: to compare sparse machines with.

    l2     1/2 |w|^2 + C sum_i loss_i      the linear kernel: Newton's method, or the dual of support vector machines
    l1     sum_j |w_j| + C sum_i loss_i    sparse; accelerated proximal gradients, and a linear program for a loss made
                                           of straight lines
    l0     1/2 |w|^2 + C sum_i loss_i      over w with at most n_nonzero weights, by greedy selection: the column with
           the steepest slope comes in, and the l2 problem on the columns so far is solved again.  No bound proves it

r is never penalised.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.gram import FeatureGram, StoredGram
from mercer.solvers.limits import Limits
from mercer.solvers.losses import EpsilonInsensitive, Hinge, Pinball, SmoothLoss, StraightLoss
from mercer.solvers.risk.minimise import minimise_risk
from mercer.solvers.risk.summed_loss import AnyLoss, Scored, Target, balanced, target_of
from mercer.solvers.solution import Solution
from mercer.typing import Array

PENALTIES = ("l2", "l1", "l0")
_STEPS = 20_000  # of proximal gradients, when no limit is given


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearRisk(Solution):
    """f(x) = w'x + bias; `dual` is -inf where no lower bound of the optimum is known."""

    w: Array
    bias: float


def linear_risk(
    X: Array,
    y: Array,
    loss: AnyLoss,
    penalty: str = "l2",
    *,
    C: float = 1.0,
    n_nonzero: int | None = None,
    bias: bool = True,
    limits: Limits | None = None,
) -> LinearRisk:
    """The linear function of least penalised risk on the rows of X; y holds -1 and +1 for a margin loss."""
    if penalty not in PENALTIES:
        raise bad("linear_risk", "penalty", f"one of {PENALTIES}, which grow with |w|", repr(penalty), "Use 'l2'.")
    if not 0.0 < C < np.inf:
        raise bad("linear_risk", "C", "a positive number", C, "A large C fits closely.")
    X, y, limits = np.asarray(X, dtype=float), np.asarray(y, dtype=float), limits or Limits(tol=1e-6)
    if penalty == "l2":
        return _l2(X, y, loss, C, bias, limits)
    if penalty == "l0":
        return _greedy(X, y, loss, C, bias, limits, _count(n_nonzero, X))
    if isinstance(loss, StraightLoss):
        return _linear_program(X, y, loss, C, bias, limits)
    if not (isinstance(loss, SmoothLoss) and hasattr(loss, "conjugate")):
        raise bad("linear_risk", "loss", "one with a conjugate for penalty='l1'", repr(loss),
                  "Use a loss of mercer.solvers.losses, or penalty='l2'.")  # fmt: skip
    return _proximal(X, Scored(loss, y, np.full(len(y), C)), bias, limits)


def _count(n_nonzero: int | None, X: Array) -> int:
    if n_nonzero is None or not 1 <= n_nonzero <= X.shape[1]:
        raise bad("linear_risk", "n_nonzero", f"between 1 and the number of columns ({X.shape[1]}) for penalty='l0'",
                  n_nonzero, "It is how many weights may differ from zero.")  # fmt: skip
    return n_nonzero


def _l2(X: Array, y: Array, loss: AnyLoss, C: float, bias: bool, limits: Limits) -> LinearRisk:
    wide = X.shape[1] > len(X)
    gram: Any = StoredGram.of(X @ X.T) if wide else FeatureGram(X)
    found = minimise_risk(gram, loss, y, np.full(len(y), C), bias=bias, limits=limits)
    return LinearRisk(
        w=X.T @ found.coef[:, 0], bias=float(found.bias[0]), primal=found.primal, dual=found.dual,
        n_iter=found.n_iter, converged=found.converged, reason=found.reason,
    )  # fmt: skip


def _greedy(X: Array, y: Array, loss: AnyLoss, C: float, bias: bool, limits: Limits, count: int) -> LinearRisk:
    """Forward selection: slopes beyond the columns chosen so far say which comes next."""
    size = np.linalg.norm(X, axis=0)
    chosen: list[int] = []
    w, r, steps = np.zeros(X.shape[1]), 0.0, 0
    while len(chosen) < count:
        slopes = np.abs(X.T @ _slopes(loss, y, X @ w + r)) / np.where(size > 0.0, size, np.inf)
        slopes[chosen] = -1.0
        chosen.append(int(np.argmax(slopes)))
        part = _l2(X[:, chosen], y, loss, C, bias, limits)
        w[chosen], r, steps = part.w, part.bias, steps + part.n_iter
    reason = "greedy" if part.converged else part.reason
    return LinearRisk(
        w=w, bias=r, primal=part.primal, dual=-np.inf, n_iter=steps, converged=part.converged, reason=reason
    )


def _slopes(loss: AnyLoss, y: Array, f: Array) -> Array:
    """d loss / d f; at a kink, the middle."""
    if not isinstance(loss, StraightLoss):
        return target_of(loss, y, np.ones(len(y))).slopes(f[:, None])[:, 0]
    low, high = loss.subgradient(y * f if loss.margin else y - f)
    return np.asarray(0.5 * (low + high) * (y if loss.margin else -1.0))


# ---- l1


def _proximal(X: Array, target: Scored, bias: bool, limits: Limits) -> LinearRisk:
    """Accelerated proximal gradients with restarts; the offset is the best for its w at every step."""
    w = v = np.zeros(X.shape[1])
    r, momentum, step, steps = np.zeros(1), 1.0, 1.0, 0
    most = _STEPS if limits.max_iter is None else limits.max_iter
    while True:
        r = _offset(target, X @ w, r, bias)
        primal, dual = _bounds(X, target, w, r)
        done = primal - dual <= limits.tol * abs(primal)
        reason = "converged" if done else "max_iter" if steps >= most else limits.reached(-1)
        if reason:
            return LinearRisk(
                w=w, bias=float(r[0]), primal=primal, dual=dual, n_iter=steps, converged=done, reason=reason
            )
        new, step = _shrunk(X, target, v, r, bias, step)
        if float((v - new) @ (new - w)) > 0.0:  # the momentum leads uphill
            momentum = 1.0
        after = 0.5 * (1.0 + (1.0 + 4.0 * momentum**2) ** 0.5)
        w, v, momentum, steps = new, new + (momentum - 1.0) / after * (new - w), after, steps + 1


def _offset(target: Target, h: Array, r: Array, bias: bool) -> Array:
    return balanced(target, h[:, None], r) if bias else r


def _shrunk(X: Array, target: Scored, v: Array, r: Array, bias: bool, step: float) -> tuple[Array, float]:
    """(w, step): one proximal gradient step from v, of a length at which the loss lies under its parabola."""
    r = _offset(target, X @ v, r, bias)
    F = (X @ v + r)[:, None]
    value, g = target.value(F), X.T @ target.slopes(F)[:, 0]
    step *= 1.5
    while True:
        w = v - step * g
        w = np.sign(w) * np.maximum(np.abs(w) - step, 0.0)
        d = w - v
        new = target.value((X @ w + r)[:, None])
        if new <= value + float(g @ d) + float(d @ d) / (2.0 * step) + 1e-14 * abs(value) or step < 1e-300:
            return w, step
        step *= 0.5


def _bounds(X: Array, target: Scored, w: Array, r: Array) -> tuple[float, float]:
    """Primal value, and the dual value at the slopes, scaled down until |X' slopes| <= 1."""
    F = (X @ w + r)[:, None]
    loss: Any = target.loss
    G = target.slopes(F)[:, 0]
    scale = 1.0 / max(1.0, float(np.abs(X.T @ G).max(initial=0.0)))
    u = scale * G * target.sign / target.c
    offset = 0.0 if loss.margin else target.y
    dual = -float(target.c @ (loss.conjugate(u) - u * offset))
    return float(np.abs(w).sum()) + target.value(F), dual


def _pieces(loss: StraightLoss) -> list[tuple[float, float]]:
    """The lines (slope, height at 0) other than 0 of which the loss is the largest."""
    if isinstance(loss, Hinge):
        return [(-1.0, 1.0)]
    if isinstance(loss, EpsilonInsensitive):
        return [(1.0, -loss.epsilon), (-1.0, -loss.epsilon)]
    assert isinstance(loss, Pinball)
    return [(loss.tau, 0.0), (loss.tau - 1.0, 0.0)]


def _linear_program(X: Array, y: Array, loss: StraightLoss, C: float, bias: bool, limits: Limits) -> LinearRisk:
    """w = p - q with p, q >= 0, and a slack per item above every line of its loss."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, identity, vstack

    n, d = X.shape
    sign, offset = (y, np.zeros(n)) if loss.margin else (-np.ones(n), y)
    Z = csr_array(sign[:, None] * np.column_stack([X, -X, np.ones(n)]))
    lines = _pieces(loss)
    A = vstack([hstack([a * Z, -identity(n)]) for a, _ in lines])
    top = np.concatenate([-a * offset - height for a, height in lines])
    cost = np.concatenate([np.ones(2 * d), [0.0], np.full(n, C)])
    free = (None, None) if bias else (0.0, 0.0)
    options = {} if limits.left is None else {"time_limit": max(limits.left, 0.0)}
    found = linprog(cost, A_ub=A, b_ub=top, bounds=[(0, None)] * (2 * d) + [free] + [(0, None)] * n, options=options)
    if found.x is None:
        return LinearRisk(w=np.zeros(d), bias=0.0, primal=np.inf, dual=-np.inf, n_iter=0, converged=False,
                          reason="time_limit")  # fmt: skip
    return LinearRisk(
        w=found.x[:d] - found.x[d : 2 * d], bias=float(found.x[2 * d]), primal=float(found.fun),
        dual=float(found.ineqlin.marginals @ top), n_iter=int(found.nit), converged=found.status == 0,
        reason="converged" if found.status == 0 else "stalled",
    )  # fmt: skip
