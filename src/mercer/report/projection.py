"""Training rows on two axes: the first principal components of the kernel."""

from __future__ import annotations

import numpy as np

from mercer.comparison.sample import Sample
from mercer.typing import Array

ROWS = 300


def projection(sample: Sample) -> tuple[Array, Array]:
    """(positions, coordinates) of some training rows on two axes."""
    rows = sample.train[spread(len(sample.train))]
    return rows, axes_of(np.asarray(sample.kernel(sample.items(rows)), dtype=float))


def spread(n: int, most: int = ROWS) -> Array:
    """Positions among n, evenly spread, so many at most."""
    return np.linspace(0, n - 1, min(most, n)).astype(int)


def axes_of(K: Array) -> Array:
    """Coordinates of items on two axes: H K H's two largest eigenvectors, each times the root of its eigenvalue."""
    from scipy.linalg import eigh

    if len(K) < 2:
        return np.zeros((len(K), 2))
    means = K.mean(axis=0)
    values, V = eigh(K - means - means[:, None] + means.mean(), subset_by_index=[len(K) - 2, len(K) - 1])
    V = V[:, ::-1] * np.sqrt(np.maximum(values[::-1], 0.0))
    return np.asarray(V * np.where(V[np.abs(V).argmax(axis=0), [0, 1]] < 0.0, -1.0, 1.0))
