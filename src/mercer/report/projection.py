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
    """Coordinates of items on two axes of kernel PCA; 0 on axes without variance."""
    from mercer import KernelPCA

    found = np.zeros((len(K), 2))
    if len(K) > 1:
        Y = KernelPCA(2, kernel="precomputed", check_psd="off").fit_transform(K)
        found[:, : Y.shape[1]] = Y
    return found
