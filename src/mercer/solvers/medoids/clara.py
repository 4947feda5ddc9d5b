"""CLARA: FasterPAM on a small sample, judged on all items; the best of several samples (Kaufman & Rousseeuw, 1990).

A sample has 80 + 4 k items by default and holds the best medoids so far.  No matrix is larger than the sample.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mercer.gram.distances import Distances
from mercer.solvers.medoids.solution import Search
from mercer.solvers.medoids.swaps import fasterpam, stored
from mercer.typing import Array

Start = Callable[[Distances, Array], Array]


def sample_size(k: int) -> int:
    """Items of a sample: 80 + 4 k."""
    return 80 + 4 * k


def clara(D: Distances, weight: Array, sample: Array, start: Start, max_iter: int) -> Search:
    """FasterPAM among the items of a sample; start(distances, weight) has their first medoids."""
    few = stored(D.part(sample, sample))
    found = fasterpam(few, weight[sample], start(few, weight[sample]), max_iter)
    return Search(medoids=sample[found.medoids], n_iter=found.n_iter, swaps=found.swaps, reason=found.reason)


def sample_with(n: int, size: int, best: Array, random: np.random.RandomState) -> Array:
    """Positions of a sample that holds the best medoids so far, in ascending order."""
    return np.union1d(best, random.permutation(n)[: min(n, max(size, len(best)))]).astype(np.intp)
