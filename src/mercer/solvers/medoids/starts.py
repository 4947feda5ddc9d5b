"""Where medoids start.

random         k of the items
k-medoids++    one after the other, an item with a probability in proportion to its distance from those before
lab            one after the other, the best of 10 + sqrt(n) items, judged on as many (LAB of the FastPAM paper)
build          one after the other, the best of all items: no chance in it, and k passes over the matrix
"""

from __future__ import annotations

import math

import numpy as np

from mercer.gram.distances import Distances
from mercer.native import medoids as loops
from mercer.solvers.medoids.near import over_rows, row_sums
from mercer.typing import Array

STARTS = ("random", "k-medoids++", "lab", "build")


def started(D: Distances, weight: Array, k: int, how: str, random: np.random.RandomState) -> Array:
    """k positions of items."""
    if how == "build":
        return build(D, weight, k)
    if how == "lab":
        return lab(D, weight, k, random)
    return plus_plus(D, weight, k, random) if how == "k-medoids++" else random.permutation(len(D))[:k]


def build(D: Distances, weight: Array, k: int) -> Array:
    """Greedy: the item of least loss, then again and again the item that lowers the loss most; the first of equals."""
    medoids = [int(np.argmin(row_sums(D, weight)))]
    d1 = _row(D, medoids[0])
    gain = np.empty(len(D))

    def work(r: slice, rows: Array) -> None:
        loops.gains(rows, weight, d1, gain[r])

    while len(medoids) < k:
        over_rows(D, work)
        gain[medoids] = -1.0
        medoids.append(int(np.argmax(gain)))
        np.minimum(d1, _row(D, medoids[-1]), out=d1)
    return np.array(medoids)


def lab(D: Distances, weight: Array, k: int, random: np.random.RandomState) -> Array:
    """As `build`, but each medoid is chosen among 10 + sqrt(n) items that are drawn for it, and judged on these."""
    n = len(D)
    size = 10 + math.ceil(math.sqrt(n))
    medoids: list[int] = []
    d1 = np.full(n, np.inf)
    while len(medoids) < k:
        free = np.setdiff1d(np.arange(n), medoids)
        some = np.sort(random.permutation(free)[:size])
        T = np.minimum(D.values(some, some), d1[some])  # what an item costs with this candidate among the medoids
        medoids.append(int(some[np.argmin(T @ weight[some])]))
        np.minimum(d1, _row(D, medoids[-1]), out=d1)
    return np.array(medoids)


def plus_plus(D: Distances, weight: Array, k: int, random: np.random.RandomState) -> Array:
    """Draw items with probabilities in proportion to weight times distance from the nearest that was drawn before."""
    share = weight.astype(float)
    medoids: list[int] = []
    d1 = np.full(len(D), np.inf)
    while len(medoids) < k:
        share[medoids] = 0.0
        if share.sum() <= 0.0:  # the items that are left equal a medoid
            share = np.ones(len(D))
            share[medoids] = 0.0
        medoids.append(int(random.choice(len(D), p=share / share.sum())))
        np.minimum(d1, _row(D, medoids[-1]), out=d1)
        share = weight * d1
    return np.array(medoids)


def _row(D: Distances, i: int) -> Array:
    return np.array(D.rows(np.array([i]))[0], dtype=float)
