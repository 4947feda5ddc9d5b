"""One against one: k (k - 1) / 2 machines, one for every pair of classes, over one set of support vectors (M21).

A support vector of class c has a coefficient in each of the k - 1 machines of its class and none elsewhere, so the
coefficients form an (n_SV, k - 1) matrix: the column of opponent o is o, or o - 1 when o > c (LIBSVM's layout).
Prediction walks over the tiles of k(x, support vectors) once and adds each to the machines of its class.

Two classes are one machine whose positive class is the second; of more, a pair's positive class is the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from mercer.engine import fill
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Pair:
    """Two classes, the positions of their items, and labels: +1 for class `plus`, -1 for class `minus`."""

    plus: int
    minus: int
    index: Array
    y: Array


def pairs_of(codes: Array, used: Array, k: int) -> list[Pair]:
    """The pairs of k classes on the items `used`, in the order (0, 1), (0, 2), ..., (k - 2, k - 1)."""
    if k == 2:
        return [Pair(1, 0, used, np.where(codes[used] == 1, 1.0, -1.0))]
    members = [used[codes[used] == c] for c in range(k)]
    return [
        Pair(i, j, np.concatenate([members[i], members[j]]), np.repeat([1.0, -1.0], [len(members[i]), len(members[j])]))
        for i, j in combinations(range(k), 2)
    ]


def column(own: int, opponent: int) -> int:
    """Where a support vector of class `own` has its coefficient against `opponent`."""
    return opponent - (opponent > own)


def gathered(pairs: Sequence[Pair], coefs: Sequence[Array], n: int, k: int) -> Array:
    """(n, k - 1): the coefficients of all pairs by item."""
    out = np.zeros((n, k - 1))
    for pair, b in zip(pairs, coefs, strict=True):
        up = pair.y > 0.0
        out[pair.index[up], column(pair.plus, pair.minus)] = b[up]
        out[pair.index[~up], column(pair.minus, pair.plus)] = b[~up]
    return out


def machines_of(k: int) -> Array:
    """(k, k - 1): for every class and column, the position of the pair."""
    where = np.zeros((k, k - 1), dtype=np.intp)
    for p, (i, j) in enumerate(combinations(range(k), 2)):
        where[i, column(i, j)] = where[j, column(j, i)] = p
    return where


def pair_values(cross: Any, columns: Array, counts: Array) -> Array:
    """(m, k (k - 1) / 2): sum over support vectors of every pair, from the tiles of k(x, support vectors)."""
    k = len(counts)
    where, edges = machines_of(k), np.concatenate([[0], np.cumsum(counts)])
    out = np.zeros((cross.shape[0], k * (k - 1) // 2))

    def add(r: slice, c: slice) -> None:
        tile = cross.block(r, c)
        for own in range(k):
            a, b = max(c.start, edges[own]), min(c.stop, edges[own + 1])
            if a < b:
                out[r, where[own]] += tile[:, a - c.start : b - c.start] @ columns[a:b]

    fill.fold_rows(add, cross.shape)
    return out


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
    sums = np.zeros((len(values), k))
    for p, (i, j) in enumerate(combinations(range(k), 2)):
        sums[:, i] += values[:, p]
        sums[:, j] -= values[:, p]
    return np.asarray(_votes(values >= 0.0, k) + sums / (3.0 * (np.abs(sums) + 1.0)))


def _votes(first: Array, k: int) -> Array:
    votes = np.zeros((len(first), k))
    for p, (i, j) in enumerate(combinations(range(k), 2)):
        votes[:, i] += first[:, p]
        votes[:, j] += ~first[:, p]
    return votes
