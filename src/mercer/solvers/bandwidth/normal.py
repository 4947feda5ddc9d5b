"""The normal reference with a robust scale: Silverman's factor times 1.4826 median|x - median(x)|.

The median absolute deviation estimates the standard deviation of normal data, and stays bounded while fewer than half
of the values are wild.
"""

from __future__ import annotations

import numpy as np

from mercer.solvers.bandwidth.sample import Sample
from mercer.solvers.bandwidth.scale import robust_deviation
from mercer.solvers.bandwidth.silverman import normal_factor
from mercer.typing import Array


def normal(sample: Sample) -> Array:
    """One bandwidth per column, in units of the sample."""
    sigma = np.array([robust_deviation(x, sample.weight, sample.size) for x in sample.columns])
    return sigma * normal_factor(len(sample.columns), sample.size)
