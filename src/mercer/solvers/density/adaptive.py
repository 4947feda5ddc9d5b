"""Windows that are wider where points are rare (Abramson, Annals of Statistics 10, 1982)."""

from __future__ import annotations

import numpy as np

from mercer.typing import Array


def abramson(log_pilot: Array, weight: Array, power: float = 0.5) -> Array:
    """factor_i = (p(x_i) / g)^-power, where g is the weighted geometric mean of the pilot density p at the points.

    `log_pilot` holds log p(x_i), which is finite: every point counts in its own density.
    """
    level = float(weight @ log_pilot) / float(weight.sum())
    return np.exp(-power * (log_pilot - level))
