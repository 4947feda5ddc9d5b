"""Metrics by name, in the place of a kernel: dissimilarities of rows of numbers as scikit-learn computes them."""

from __future__ import annotations

import numpy as np

from mercer.items import Vectors
from mercer.kernels.base import Kernel, kernel
from mercer.typing import Array

OF_ROWS = ("euclidean", "l2", "sqeuclidean")  # distances of the linear kernel
METRICS = (
    *OF_ROWS, "braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "hamming", "haversine", "l1",
    "manhattan", "minkowski",
)  # fmt: skip


@kernel
class NamedMetric(Kernel):
    """d(x, y) of one name among METRICS; its values take the place of kernel values, and are none."""

    metric: str

    items = Vectors
    textual = False

    def block(self, A: Vectors, B: Vectors) -> Array:
        from sklearn.metrics import pairwise_distances

        a, b = (V.values.toarray() if V.sparse else V.values for V in (A, B))  # most metrics know dense rows only
        return np.asarray(pairwise_distances(a, b, metric=self.metric))

    def diag(self, A: Vectors) -> Array:
        return np.zeros(len(A))
