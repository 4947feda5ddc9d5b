"""Grams that share their pair statistics.

A kernel of inner products or of distances is a function of one matrix: <x, y>, |x - y|^2 or sum_k |x_k - y_k| of all
pairs of items.  Where more than one kernel needs such a pair statistic, it is computed once and stored.  The Gram of
every lengthscale, degree or shape is then an elementwise map of it.  All other kernels are evaluated as usual, once
each.

Kernels of a search share their rows through a pool (kernels/prepared_rows.py).  `Grams` puts a function into the pool
that turns rows into `KnownRows`, which look for a stored statistic before they compute one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any

import numpy as np

from mercer.engine import fill
from mercer.gram.row_centred import row_centred, sampled
from mercer.kernels import Kernel
from mercer.kernels.additive import absolute_distances
from mercer.kernels.base import gram_of
from mercer.kernels.checked_values import diagonal, tile
from mercer.kernels.fitted import Fitted
from mercer.kernels.prepared_rows import ROWS_IN_POOL, Rows, dot, sqdist
from mercer.typing import Array, Index

_STATISTICS: dict[str, Callable[[Rows, Rows], Array]] = {
    "dot": lambda A, B: dot(A, B)[0],
    "sqdist": lambda A, B: sqdist(A, B)[0],
    "absolute": absolute_distances,
}


@dataclass(eq=False)
class StatisticBudget:
    """How many n x n statistics may still be stored, and what happened so far.

    stored     statistics that are stored
    read       tiles that were taken from a stored statistic
    missed     tiles that were not, and had to be computed
    """

    left: int
    stored: int = 0
    read: int = 0
    missed: int = 0
    lock: Lock = field(default_factory=Lock)


@dataclass(eq=False)
class PairStatistics:
    """All rows of a dataset, with the statistics of all their pairs that were needed while the budget lasted."""

    rows: Rows
    budget: StatisticBudget
    matrices: dict[str, Array] = field(default_factory=dict)

    def matrix(self, name: str) -> Array | None:
        """The statistic of all pairs of rows; None if the budget is used up."""
        if name not in self.matrices:
            with self.budget.lock:
                if name not in self.matrices and self.budget.left > 0:
                    self.matrices[name] = self._computed(name)
                    self.budget.left -= 1
                    self.budget.stored += 1
        return self.matrices.get(name)

    def _computed(self, name: str) -> Array:
        n, statistic = len(self.rows), _STATISTICS[name]

        def block(r: slice, c: slice) -> Array:
            tile = statistic(self.rows[r], self.rows[c])
            if name != "dot" and r == c:
                np.fill_diagonal(tile, 0.0)
            return tile

        return fill.dense(block, (n, n), self.rows.dtype, symmetric=True, what="Pair statistics")


@dataclass(eq=False, kw_only=True)
class KnownRows(Rows):
    """Some rows of a dataset; their statistics come from `pairs` if more than one kernel uses the rows.

    `places` are their positions in the dataset; None stands for all.
    """

    pairs: PairStatistics
    places: Any = None

    def __getitem__(self, index: Index) -> KnownRows:
        # a slice of all rows stays a slice: tiles of the statistic are then views
        places = index if self.places is None else np.arange(len(self.pairs.rows))[self.places][index]
        return KnownRows(
            self.values[index], self.sqnorm[index], self.frame, self.shared, pairs=self.pairs, places=places
        )

    def known(self, name: str, B: Rows) -> Array | None:
        if self.shared and isinstance(B, KnownRows) and B.pairs is self.pairs:
            matrix = self.pairs.matrix(name)
            if matrix is not None:
                self.pairs.budget.read += 1
                rows, columns = (slice(None) if places is None else places for places in (self.places, B.places))
                return np.asarray(matrix[rows][:, columns])
        self.pairs.budget.missed += 1
        return None


def known_rows(rows: Rows, budget: StatisticBudget) -> Rows:
    """All rows of a dataset, with statistics that are stored within the budget; complex rows stay as they are."""
    if rows.values.dtype.kind != "f":
        return rows
    return KnownRows(rows.values, rows.sqnorm, rows.frame, pairs=PairStatistics(rows, budget))


class Grams:
    """The Grams of many kernels, all of which are given beforehand so that it is known what they share.

    `kernels` come with the items that they are for; `room` is the number of n x n statistics that memory is left for.

    statistics     the number of pair statistics that are stored
    mapped         the number of kernels that are elementwise maps of stored statistics
    evaluations    the number of pairs of items for which a statistic or a kernel was computed so far
    """

    def __init__(self, kernels: Sequence[tuple[Kernel, Any]], *, room: int) -> None:
        self._budget = StatisticBudget(room)
        pool: dict[Any, Any] = {ROWS_IN_POOL: partial(known_rows, budget=self._budget)}
        checked: dict[type, Any] = {}
        self._prepared: dict[int, Any] = {}
        for kernel, X in kernels:
            # one object for each kind of items: kernels find what they share by its identity
            items = checked[kernel.items] = kernel.check(checked.get(kernel.items, X))
            self._prepared[id(kernel)] = kernel.prepare_in(items, None, {} if learns(kernel) else pool)
        self._maps = {id(kernel) for kernel, _ in kernels if self._is_map(kernel)}
        self.statistics, self.mapped = self._budget.stored, len(self._maps)
        n = max(map(len, self._prepared.values()), default=0)
        self._pairs = n * (n + 1) // 2
        self.evaluations = self.statistics * self._pairs

    def _is_map(self, kernel: Kernel) -> bool:
        """Whether a kernel reads stored statistics only; found out by computing one entry of its Gram.

        This computes and stores the statistics that it reads, on all threads.
        """
        budget, first = self._budget, self._prepared[id(kernel)][:1]
        read, missed = budget.read, budget.missed
        tile(kernel, first, first)
        return budget.read > read and budget.missed == missed

    def gram(self, kernel: Kernel, *, centred: bool = False) -> Array:
        """k(x, y) for all pairs of items, of one of the kernels; `centred` as in gram/row_centred.py."""
        prepared = self._prepared[id(kernel)]
        if id(kernel) not in self._maps:
            with self._budget.lock:
                self.evaluations += self._pairs
        return _row_centred(kernel, prepared) if centred else gram_of(kernel, prepared, prepared)


def _row_centred(kernel: Kernel, prepared: Any) -> Array:
    """The Gram in single precision with centred rows, tile by tile."""
    n, exact = len(prepared), diagonal(kernel, prepared)
    columns = np.arange(n)[sampled(n)]

    def block(r: slice, c: slice) -> Array:
        T = tile(kernel, prepared[r], prepared[c], lambda i, j: (r.start + i, c.start + j))
        if r == c:
            np.fill_diagonal(T, exact[r])
        return T

    some = tile(kernel, prepared, prepared[sampled(n)], lambda i, j: (i, int(columns[j])))
    return row_centred(block, n, some)


def learns(kernel: Kernel) -> bool:
    """Whether a kernel has learned from items, so that what it prepares is not the same for other kernels."""
    return isinstance(kernel, Fitted) or any(learns(child) for child in kernel.children)
