"""The 0/1 loss, which convex losses replace."""

from __future__ import annotations

import numpy as np

from mercer.typing import Array


def zero_one(z: Array) -> Array:
    """1 where the margin is not positive; it has no useful slope, so convex losses stand in for it."""
    return np.where(np.asarray(z) <= 0.0, 1.0, 0.0)
