"""Swaps: exchange a medoid for another item while that lowers the loss.

    fasterpam    every swap that lowers the loss is made as soon as it is seen (Schubert & Rousseeuw, 2021): a few
                 passes over the matrix, whatever the number of medoids
    pam          of all swaps the best is made, one in each pass (Kaufman & Rousseeuw, 1990)

Both end where no single swap lowers the loss.  D has a row for every candidate and a column for every item, which may
be a sample of the candidates.
"""

from __future__ import annotations

import numpy as np

from mercer.engine.interrupts import until_interrupted
from mercer.gram.distances import Distances
from mercer.native import medoids as loops
from mercer.solvers.medoids.near import Near, over_rows, row_sums
from mercer.solvers.medoids.solution import Search
from mercer.typing import Array

ROUNDING = 1e-12  # of the loss: a swap that lowers it by less may be rounding
PIECE = 2**25  # entries that are looked at between two looks at an interrupt


def fasterpam(D: Distances, weight: Array, start: Array, max_iter: int) -> Search:
    """Swaps at once, in the order of the candidates, for `max_iter` passes at most."""
    if len(start) == 1:
        return best_one(D, weight)
    array, medoids = D.dense(), np.array(start, dtype=np.intp)
    near, n = Near.of(array, medoids), len(array)
    least = ROUNDING * float(weight @ near.d1)
    at = since = looked = swaps = 0
    piece = min(n, max(1, PIECE // max(array.shape[1], 1)))
    with until_interrupted() as work:
        while since < n and looked < max_iter * n and not work.came():
            most = min(piece, max_iter * n - looked)
            made, at, since = _look(array, weight, medoids, near, at, since, most, least)
            looked, swaps = looked + most, swaps + made
    reason = "interrupted" if work.came() else "converged" if since >= n else "max_iter"
    return Search(medoids=medoids, n_iter=-(-looked // n), swaps=swaps, reason=reason)


def _look(
    D: Array, weight: Array, medoids: Array, near: Near, at: int, since: int, most: int, least: float
) -> tuple[int, int, int]:
    """Swaps among the next candidates: how many were made, where to go on, and how many candidates brought none."""
    made, at, since, _ = loops.swap_medoids(
        D, weight, medoids, near.first, near.second, near.d1, near.d2, at, since, most, least
    )
    return made, at, since


def pam(D: Distances, weight: Array, start: Array, max_iter: int) -> Search:
    """The best swap of all, again and again, `max_iter` times at most."""
    if len(start) == 1:
        return best_one(D, weight)
    D = stored(D)
    medoids, reason, swaps = np.array(start, dtype=np.intp), "max_iter", 0
    with until_interrupted() as work:
        while swaps < max_iter and not work.came():
            c, place, change, loss = best_swap(D, weight, medoids)
            if change >= -ROUNDING * loss:
                reason = "converged"
                break
            medoids[place] = c
            swaps += 1
    reason = "interrupted" if work.came() else reason
    return Search(medoids=medoids, n_iter=swaps + (reason == "converged"), swaps=swaps, reason=reason)


def best_swap(D: Distances, weight: Array, medoids: Array) -> tuple[int, int, float, float]:
    """(candidate, place of the medoid, change of the loss, loss) of the best single swap against two medoids or more.

    All is computed from the distances and the medoids; where every candidate is a medoid the change is infinite.
    """
    near, k = Near.to(D, medoids), len(medoids)
    change, place = np.empty(len(D)), np.empty(len(D), np.int32)

    def work(r: slice, rows: Array) -> None:
        change[r], place[r] = near.changes(rows, weight, k)

    over_rows(D, work)
    change[medoids] = np.inf
    c = int(np.argmin(change))
    return c, int(place[c]), float(change[c]), float(weight @ near.d1)


def best_one(D: Distances, weight: Array) -> Search:
    """The one medoid of least loss, by the sums of all rows."""
    return Search(medoids=np.array([np.argmin(row_sums(D, weight))]), n_iter=1, swaps=0, reason="converged")


def stored(D: Distances, cure: str = "Use fewer items.") -> Distances:
    """The same distances, made once and kept."""
    return Distances.of_array(D.dense(cure), symmetric=D.symmetric)
