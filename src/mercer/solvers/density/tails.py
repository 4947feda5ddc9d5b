"""Sums at queries far from most points, without a tree: in one column, only points near these queries count.

Queries that lie together are a group; the points within so many bandwidths of a group are found by comparing numbers
once.  All other points together count less than exp(-reach^2 / 2), which is compared with what was found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mercer.engine.pool import run
from mercer.solvers.density.exact import exact_log_sums
from mercer.solvers.density.grid import parts_for_threads
from mercer.typing import Array

if TYPE_CHECKING:
    from mercer.solvers.density.mixture import Mixture

_FARTHEST = 18.0  # bandwidths
_SLACK = 8.0  # points that are missing near the edge of a group, as a part of the exponent
_GROUPS = 4  # each costs a pass over all points
_PAIRS = 2**22


def nearby_log_sums(mixture: Mixture, Q: Array, rtol: float) -> Array | None:
    """Log sums of Gaussian windows at a column of queries, or None if too many points are near some of them."""
    q, h = Q[:, 0], float(mixture.scale[0])
    order = np.argsort(q)
    groups = np.split(order, np.flatnonzero(np.diff(q[order]) > 2.0 * _FARTHEST * h) + 1)
    if len(groups) > _GROUPS:
        return None
    logs = np.empty(len(q))
    for group in groups:
        found = _of_group(mixture, Q[group], rtol)
        if found is None:
            return None
        logs[group] = found
    return logs


def _of_group(mixture: Mixture, Q: Array, rtol: float) -> Array | None:
    """The sums of one group, with the least reach that is enough."""
    h, low, high = float(mixture.scale[0]), float(Q.min()), float(Q.max())
    least, most = (float(side[0]) for side in mixture.box)
    outside = max(least - low, high - most, 0.0) / h
    likely = float(np.sqrt(outside**2 + 2.0 * np.log(len(mixture) / rtol) + _SLACK))
    for reach in (min(likely, _FARTHEST), _FARTHEST):
        near = _near(mixture, low - reach * h, high + reach * h)
        if not 0 < len(near) <= _PAIRS // len(Q):
            return None
        logs = exact_log_sums(mixture.subset(near), Q / mixture.scale)
        if logs.min() + np.log(rtol) > -0.5 * reach**2:
            return logs
    return None


def _near(mixture: Mixture, low: float, high: float) -> Array:
    """The points between two numbers."""
    x, (least, most) = mixture.rows[:, 0], (float(side[0]) for side in mixture.box)
    parts = parts_for_threads(len(x))
    found: list[Array] = [np.empty(0, dtype=np.intp)] * len(parts)

    def some(k: int) -> None:
        part = x[parts[k]]
        inside = part <= high if high < most else np.full(len(part), True)
        if low > least:
            inside &= part >= low
        found[k] = np.flatnonzero(inside) + parts[k].start

    run(some, range(len(parts)))
    return np.concatenate(found)
