"""silhouette and medoid_silhouette of items under any kernel or metric."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from mercer.errors import bad
from mercer.estimators.clusters.k_medoids import KMedoids
from mercer.gram import Distances
from mercer.solvers import medoids as solvers
from mercer.typing import Array


def silhouette(
    X: Any, labels: Any, *, kernel: Any = None, metric: Any = "euclidean", distance: str = "squared"
) -> Array:
    """s_i = (b_i - a_i) / max(a_i, b_i) for every item, from -1 to 1; the mean of them judges the clusters.

    a_i is the mean distance to the other items of its cluster, b_i the least mean distance to the items of another one.
    By default the distance is Euclidean; kernel, metric and distance are those of KMedoids.  Distances are streamed.
    """
    D = _measured(X, kernel, metric, distance)
    labels = column_or_1d(labels)
    check_consistent_length(D, labels)
    return solvers.silhouette(D, labels)


def medoid_silhouette(
    X: Any, medoids: Any, *, kernel: Any = None, metric: Any = "euclidean", distance: str = "squared"
) -> Array:
    """s_i = 1 - d1 / d2 for every item, d1 and d2 its distances to the nearest two medoids, given by their positions.

    It costs k distances for each item.  kernel, metric and distance as for `silhouette`.
    """
    D, places = _measured(X, kernel, metric, distance), np.asarray(medoids)
    if places.ndim != 1 or places.dtype.kind not in "iu" or not np.isin(places, np.arange(len(D))).all():
        raise bad("medoid_silhouette", "medoids", "positions of items", repr(medoids), "Pass medoid_indices_.")
    return solvers.medoid_silhouette(D, places.astype(np.intp))


def _measured(X: Any, kernel: Any, metric: Any, distance: str) -> Distances:
    machine = KMedoids(1, kernel=kernel, metric=metric, distance=distance)
    return machine.distances(X)
