"""Small convex QPs with a box and one equality, solved exactly: the inner step of the regularisation path.

    minimise  1/2 x'Qx + p'x   subject to  y'x = const,  lo <= x <= hi,    y_i = +-1

The primal active-set method.  A set of coordinates is free; the bordered linear system of the free ones gives the best
point on their face, the line towards it stops at the first bound met (that coordinate is fixed), and at the best
point of a face the coordinate that gains most by leaving its bound is freed.  Every face is entered with lower objective
than the one before, so there are finitely many.  A coordinate is freed only when that lowers the objective to first
order, which keeps the bordered system regular although Q may be singular.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mercer.typing import Array


class BoxOptimum(NamedTuple):
    """The optimum x, the multiplier of y'x = const (nan if no coordinate is free), and which coordinates are free."""

    x: Array
    multiplier: float
    free: Array


def box_qp(Q: Array, p: Array, y: Array, lo: Array, hi: Array, x: Array, free: Array) -> BoxOptimum:
    """The optimum over y'x = y'x_start, lo <= x <= hi, from a feasible start x and a guess of its free coordinates."""
    x, free = x.copy(), free.copy()
    for _ in range(50 * len(x) + 50):  # a guard against rounding: a handful of rounds is usual
        x, multiplier, whole = _towards_best(Q, p, y, lo, hi, x, free)
        if whole and not _release(Q @ x + p, y, lo, hi, x, free, multiplier, rounding(Q, p, x)):
            break
    return BoxOptimum(x, multiplier, free)


def bordered(Q: Array, y: Array, right: Array, total: float) -> tuple[Array, float]:
    """x and mu with Qx + mu y = right, y'x = total; of least norm when that is singular."""
    m = len(y)
    M = np.empty((m + 1, m + 1))
    M[:m, :m], M[m, :m], M[:m, m], M[m, m] = Q, y, y, 0.0
    right = np.append(right, total)
    try:
        found = np.linalg.solve(M, right)
        trusted = np.abs(M @ found - right).max() <= 1e-9 * np.abs(right).max()
    except np.linalg.LinAlgError:
        trusted = False
    if not trusted:
        found = np.linalg.lstsq(M, right, rcond=1e-13)[0]
    return found[:m], float(found[m])


def _towards_best(
    Q: Array, p: Array, y: Array, lo: Array, hi: Array, x: Array, free: Array
) -> tuple[Array, float, bool]:
    """Step to the best point of the face of `free`, or to the first bound on the way, which leaves `free` (written).

    Returns the new x, the multiplier, and whether the whole step was made.
    """
    F = np.flatnonzero(free)
    if not len(F):
        return x, float("nan"), True
    fixed = np.where(free, 0.0, x)
    best, multiplier = bordered(Q[np.ix_(F, F)], y[F], -(p + Q @ fixed)[F], float(y[F] @ x[F]))
    step = best - x[F]
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(step > 0.0, (hi[F] - x[F]) / step, np.where(step < 0.0, (lo[F] - x[F]) / step, np.inf))
    x, first = x.copy(), int(np.argmin(room))
    if room[first] >= 1.0:
        x[F] = best
        return x, multiplier, True
    x[F] += max(room[first], 0.0) * step
    i = F[first]
    x[i] = hi[i] if step[first] > 0.0 else lo[i]
    free[i] = False
    return x, multiplier, False


def _release(
    slope: Array, y: Array, lo: Array, hi: Array, x: Array, free: Array, multiplier: float, noise: float
) -> bool:
    """Free what gains most (writes `free`): one coordinate, or a pair when none is free to pay for it."""
    rises, falls = np.where(y > 0, x < hi, x > lo), np.where(y > 0, x > lo, x < hi)
    gain = -y * slope  # of moving y_i x_i upwards, to be paid for at the price `multiplier`
    up, down = np.where(rises, gain, -np.inf), np.where(falls, gain, np.inf)
    i, j = int(np.argmax(up)), int(np.argmin(down))
    if np.isnan(multiplier):
        violated = up[i] - down[j] > noise
        free[[i, j]] |= violated
        return bool(violated)
    best = i if up[i] - multiplier >= multiplier - down[j] else j
    violated = max(up[i] - multiplier, multiplier - down[j]) > noise and not free[best]
    free[best] |= violated
    return bool(violated)


def rounding(Q: Array, p: Array, x: Array) -> float:
    """The rounding error of Qx + p."""
    return 1e-12 * float(np.abs(p).max(initial=0.0) + np.abs(Q).max(initial=0.0) * np.abs(x).sum())
