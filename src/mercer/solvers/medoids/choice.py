"""The number of medoids, by the medoid silhouette.

From the largest k downwards: the medoid whose removal costs least goes, and swaps repair the rest (the idea of DynMSC,
Lenssen & Schubert, 2022, with the loss of k-medoids in the swaps).  So every k costs few swaps, and all solutions are
swap-optimal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mercer.engine.interrupts import interrupted
from mercer.gram.distances import Distances
from mercer.solvers.medoids.near import Near
from mercer.solvers.medoids.silhouette import simplified
from mercer.solvers.medoids.swaps import fasterpam
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class KChoice:
    """For every number of medoids that was tried: the mean medoid silhouette, the loss and the medoids.

    k             the one with the largest silhouette, the smallest of equals
    ks            ascending
    """

    k: int
    ks: tuple[int, ...]
    silhouettes: Array
    losses: Array
    medoids: tuple[Array, ...]

    def __str__(self) -> str:
        tried = ", ".join(f"{k}: {s:.3f}" for k, s in zip(self.ks, self.silhouettes, strict=True))
        return f"k = {self.k}, by the mean medoid silhouette ({tried})."


def choose_k(D: Distances, weight: Array, ks: Sequence[int], start: Array, max_iter: int) -> KChoice:
    """Try all of `ks`, each two or more, from the medoids `start`, as many as the largest of them."""
    wanted, found = set(ks), []
    medoids = np.asarray(start)
    while True:
        medoids = np.sort(fasterpam(D, weight, medoids, max_iter).medoids)
        near, k = Near.to(D, medoids), len(medoids)
        if k in wanted:
            found.append((k, float(np.average(simplified(near), weights=weight)), float(weight @ near.d1), medoids))
        if k == min(wanted) or (interrupted() and found):
            break
        medoids = np.delete(medoids, np.argmin(near.removal(weight, k)))
    found.reverse()
    counts, silhouettes, losses, places = zip(*found, strict=True)
    best = int(np.argmax(silhouettes))
    return KChoice(counts[best], counts, np.array(silhouettes), np.array(losses), places)
