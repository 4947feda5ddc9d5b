"""One against one: k (k - 1) / 2 machines, one for every pair of classes, over one set of support vectors.

A support vector of class c has a coefficient in each of the k - 1 machines of its class and none elsewhere, so the
coefficients form an (n_SV, k - 1) matrix: the column of opponent o is o, or o - 1 when o > c (LIBSVM's layout).
Prediction computes each tile of k(x, support vectors) once and adds it to the machines of its class.

Two classes are one machine whose positive class is the second; with more classes the first of a pair is positive.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from mercer.engine.pool import run, tick
from mercer.engine.tiles import cuts
from mercer.typing import Array

Finish = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of k classes in long arrays: pair p has the places ends[p]:ends[p + 1] of `index` and `y`.

    `index` are positions of items; y is +1 for the class first[p] and -1 for the class second[p].
    """

    k: int
    first: Array
    second: Array
    index: Array
    y: Array
    ends: Array

    def __len__(self) -> int:
        return len(self.first)

    @property
    def sizes(self) -> list[int]:
        """The number of items of each pair."""
        return list(np.diff(self.ends).tolist())

    def span(self, p: int) -> slice:
        """The places of pair p in the long arrays."""
        return slice(int(self.ends[p]), int(self.ends[p + 1]))

    @property
    def columns(self) -> Array:
        """For every place, the column in which its item has the coefficient of this pair."""
        if self.k == 2:
            return np.zeros(len(self.index), dtype=np.intp)
        sizes = np.diff(self.ends)
        first, second = np.repeat(self.first, sizes), np.repeat(self.second, sizes)
        return np.asarray(np.where(self.y > 0.0, column(first, second), column(second, first)))

    def by_item(self, long: Array, n: int) -> Array:
        """(n, k - 1): numbers of all pairs by item; (n, k - 1, m) if each is a row of m."""
        out = np.zeros((n, self.k - 1, *long.shape[1:]))
        out[self.index, self.columns] = long
        return out


def pairs_of(codes: Array, used: Array, k: int) -> Pairs:
    """The pairs of k classes on the items `used`, in the order (0, 1), (0, 2), ..., (k - 2, k - 1)."""
    if k == 2:
        one, y = np.array([1]), np.where(codes[used] == 1, 1.0, -1.0)
        return Pairs(2, one, one - 1, used, y, np.array([0, len(used)]))
    order = used[np.argsort(codes[used], kind="stable")]
    edges = np.searchsorted(codes[order], np.arange(k + 1))
    members = [order[edges[c] : edges[c + 1]] for c in range(k)]
    first, second = np.triu_indices(k, 1)
    sizes = np.diff(edges)[np.column_stack([first, second])]
    index = np.concatenate([members[c] for pair in zip(first, second, strict=True) for c in pair])
    y = np.repeat(np.tile([1.0, -1.0], len(first)), sizes.ravel())
    return Pairs(k, first, second, index, y, np.concatenate([[0], np.cumsum(sizes.sum(axis=1))]))


def column(own: Any, opponent: Any) -> Any:
    """Where a support vector of class `own` has its coefficient against `opponent`."""
    return opponent - (opponent > own)


def machines_of(k: int) -> Array:
    """(k, k - 1): for every class and column, the position of the pair."""
    where = np.zeros((k, k - 1), dtype=np.intp)
    for p, (i, j) in enumerate(combinations(range(k), 2)):
        where[i, column(i, j)] = where[j, column(j, i)] = p
    return where


def pair_values(cross: Any, columns: Array, counts: Array, finish: Finish) -> Array:
    """finish((rows, pairs)) for all rows: the sums over support vectors of every pair, a panel of rows at a time.

    `columns` are sorted by class, of which there are `counts`.
    """
    where, edges = machines_of(len(counts)), np.concatenate([[0], np.cumsum(counts)])
    rows, tiles = cuts(cross.shape[0]), cuts(cross.shape[1])
    panels: list[Array] = [np.empty(0)] * len(rows)

    def panel(i: int) -> None:
        sums = np.zeros((rows[i].stop - rows[i].start, len(counts) * (len(counts) - 1) // 2))
        for c in tiles:
            tile = cross.block(rows[i], c)
            for own, pairs in enumerate(where):
                a, b = max(c.start, edges[own]), min(c.stop, edges[own + 1])
                if a < b:
                    sums[:, pairs] += tile[:, a - c.start : b - c.start] @ columns[a:b]
            tick()
        panels[i] = finish(sums)

    run(panel, range(len(rows)), steps=len(rows) * len(tiles))
    return np.concatenate(panels)


def spread(columns: Array, counts: Array) -> Array:
    """(n_SV, k (k - 1) / 2): the same coefficients, one column per pair."""
    where = machines_of(len(counts))
    own = np.repeat(np.arange(len(counts)), counts)
    out = np.zeros((len(columns), len(counts) * (len(counts) - 1) // 2))
    np.put_along_axis(out, where[own], columns, axis=1)
    return out


def winners(values: Array, k: int) -> Array:
    """The class with most votes for every row of pair values; ties go to the class that comes first."""
    return np.asarray(np.argmax(_votes(values > 0.0, k), axis=1))


def one_vs_rest(values: Array, k: int) -> Array:
    """(m, k): votes, with the summed pair values as a fraction that decides among equal votes."""
    sums = values @ _sides(k)
    return np.asarray(_votes(values >= 0.0, k) + sums / (3.0 * (np.abs(sums) + 1.0)))


def _votes(first: Array, k: int) -> Array:
    """How many of its pairs each class wins; `first` is True where the first class of a pair wins."""
    S = _sides(k).astype(np.float32)  # exact for small integers
    return np.asarray(first.astype(np.float32) @ S + (S < 0.0).sum(axis=0, dtype=np.float32))


def _sides(k: int) -> Array:
    """(pairs, k): +1 for the first class of a pair, -1 for the second."""
    first, second = np.triu_indices(k, 1)
    return np.asarray(np.eye(k)[first] - np.eye(k)[second])
