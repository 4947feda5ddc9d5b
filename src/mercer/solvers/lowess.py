"""Lowess: local lines through the nearest points, in passes that give outlying points less weight.

The value at t is a of the line that solves

    min over a, b of  sum_j v_j (1 - |x_j - t|^3 / r^3)^3 (y_j - a - b (x_j - t))^2

over the `count` points nearest to t, where r is the distance of the farthest of them.  In the first pass v = 1.  After
it, and after each further pass, v_j = (1 - (e_j / 6m)^2)^2 for residuals below 6m and 0 beyond, with m the median of
|e|.

With delta > 0, lines are fitted at points about delta apart, and the values of points between are interpolated.
(Cleveland, J. Am. Stat. Assoc. 74, 1979, 829-836.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.config import config
from mercer.engine.pool import run
from mercer.engine.tiles import cuts
from mercer.native import lowess as native
from mercer.typing import Array

_WORK = 2_000_000  # points times neighbours of one task: about a millisecond


@dataclass(frozen=True, eq=False)
class Scatter:
    """Points in ascending order of x, and how many of them a line is fitted to."""

    x: Array
    y: Array
    count: int


def neighbours(n: int, frac: float) -> int:
    """How many of n points a share of them is: rounded down, and 2 at least."""
    return min(n, max(2, int(frac * n + 1e-10)))


def smooth(points: Scatter, passes: int, delta: float) -> tuple[Array, Array]:
    """(values at all points after so many further passes, the weights that these leave)."""
    places = np.empty(len(points.x), dtype=np.intp)
    places = places[: native.line_places(points.x, delta, places)]
    at, own = (points.x, points.y) if len(places) == len(points.x) else (points.x[places], points.y[places])
    fitted, v = np.empty(len(points.x)), np.ones(len(points.x))
    for step in range(passes + 1):
        values, _ = lines(points, v, at, own)
        if at is points.x:
            fitted = values
        else:
            native.between_places(points.x, places, values, fitted)
        if step < passes:
            v = robust_weights(points.y - fitted)
    return fitted, v


def lines(points: Scatter, weight: Array, at: Array, otherwise: Array) -> tuple[Array, int]:
    """(the local line at each of the ascending numbers `at`, at how many there is none).

    There it has the value of `otherwise`: fewer than two of the nearest points have a weight.
    """
    values, missing = otherwise.copy(), []

    def part(piece: slice) -> None:
        found = native.local_lines(points.x, points.y, weight, points.count, at[piece], values[piece])
        missing.append(found)

    run(part, _pieces(len(at), points.count))
    return values, sum(missing)


def _pieces(m: int, count: int) -> list[slice]:
    """Slices of the targets, one if there is little to do."""
    tasks = min(8 * config().threads, max(1, m * count // _WORK))
    return list(cuts(m, max(1, -(-m // tasks))))


def robust_weights(residual: Array) -> Array:
    """(1 - (e / 6m)^2)^2, and 0 beyond 6m, with m the median of |e|; if that is 0, points off their value have none."""
    size = np.abs(residual)
    median = float(np.median(size))
    if median == 0.0:
        return np.asarray(size == 0.0, dtype=np.float64)
    size /= 6.0 * median
    np.minimum(size, 1.0, out=size)
    np.square(size, out=size)
    np.subtract(1.0, size, out=size)
    return np.square(size, out=size)
