"""Class probabilities: softmax of a multiple of the values, the multiple of least log loss on left-out values."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from mercer.typing import Array

_STEEPEST = 60.0  # of values near 0 and 1: beyond this, probabilities are 0 or 1 to rounding


def steepness(values: Array, codes: Array) -> float:
    """The s in (0, 60] with the least mean of -log softmax(s * values) at the class of each item."""
    items = np.arange(len(codes))

    def loss(log_s: float) -> float:
        return -float(log_softmax(np.exp(log_s) * values, axis=1)[items, codes].mean())

    return float(np.exp(minimize_scalar(loss, bounds=(-6.0, np.log(_STEEPEST)), method="bounded").x))
