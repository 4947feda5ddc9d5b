"""What a search for medoids ends with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.gram.distances import Distances
from mercer.typing import Array


@dataclass(frozen=True, kw_only=True, eq=False)
class Search:
    """Medoids as positions of items, how many rounds and swaps led there, and why the search ended.

    `reason` is "converged", "max_iter" or "interrupted".
    """

    medoids: Array
    n_iter: int
    swaps: int
    reason: str


@dataclass(frozen=True, kw_only=True, eq=False)
class MedoidSolution(Search):
    """Medoids in ascending order, the cluster of every item, the loss, and the method that found them.

    A medoid belongs to its own cluster, also where another medoid is as near, so that no cluster is empty; any other
    item belongs to the first of the medoids that are nearest.
    """

    labels: Array
    loss: float
    method: str


def assigned(distances: Distances, weight: Array, found: Search, method: str) -> MedoidSolution:
    """The solution on all items, from one streamed pass."""
    medoids = np.sort(found.medoids)
    labels, d1 = distances.nearest(medoids)
    labels[medoids] = np.arange(len(medoids))
    return MedoidSolution(medoids=medoids, n_iter=found.n_iter, swaps=found.swaps, reason=found.reason, labels=labels,
                          loss=float(weight @ d1), method=method)  # fmt: skip
