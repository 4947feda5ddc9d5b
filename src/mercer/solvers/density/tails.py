"""Sums at queries far from most points, without a tree: in one column, only points near these queries count.

Queries that lie together are a group; the points within so many bandwidths of a group are found by comparing numbers
once.  All other points together count less than exp(-reach^2 / 2), which is compared with what was found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mercer.solvers.density.exact import exact_log_sums
from mercer.typing import Array

if TYPE_CHECKING:
    from mercer.solvers.density.mixture import Mixture

_REACH = 18.0  # bandwidths
_GROUPS = 4  # each costs a pass over all points
_PAIRS = 2**22


def nearby_log_sums(mixture: Mixture, Q: Array, rtol: float) -> Array | None:
    """Log sums of Gaussian windows at a column of queries, or None if too many points are near some of them."""
    q, h = Q[:, 0], float(mixture.scale[0])
    order = np.argsort(q)
    cuts = np.flatnonzero(np.diff(q[order]) > 2.0 * _REACH * h) + 1
    groups = np.split(order, cuts)
    if len(groups) > _GROUPS:
        return None
    logs = np.empty(len(q))
    for group in groups:
        near = _near(mixture, float(q[group].min()) - _REACH * h, float(q[group].max()) + _REACH * h)
        if not 0 < len(near) <= _PAIRS // len(group):
            return None
        logs[group] = exact_log_sums(mixture.subset(near), Q[group] / mixture.scale)
    return logs if logs.min() + np.log(rtol) > -0.5 * _REACH**2 else None


def _near(mixture: Mixture, low: float, high: float) -> Array:
    """The points between two numbers."""
    x, (least, most) = mixture.rows[:, 0], (float(side[0]) for side in mixture.box)
    if low <= least:
        return np.flatnonzero(x <= high)
    if high >= most:
        return np.flatnonzero(x >= low)
    return np.flatnonzero((x >= low) & (x <= high))
