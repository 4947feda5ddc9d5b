"""Kernelised gradient descent: least squares in a feature space, by coefficients of the items.

    theta <- theta + alpha sum_i (y_i - theta'phi(x_i)) phi(x_i)       is       beta <- beta + alpha (y - K beta)

From theta = 0 every iterate lies in the span of the features, theta = sum_i beta_i phi(x_i), so n numbers hold it
whatever the number of features.  After T steps

    beta_T = V diag((1 - (1 - alpha lambda)^T) / lambda) V'y,      K = V diag(lambda) V'

so that few steps act like a ridge and many approach K^+ y.  A step alpha >= 2 / lambda_max diverges and is refused;
lambda_max comes from a Lanczos run.  "sequential" updates in place: each beta_i uses the new values of those
before it, which is Gauss-Seidel with relaxation and needs alpha < 2 / max_i k(x_i, x_i).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.engine.interrupts import until_interrupted
from mercer.errors import bad
from mercer.linalg.lanczos import lanczos
from mercer.solvers.solution import Solution
from mercer.typing import Array

UPDATES = ("batch", "sequential")


@dataclass(frozen=True, kw_only=True, eq=False)
class Descent(Solution):
    """beta (n, outputs), the step alpha, and |gradient| in the RKHS relative to that at zero.

    The primal is half the squared error; zero, the dual, bounds it from below.
    """

    beta: Array
    alpha: float
    gradient: float

    def __str__(self) -> str:
        return (
            f"{self.n_iter} steps of {self.alpha:.4g} ({self.reason}): half the squared error is {self.primal:.8g}, "
            f"and the gradient is {self.gradient:.1e} of that at the start."
        )


@dataclass(eq=False)
class Watch:
    """Early stopping: the squared error of K beta against Y, K = k(held-out items, items), after every step.

    `tired` when the error has not fallen for `patience` steps; `beta` and `step` are those of the least error so far.
    """

    K: Array
    Y: Array
    patience: int
    error: float = np.inf
    beta: Array | None = None
    step: int = 0

    def tired(self, step: int, beta: Array) -> bool:
        error = float(np.sum((self.Y - self.K @ beta) ** 2))
        if error < self.error:
            self.error, self.beta, self.step = error, beta.copy(), step
        return step - self.step >= self.patience


def largest_eigenvalue(K: Any) -> float:
    """lambda_max of a PSD matrix or lazy Gram, from products alone."""
    n = K.shape[0]
    return max(-lanczos(lambda v: -(K @ v), n, np.dtype(float), tol=1e-10, seed=0).smallest, 0.0)


def step_limit(K: Any, diagonal: Array, update: str) -> float:
    """Smaller steps converge: 2 / lambda_max, or for sequential updates 2 / max_i K_ii."""
    size = largest_eigenvalue(K) if update == "batch" else float(diagonal.max(initial=0.0))
    return 2.0 / size if size > 0.0 else np.inf


def chosen_step(K: Any, diagonal: Array, update: str, alpha: float | None) -> float:
    """alpha if it converges, half the limit if it is None."""
    limit = step_limit(K, diagonal, update)
    if alpha is None:
        return 0.5 * limit if np.isfinite(limit) else 1.0
    if not 0.0 < alpha < limit:
        rule = "2 / lambda_max" if update == "batch" else "2 / max k(x, x)"
        raise bad("gradient descent", "the step", f"positive and below {rule} = {limit:.6g}", alpha,
                  "Leave it out for half of that.")  # fmt: skip
    return alpha


def descend(
    K: Any,
    Y: Array,
    *,
    alpha: float,
    max_iter: int,
    update: str = "batch",
    tol: float = 0.0,
    watch: Watch | None = None,
) -> Descent:
    """`max_iter` steps from beta = 0, fewer if the gradient falls to `tol` of the first one or `watch` says so.

    K is anything with K @ v for "batch", an array for "sequential"; a sequential step is one pass over all items.
    """
    advance = _batch(K, alpha) if update == "batch" else _sequential(K, Y, alpha)
    beta, r, g = np.zeros(Y.shape), Y, K @ Y
    first, reason, step = _norm(r, g), "max_iter", 0
    with until_interrupted() as work:
        while step < max_iter and reason == "max_iter" and not work.came():
            step += 1
            r, g = advance(beta, r, g)
            if watch is not None and watch.tired(step, beta):
                reason = "early stopping"
            elif tol > 0.0 and _norm(r, g) <= tol * first:
                reason = "converged"
    reason = "interrupted" if work.came() else reason
    if watch is not None and watch.beta is not None:
        beta, step = watch.beta, watch.step
    r = Y - K @ beta
    return Descent(
        beta=beta, alpha=alpha, gradient=_norm(r, K @ r) / (first or 1.0), primal=0.5 * float(np.sum(r * r)), dual=0.0,
        n_iter=step, converged=reason in ("converged", "early stopping"), reason=reason,
    )  # fmt: skip


Advance = Callable[[Array, Array, Array], tuple[Array, Array]]


def _batch(K: Any, alpha: float) -> Advance:
    """One step: beta moves along the residual r; its product g = K r is known from the step before."""

    def advance(beta: Array, r: Array, g: Array) -> tuple[Array, Array]:
        beta += alpha * r
        r = r - alpha * g
        return r, K @ r

    return advance


def _sequential(K: Array, Y: Array, alpha: float) -> Advance:
    """One pass in place."""

    def advance(beta: Array, r: Array, g: Array) -> tuple[Array, Array]:
        for i in range(len(Y)):
            beta[i] += alpha * (Y[i] - K[i] @ beta)
        r = Y - K @ beta
        return r, K @ r

    return advance


def _norm(r: Array, g: Array) -> float:
    """sqrt(r'K r), the norm of the gradient in the RKHS."""
    return float(np.sqrt(max(np.sum(r * g), 0.0)))
