"""Scott's rule: h_j = n^(-1/(D + 4)) times the standard deviation of column j."""

from __future__ import annotations

import numpy as np

from mercer.solvers.bandwidth.sample import Sample
from mercer.solvers.bandwidth.scale import deviation
from mercer.typing import Array


def scott(sample: Sample) -> Array:
    """One bandwidth per column, in units of the sample."""
    sigma = np.array([deviation(x, sample.weight, sample.size) for x in sample.columns])
    return sigma * scott_factor(len(sample.columns), sample.size)


def scott_factor(D: int, size: float) -> float:
    """n^(-1/(D + 4))."""
    return float(size ** (-1.0 / (D + 4.0)))
