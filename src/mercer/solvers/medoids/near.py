"""The two medoids nearest to every item, and passes over the rows of a matrix of distances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from mercer.engine.pool import run
from mercer.engine.tiles import cuts
from mercer.gram.distances import Distances
from mercer.native import medoids as loops
from mercer.typing import Array

_PANEL = 2**20  # entries of a piece of rows


@dataclass(frozen=True, eq=False)
class Near:
    """For every item the places of its nearest and second nearest medoid, and the distances d1 <= d2 to them."""

    first: Array
    second: Array
    d1: Array
    d2: Array

    @classmethod
    def of(cls, D: Array, medoids: Array) -> Self:
        """From the rows `medoids`, two or more, of a matrix with a column for every item."""
        n = D.shape[1]
        made = cls(np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n), np.empty(n))
        loops.nearest_two(D, medoids, made.first, made.second, made.d1, made.d2)
        return made

    @classmethod
    def to(cls, distances: Distances, medoids: Array) -> Self:
        """The same without the whole matrix: only the rows of the medoids are made."""
        return cls.of(np.ascontiguousarray(distances.rows(medoids)), np.arange(len(medoids)))

    def removal(self, weight: Array, k: int) -> Array:
        """By how much the loss rises without each of k medoids: sum of w (d2 - d1) over the items nearest to it."""
        return np.bincount(self.first, weight * (self.d2 - self.d1), k)

    def changes(self, D: Array, weight: Array, k: int) -> tuple[Array, Array]:
        """For every row of D, a candidate: the lowest change of the loss by a swap, and the place of that medoid."""
        change, place = np.empty(len(D)), np.empty(len(D), np.int32)
        loops.swap_changes(D, weight, self.first, self.d1, self.d2, k, change, place)
        return change, place


def over_rows(distances: Distances, work: Callable[[slice, Array], None]) -> None:
    """Call work(r, D[r]) for all rows in pieces, on our threads; nothing of the matrix is kept."""
    every = slice(0, distances.shape[1])
    pieces = cuts(len(distances), max(16, _PANEL // max(distances.shape[1], 1)))
    run(lambda r: work(r, np.ascontiguousarray(distances.tile(r, every))), pieces)


def row_sums(distances: Distances, weight: Array) -> Array:
    """sum_o w_o D(c, o) for every row c."""
    sums = np.empty(len(distances))

    def work(r: slice, D: Array) -> None:
        sums[r] = D.astype(np.float64, copy=False) @ weight

    over_rows(distances, work)
    return sums
