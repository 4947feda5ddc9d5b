"""Small convex QPs with a box and one equality, solved exactly: the inner step of the regularisation path.

    minimise  1/2 x'Qx + p'x   subject to  y'x = const,  lo <= x <= hi,    y_i = +-1

The primal active-set method.  Some coordinates are free, the others fixed on a bound.  The bordered linear system of
the free ones gives the best point of their face; the step towards it stops at the first bound, where that coordinate is
fixed.  At the best point of a face, the coordinate that gains most by leaving its bound is freed.  The objective falls
from each such point to the next, so no face is visited twice.  A coordinate is freed only if that lowers the objective
to first order, which keeps the bordered system regular even if Q is singular.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mercer.typing import Array


class BoxOptimum(NamedTuple):
    """The optimum x, the multiplier of y'x = const (nan if no coordinate is free), which coordinates are free.

    `noise` is the rounding error of the slopes of the objective: smaller slopes count as zero.
    """

    x: Array
    multiplier: float
    free: Array
    noise: float


def box_qp(Q: Array, p: Array, y: Array, lo: Array, hi: Array, x: Array, free: Array) -> BoxOptimum:
    """The optimum over y'x = y'x_start, lo <= x <= hi, from a feasible start x and its free coordinates."""
    x, free = x.copy(), free.copy()
    noise = 0.0
    for _ in range(50 * len(x) + 50):  # usually a few; the bound prevents cycling by rounding
        x, multiplier, whole = _towards_best(Q, p, y, lo, hi, x, free)
        if whole:
            slope = Q @ x + p
            noise = _noise(Q, p, x) + 2.0 * float(np.abs(slope + multiplier * y)[free].max(initial=0.0))
            if not _release(-y * slope, y, lo, hi, x, free, multiplier, noise):
                break
    return BoxOptimum(x, multiplier, free, noise)


def bordered(Q: Array, y: Array, right: Array, total: float) -> tuple[Array, float]:
    """x and mu with Qx + mu y = right, y'x = total; of least norm when that is singular."""
    m = len(y)
    M = np.empty((m + 1, m + 1))
    M[:m, :m] = Q
    M[m, :m] = M[:m, m] = y
    M[m, m] = 0.0
    right = np.append(right, total)
    try:
        found = np.linalg.solve(M, right)
    except np.linalg.LinAlgError:
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
        x[F] = np.clip(best, lo[F], hi[F])
        return x, multiplier, True
    x[F] += max(room[first], 0.0) * step
    i = F[first]
    x[i] = hi[i] if step[first] > 0.0 else lo[i]
    free[i] = False
    return x, multiplier, False


def _release(
    gain: Array, y: Array, lo: Array, hi: Array, x: Array, free: Array, multiplier: float, noise: float
) -> bool:
    """Free the coordinate that gains most by moving (writes `free`); a pair if none is free; False if nothing gains.

    gain_i is what raising y_i x_i by 1 gains; keeping y'x = const then costs the multiplier.
    """
    rises, falls = np.where(y > 0.0, x < hi, x > lo), np.where(y > 0.0, x > lo, x < hi)
    up, down = np.where(rises, gain, -np.inf), np.where(falls, gain, np.inf)
    i, j = int(np.argmax(up)), int(np.argmin(down))
    if np.isnan(multiplier):
        chosen, won = [i, j], up[i] - down[j]
    elif up[i] - multiplier >= multiplier - down[j]:
        chosen, won = [i], up[i] - multiplier
    else:
        chosen, won = [j], multiplier - down[j]
    free[chosen] |= won > noise
    return bool(won > noise)


def _noise(Q: Array, p: Array, x: Array) -> float:
    """The rounding error of Qx + p."""
    return 1e-13 * float(np.abs(p).max() + np.abs(Q).max() * np.abs(x).sum())
