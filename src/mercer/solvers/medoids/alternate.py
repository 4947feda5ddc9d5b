"""Alternation: items go to their nearest medoid, and each cluster takes the best of its items as its medoid.

The loss never rises.  It ends where neither step changes anything, which a single swap may still improve; an update
costs the square of the size of each cluster.
"""

from __future__ import annotations

import numpy as np

from mercer.engine.interrupts import until_interrupted
from mercer.gram.distances import Distances
from mercer.solvers.medoids.near import row_sums
from mercer.solvers.medoids.solution import Search
from mercer.typing import Array


def alternate(D: Distances, weight: Array, start: Array, max_iter: int) -> Search:
    """Both steps until the medoids stay, `max_iter` times at most."""
    medoids, reason, rounds = np.sort(start), "max_iter", 0
    with until_interrupted() as work:
        while rounds < max_iter and not work.came():
            rounds += 1
            better = np.sort(_moved(D, weight, medoids))
            if np.array_equal(better, medoids):
                reason = "converged"
                break
            medoids = better
    return Search(medoids=medoids, n_iter=rounds, swaps=0, reason="interrupted" if work.came() else reason)


def _moved(D: Distances, weight: Array, medoids: Array) -> Array:
    """The medoids of the clusters around these; that of an empty cluster moves to the item farthest from all."""
    label, d1 = D.nearest(medoids)
    moved = medoids.copy()
    for k in range(len(medoids)):
        own = np.flatnonzero(label == k)
        if len(own):
            sums = row_sums(D.part(own, own), weight[own])
            keeps = np.flatnonzero(own == medoids[k])  # it stays where others are only as good
            best = int(np.argmin(sums))
            moved[k] = medoids[k] if len(keeps) and sums[keeps[0]] <= sums[best] else own[best]
    for k in np.flatnonzero(np.bincount(label, minlength=len(medoids)) == 0).tolist():
        free = np.where(np.isin(np.arange(len(d1)), moved), -1.0, d1)
        farthest = int(np.argmax(free))
        if free[farthest] > 0.0:  # else fewer items differ than there are medoids
            moved[k] = farthest
            d1 = np.minimum(d1, D.rows(np.array([farthest]))[0])
    return moved
