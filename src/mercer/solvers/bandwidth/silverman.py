"""Silverman's rule: h_j = (4 / ((D + 2) n))^(1/(D + 4)) times the standard deviation of column j.

It minimises the asymptotic mean integrated squared error if the data are normal.
"""

from __future__ import annotations

import numpy as np

from mercer.solvers.bandwidth.sample import Sample
from mercer.solvers.bandwidth.scale import deviation
from mercer.typing import Array


def silverman(sample: Sample) -> Array:
    """One bandwidth per column, in units of the sample."""
    sigma = np.array([deviation(x, sample.weight, sample.size) for x in sample.columns])
    return sigma * normal_factor(len(sample.columns), sample.size)


def normal_factor(D: int, size: float) -> float:
    """(4 / ((D + 2) n))^(1/(D + 4)): the best bandwidth for a standard normal density; 1.0592 n^(-1/5) for D = 1."""
    return float((4.0 / ((D + 2.0) * size)) ** (1.0 / (D + 4.0)))
