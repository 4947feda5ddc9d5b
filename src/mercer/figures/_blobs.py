"""Three clusters in the plane, from which kernel PCA finds more axes than there are columns (E5, E6)."""

from __future__ import annotations

import numpy as np

from mercer.typing import Array

CENTRES = np.array([[-0.5, -0.2], [0.0, 0.6], [0.5, 0.0]])
DEVIATION, EACH = 0.1, 30
WIDTH = 0.22  # of the Gaussian kernel: k(x, y) = exp(-|x - y|^2 / 0.1), about


def three_clusters(seed: int) -> tuple[Array, Array]:
    """Rows and the cluster of each."""
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(len(CENTRES)), EACH)
    return CENTRES[cluster] + DEVIATION * rng.normal(size=(len(cluster), 2)), cluster


def between_share(f: Array, cluster: Array) -> float:
    """The share of the variance of f that lies between clusters."""
    means = np.array([f[cluster == c].mean() for c in np.unique(cluster)])
    return float(np.var(means[cluster]) / np.var(f))
