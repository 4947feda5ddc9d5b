"""Grams that share their pair statistics.

Kernels of inner products or of distances read one matrix per dataset: <x, y>, |x - y|^2 or sum_k |x_k - y_k|.  Where
more than one kernel reads it, it is computed once and kept; the Gram of every lengthscale, degree or shape is then an
elementwise map of it.  Kernels that look at their items in another way are evaluated as they always are, once each.

Kernels of a search share their rows through a pool (kernels/rows.py), into which `Grams` puts a function that makes
`KnownRows` of them: rows that look up a statistic before it is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any

import numpy as np

from mercer.config import config
from mercer.engine import fill
from mercer.gram.row_centred import row_centred, sampled
from mercer.kernels import Kernel
from mercer.kernels.additive import absolute_distances
from mercer.kernels.base import gram_of
from mercer.kernels.fitted import Fitted
from mercer.kernels.rows import ROWS_IN_POOL, Rows, dot, sqdist
from mercer.kernels.values import diagonal, tile
from mercer.typing import Array, Index

SHARE = 0.5  # of the memory budget that the matrices of a search may use
_STATISTICS: dict[str, Callable[[Rows, Rows], Array]] = {
    "dot": lambda A, B: dot(A, B)[0],
    "sqdist": lambda A, B: sqdist(A, B)[0],
    "absolute": absolute_distances,
}


@dataclass(eq=False)
class StatisticBudget:
    """How many n x n statistics may still be stored, and counts.

    computed   statistics that are stored
    read       tiles that were taken from a stored statistic
    missed     tiles that were not, and had to be computed
    """

    left: int
    computed: int = 0
    read: int = 0
    missed: int = 0
    lock: Lock = field(default_factory=Lock)


@dataclass(eq=False)
class PairStatistics:
    """All rows of a dataset, and the statistics of all their pairs that were asked for while the budget lasted."""

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
                    self.budget.computed += 1
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
    """Some rows of a dataset, which take a statistic from `pairs` if another kernel reads the same rows too.

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
    """All rows of a dataset so that their statistics are stored within the budget; complex rows as they are."""
    if rows.dtype.kind != "f":
        return rows
    return KnownRows(rows.values, rows.sqnorm, rows.frame, pairs=PairStatistics(rows, budget))


class Grams:
    """The Grams of many kernels, all of which are given beforehand so that it is known what they share.

    `kernels` come with the items that they are for; `room` is the number of n x n statistics that memory is left for.
    `evaluations` counts pairs of items for which a statistic or a kernel was computed.
    """

    def __init__(self, kernels: Sequence[tuple[Kernel, Any]], *, room: int) -> None:
        self._budget, self._alone = StatisticBudget(room), 0
        pool: dict[Any, Any] = {ROWS_IN_POOL: partial(known_rows, budget=self._budget)}
        checked: dict[type, Any] = {}
        self._prepared: dict[int, Any] = {}
        for kernel, X in kernels:
            # one object for each kind of items: kernels find what they share by its identity
            items = checked[kernel.items] = kernel.check(checked.get(kernel.items, X))
            self._prepared[id(kernel)] = kernel.prepare_in(items, None, {} if learns(kernel) else pool)
        self._maps = {id(kernel) for kernel, _ in kernels if self._is_map(kernel)}

    def _is_map(self, kernel: Kernel) -> bool:
        """Whether a kernel reads stored statistics only.

        One entry of its Gram is computed to find out.  The statistics that it reads are computed and stored now, on
        all threads.
        """
        budget, first = self._budget, self._prepared[id(kernel)][:1]
        read, missed = budget.read, budget.missed
        tile(kernel, first, first)
        return budget.read > read and budget.missed == missed

    @property
    def statistics(self) -> int:
        """The number of statistics that are stored."""
        return self._budget.computed

    @property
    def mapped(self) -> int:
        """The number of kernels that are elementwise maps of stored statistics."""
        return len(self._maps)

    @property
    def evaluations(self) -> int:
        n = max(map(len, self._prepared.values()), default=0)
        return (self._budget.computed + self._alone) * (n * (n + 1) // 2)

    def gram(self, kernel: Kernel, *, centred: bool = False) -> Array:
        """k(x, y) for all pairs of items, of one of the kernels; `centred` as gram/row_centred.py says."""
        prepared = self._prepared[id(kernel)]
        if id(kernel) not in self._maps:
            with self._budget.lock:
                self._alone += 1
        if not centred:
            return gram_of(kernel, prepared, prepared)
        n, exact, columns = len(prepared), diagonal(kernel, prepared), np.arange(len(prepared))[sampled(len(prepared))]

        def block(r: slice, c: slice) -> Array:
            T = tile(kernel, prepared[r], prepared[c], lambda i, j: (r.start + i, c.start + j))
            if r == c:
                np.fill_diagonal(T, exact[r])
            return T

        some = tile(kernel, prepared, prepared[sampled(n)], lambda i, j: (i, int(columns[j])))
        return row_centred(block, n, some)


class RefCountedGram:
    """A Gram that is made when it is first used, and freed after `uses` uses."""

    def __init__(self, make: Callable[[], Array], uses: int) -> None:
        self._make, self._uses, self._lock = make, uses, Lock()
        self._K: Array | None = None

    def __enter__(self) -> Array:
        with self._lock:
            if self._K is None:
                self._K = self._make()
            return self._K

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._uses -= 1
            if not self._uses:
                self._K = None


def learns(kernel: Kernel) -> bool:
    """Whether a kernel has learned from items, so that what it prepares is not the same for other kernels."""
    return isinstance(kernel, Fitted) or any(learns(child) for child in kernel.children)


def room(n: int) -> int:
    """How many n x n matrices in double precision fit into the share of the memory budget that a search may use."""
    return int(SHARE * config().memory) // max(8 * n * n, 1)
