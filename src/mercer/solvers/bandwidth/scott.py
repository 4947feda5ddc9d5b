"""Scott's rule: h_j = n^(-1/(D + 4)) times the standard deviation of column j."""

from __future__ import annotations

import numpy as np

from mercer.solvers.bandwidth.sample import Sample
from mercer.solvers.bandwidth.scale import deviation
from mercer.typing import Array


def scott(sample: Sample) -> Array:
    """One bandwidth per column, in units of the sample."""
    D = len(sample.columns)
    sigma = np.array([deviation(x, sample.weight, sample.size) for x in sample.columns])
    return np.asarray(sigma * sample.size ** (-1.0 / (D + 4.0)))
