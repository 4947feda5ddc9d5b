"""Sequential minimal optimisation as in textbooks: the readable counterpart of the fast solver in dual/.

    maximise  sum_i a_i - 1/2 sum_ij a_i a_j y_i y_j K_ij   subject to  0 <= a_i <= C_i,  sum_i a_i y_i = 0

Two variables change at a time, so that sum_i a_i y_i stays 0.  The first is the one that violates the optimality
conditions most, the second the one with the largest |E_i - E_j|, E = f - y.  Every step raises the dual; both
objectives are recorded after each.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mercer.solvers.solution import Solution
from mercer.typing import Array


@dataclass(frozen=True, kw_only=True)
class SMOSolution(Solution):
    """alpha, the bias of f = sum a_i y_i k(x_i, .) + bias, and (primal, dual) after every step."""

    alpha: Array
    bias: float
    trace: list[tuple[float, float]] = field(repr=False)


def smo(K: Array, y: Array, C: Array | float, *, tol: float = 1e-6, max_iter: int = 100_000) -> SMOSolution:
    """Solve the binary C-SVC dual on a stored Gram; y holds -1 and +1, C may be infinite (hard margin)."""
    C = np.broadcast_to(np.asarray(C, dtype=float), y.shape)
    alpha, F = np.zeros(len(y)), -y.astype(float)  # F_i = sum_j a_j y_j K_ij - y_i, that is E_i without the bias
    trace = []
    for step in range(max_iter + 1):
        i, j, violation = _pair(alpha, F, y, C)
        trace.append(objectives(alpha, F, y, C))
        if violation <= tol or step == max_iter:
            break
        _move(K, alpha, F, y, C, i, j)
    primal, dual = trace[-1]
    done = bool(violation <= tol)
    return SMOSolution(
        alpha=alpha, bias=bias_of(alpha, F, y, C), trace=trace, primal=primal, dual=dual,
        n_iter=step, converged=done, reason="converged" if done else "max_iter",
    )  # fmt: skip


def _can_rise_and_fall(alpha: Array, y: Array, C: Array) -> tuple[Array, Array]:
    """Where y_i a_i may still rise, and where it may still fall."""
    below, above = alpha < C, alpha > 0.0
    return np.where(y > 0, below, above), np.where(y > 0, above, below)


def _pair(alpha: Array, F: Array, y: Array, C: Array) -> tuple[int, int, float]:
    """The maximal violating pair: i may rise and has the smallest F, j may fall and has the largest."""
    rise, fall = _can_rise_and_fall(alpha, y, C)
    if not rise.any() or not fall.any():
        return 0, 0, 0.0
    i = int(np.argmin(np.where(rise, F, np.inf)))
    j = int(np.argmax(np.where(fall, F, -np.inf)))
    return i, j, float(F[j] - F[i])


def _move(K: Array, alpha: Array, F: Array, y: Array, C: Array, i: int, j: int) -> None:
    """The best step of y_i a_i up and y_j a_j down by the same amount, clipped to the box."""
    room_i = C[i] - alpha[i] if y[i] > 0 else alpha[i]
    room_j = alpha[j] if y[j] > 0 else C[j] - alpha[j]
    eta = K[i, i] + K[j, j] - 2.0 * K[i, j]
    slope = F[j] - F[i]
    step = min(
        slope / eta if eta > 1e-12 else np.inf, room_i, room_j
    )  # without curvature the best step ends at a bound
    if np.isinf(step):
        raise ValueError("smo: the dual is unbounded, so the classes cannot be separated. Use a finite C.")
    alpha[i] += y[i] * step
    alpha[j] -= y[j] * step
    F += step * (K[i] - K[j])


def bias_of(alpha: Array, F: Array, y: Array, C: Array) -> float:
    """The mean of -F over free support vectors, else the middle of the interval the conditions allow."""
    free = (alpha > 0.0) & (alpha < C)
    if free.any():
        return float(-F[free].mean())
    rise, fall = _can_rise_and_fall(alpha, y, C)
    ends = [float(F[rise].min())] if rise.any() else []
    ends += [float(F[fall].max())] if fall.any() else []
    return -float(np.mean(ends)) if ends else 0.0


def objectives(alpha: Array, F: Array, y: Array, C: Array) -> tuple[float, float]:
    """(primal, dual) at alpha, with the bias of `bias_of`."""
    b = alpha * y
    norm2 = float(b @ (F + y))
    hinge = np.maximum(0.0, 1.0 - y * (F + y + bias_of(alpha, F, y, C)))
    violated = hinge > 0.0
    loss = float((C[violated] * hinge[violated]).sum()) if violated.any() else 0.0
    return 0.5 * norm2 + loss, float(alpha.sum()) - 0.5 * norm2
