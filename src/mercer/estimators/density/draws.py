"""Points drawn from a mixture of windows."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.solvers.density import Mixture
from mercer.solvers.density.boundary import Side
from mercer.typing import Array


def draw(mixture: Mixture, sides: list[Side], size: int, random: Any) -> Array:
    """Choose points by their weights, add draws from their windows, and fold what is outside of the support back."""
    cumulative = np.cumsum(mixture.weights)
    chosen = np.searchsorted(cumulative, random.uniform(0.0, 1.0, size) * cumulative[-1])
    steps = _steps(mixture, size, random) * mixture.scale
    if mixture.factor is not None:
        steps *= mixture.factor[chosen, None]
    found = mixture.rows[chosen].astype(np.float64) + steps
    for j, side in enumerate(sides):
        found[:, j] = side.folded(found[:, j])
    return np.asarray(found)


def _steps(mixture: Mixture, size: int, random: Any) -> Array:
    """Draws from the window around 0."""
    D = mixture.columns
    if mixture.form == "product":
        return mixture.window.sample(size * D, 1, random).reshape(size, D)
    if mixture.norm == "euclidean":
        return mixture.window.sample(size, D, random)
    sign = np.where(random.uniform(size=(size, D)) < 0.5, -1.0, 1.0)
    if mixture.norm == "manhattan":
        places = random.standard_exponential((size, D))
        length = places.sum(axis=1, keepdims=True)
    else:
        places = random.uniform(size=(size, D))
        length = places.max(axis=1, keepdims=True)
    return np.asarray(sign * places / length * mixture.window.radii(size, D, random)[:, None])
