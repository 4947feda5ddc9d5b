"""Likelihood cross-validation: the bandwidth that explains each row best from all others.

    maximise   sum_i w_i log f_-i(x_i),      f_-i(x) = sum_{j != i} w_j phi_h(x - x_j) / (1 - w_i)

with one multiple h of the deviations of all columns, and a Gaussian window phi.  Its slope in log h is
sum_i w_i (mean_i / h^2 - D), where mean_i is the mean of |x_i - x_j|^2 under the terms of f_-i.
"""

from __future__ import annotations

import numpy as np

from mercer.solvers.bandwidth.distinct import MOST, DistinctRows
from mercer.solvers.bandwidth.ladder import best_bandwidth, rate
from mercer.solvers.bandwidth.pair_sums import log_sums
from mercer.solvers.bandwidth.sample import Sample
from mercer.typing import Array


def lcv(sample: Sample) -> Array:
    """One bandwidth per column, in units of the sample."""
    rows = DistinctRows.of(sample, MOST)
    D, w = len(rows.columns), rows.weight

    def losses(c: Array) -> Array:
        return np.asarray(-log_sums(rows.columns, w, c).logs @ w - 0.5 * D * np.log(c))

    def slope(u: float) -> float:
        found = log_sums(rows.columns, w, np.array([rate(u)]), means=True)
        return float(D - 2.0 * rate(u) * (found.means[0] @ w))

    return rows.sigma * (best_bandwidth(losses, slope) * rows.shrink)
