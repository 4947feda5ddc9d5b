"""Silhouettes: how much nearer an item is to its own cluster than to the next one, from -1 to 1.

    silhouette           s = (b - a) / max(a, b), a the mean distance to the others of its cluster, b the least mean
                         distance to those of another one (Rousseeuw, 1987); 0 for an item alone in its cluster
    medoid silhouette    s = 1 - d1 / d2, d1 and d2 the distances to the nearest two medoids (Van der Laan et al., 2003)

Both are 0 where they would be 0 / 0.  Distances are streamed.
"""

from __future__ import annotations

import numpy as np

from mercer.errors import bad
from mercer.gram.distances import Distances
from mercer.solvers.medoids.near import Near, over_rows
from mercer.typing import Array


def silhouette(D: Distances, labels: Array) -> Array:
    """The silhouette of every item, for two clusters or more."""
    _, label = np.unique(labels, return_inverse=True)
    k = int(label.max(initial=-1)) + 1
    if k < 2:
        raise bad("silhouette", "labels", "of two clusters or more", f"{k}", "One cluster has no other to compare.")
    member, count = np.eye(k)[label], np.bincount(label)
    s = np.empty(len(D))

    def work(r: slice, rows: Array) -> None:
        sums, own = rows.astype(np.float64, copy=False) @ member, label[r]
        every = np.arange(len(own))
        a = sums[every, own] / np.maximum(count[own] - 1, 1)
        means = sums / count
        means[every, own] = np.inf
        b = means.min(axis=1)
        top = np.maximum(a, b)
        s[r] = np.where((count[own] > 1) & (top > 0.0), (b - a) / np.where(top > 0.0, top, 1.0), 0.0)

    over_rows(D, work)
    return s


def medoid_silhouette(D: Distances, medoids: Array) -> Array:
    """The medoid silhouette of every item, for two medoids or more."""
    if len(medoids) < 2:
        raise bad("medoid_silhouette", "medoids", "two or more", f"{len(medoids)}", "One has no other to compare.")
    return simplified(Near.to(D, np.asarray(medoids)))


def simplified(near: Near) -> Array:
    """1 - d1 / d2."""
    return np.asarray(np.where(near.d2 > 0.0, 1.0 - near.d1 / np.where(near.d2 > 0.0, near.d2, 1.0), 0.0))
