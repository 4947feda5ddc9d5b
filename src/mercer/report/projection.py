"""Training rows on two axes: the first principal components of the kernel."""

from __future__ import annotations

import numpy as np

from mercer.comparison.sample import Sample
from mercer.typing import Array

ROWS = 300


def projection(sample: Sample) -> tuple[Array, Array]:
    """(positions, coordinates): rows of H K H's two largest eigenvectors, each times the root of its eigenvalue."""
    from scipy.linalg import eigh

    rows = sample.train[np.linspace(0, len(sample.train) - 1, min(ROWS, len(sample.train))).astype(int)]
    K = np.asarray(sample.kernel(sample.items(rows)), dtype=float)
    means = K.mean(axis=0)
    values, V = eigh(K - means - means[:, None] + means.mean(), subset_by_index=[len(K) - 2, len(K) - 1])
    V = V[:, ::-1] * np.sqrt(np.maximum(values[::-1], 0.0))
    return rows, V * np.where(V[np.abs(V).argmax(axis=0), [0, 1]] < 0.0, -1.0, 1.0)
