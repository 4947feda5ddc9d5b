"""Swaps on one batch: every item is a candidate, and the loss is measured on a sample of m items.

The matrix is n x m.  An item of the batch counts as often as there are items that it is the nearest one to, so that
their weighted sum stands for the loss on all (de Mathelin et al., OneBatchPAM, 2025).  m = 100 log(k n) by default.
"""

from __future__ import annotations

import math

import numpy as np

from mercer.engine.fill import require_memory
from mercer.gram.distances import Distances
from mercer.solvers.medoids.solution import Search
from mercer.solvers.medoids.swaps import fasterpam
from mercer.typing import Array


def batch_size(n: int, k: int) -> int:
    """Items of a batch: 100 log(k n), at least k."""
    return min(n, max(k, math.ceil(100.0 * math.log(max(k * n, 2)))))


def drawn(n: int, m: int, random: np.random.RandomState) -> Array:
    """Positions of a batch, in ascending order."""
    return np.sort(random.permutation(n)[:m])


def sampled(D: Distances, weight: Array, batch: Array, start: Array, max_iter: int) -> Search:
    """FasterPAM on the columns `batch`."""
    n, m = len(D), len(batch)
    require_memory(f"A batch of {m} columns of {n} distances", n * m * D.dtype.itemsize, "Choose a smaller batch_size.")
    B = np.ascontiguousarray(D.columns(batch))
    counts = np.bincount(B.argmin(axis=1), weight, m)
    return fasterpam(Distances.of_array(B, symmetric=False), counts, start, max_iter)
