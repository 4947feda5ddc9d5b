"""Histograms: how often each hashed feature occurs in each graph, as sparse rows.

Columns are the different features of one dataset.  Between two datasets the features of one are looked up in the
other, once, so that no value depends on the dataset a feature was first seen in.  Counts and their products are whole
numbers below 2^53, exact in double precision: no value depends on the order of a sum.

Columns are in the order of how many graphs have the feature.  The first ones, which many graphs have, are also held as
a dense matrix: for them a matrix product is faster than one of sparse rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from mercer.items import Graphs
from mercer.kernels.base import Kernel, kernel
from mercer.kernels.graphs.form import Form, form_of, require_same
from mercer.kernels.prepared_rows import ORIGIN, Rows, as_csr, compressed, dot
from mercer.native import minima, tally
from mercer.typing import Array, Index

_OFTEN = 0.25  # share of graphs that have a feature from which a dense column is faster
_MOST_DENSE = 512  # columns
_ROOM = 1 << 16  # hashes that are counted at a time


class Features:
    """The hash of the feature in every column."""

    def __init__(self, hashes: Array) -> None:
        self.hashes = hashes
        self._places: WeakKeyDictionary[Features, Array] = WeakKeyDictionary()

    def __len__(self) -> int:
        return len(self.hashes)

    def places_of(self, other: Features) -> Array:
        """The column here of every feature of `other`; -1 where it has none."""
        if other not in self._places:
            code = np.empty(len(other), dtype=np.int32)
            tally.look_up(other.hashes, self.hashes, code)
            self._places[other] = code
        return self._places[other]


@dataclass(eq=False)
class Histograms:
    """n rows of counts, one column per feature: the first columns dense, all others sparse."""

    dense: Array
    rows: Rows
    features: Features
    form: Form
    frame: None = None

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(self.dense[index], self.rows[index], self.features, self.form)

    @property
    def values(self) -> Any:
        """All counts as a CSR matrix."""
        from scipy.sparse import csr_array, hstack

        return hstack([csr_array(self.dense), self.rows.values], format="csr")

    def in_columns_of(self, other: Histograms) -> tuple[Array, Rows]:
        """These rows with the columns of `other`; further columns are dropped: they would be multiplied by zeros."""
        if other.features is self.features:
            return self.dense, self.rows
        from scipy.sparse import csr_array

        V, few = self.values, other.dense.shape[1]
        columns = other.features.places_of(self.features)[V.indices]
        row = np.repeat(np.arange(len(self)), np.diff(V.indptr))
        first, rest = (columns >= 0) & (columns < few), columns >= few
        dense = np.zeros((len(self), few), dtype=V.dtype)
        dense[row[first], columns[first]] = V.data[first]
        ends = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(rest)])[V.indptr].astype(V.indptr.dtype)
        shape = (len(self), len(other.features) - few)
        return dense, Rows(csr_array((V.data[rest], columns[rest] - few, ends), shape=shape), self.rows.sqnorm, ORIGIN)


def histograms(X: Graphs, hashes: Array, counts: Array, ends: Array, *, split: bool = True) -> Histograms:
    """Rows of counts: graph g has the features hashes[ends[g] : ends[g + 1]], all different."""
    from scipy.sparse import csr_array

    code, different = np.empty(len(hashes), dtype=np.int32), np.empty(len(hashes), dtype=np.int64)
    width = tally.codes(hashes, code, different)
    having = np.bincount(code, minlength=width)
    order = np.argsort(-having, kind="stable")
    features = Features(different[order])
    place = np.empty(width, dtype=np.int32)
    place[order] = np.arange(width, dtype=np.int32)
    few = min(int(np.sum(having > _OFTEN * len(X))), _MOST_DENSE) if split else 0
    del different, having, order
    column = place[code]
    first, sqnorm = np.flatnonzero(column < few), _sums(counts * counts, ends)
    dense = np.zeros((len(X), few))
    dense[np.searchsorted(ends, first, side="right") - 1, column[first]] = counts[first]
    rest = column >= few
    V = csr_array((counts[rest], column[rest] - np.int32(few), _sums(rest, ends, running=True)),
                  shape=(len(X), width - few))  # fmt: skip
    return Histograms(dense, Rows(V, sqnorm, ORIGIN), features, form_of(X))


def _sums(values: Array, ends: Array, *, running: bool = False) -> Array:
    """The sum of each group of values, whole numbers; or of all groups up to it, as int32."""
    total = np.concatenate([np.zeros(1), np.cumsum(values, dtype=float)])[ends]
    return total.astype(np.int32) if running else np.diff(total)


def counted(X: Graphs, hashes: Array, ends: Array, *, split: bool = True) -> Histograms:
    """Rows of counts from hashes (several, all): graph g has those of columns ends[g] to ends[g + 1], in all rows."""
    return together(X, _tallies(hashes, ends), split=split)


def _tallies(hashes: Array, ends: Array) -> Iterator[tuple[Array, Array, Array]]:
    """(hashes, counts, ends) of as many graphs at a time as make about `_ROOM` hashes."""
    cuts = np.searchsorted(ends, np.arange(0, ends[-1] + 1, max(1, _ROOM // max(len(hashes), 1))))
    for a, b in pairwise(np.unique(np.append(cuts, [0, len(ends) - 1])).tolist()):
        some, own = hashes[:, ends[a] : ends[b]], ends[a : b + 1] - ends[a]
        found, counts, out = np.empty(some.size, dtype=np.int64), np.empty(some.size), np.empty_like(own)
        tally.tally(some, own, found, counts, out)
        yield found[: out[-1]].copy(), counts[: out[-1]].copy(), out


def together(X: Graphs, parts: Iterable[tuple[Array, Array, Array]], *, split: bool = True) -> Histograms:
    """Rows of counts from (hashes, counts, ends) of consecutive graphs."""
    none = np.zeros(0, dtype=np.int64)
    found = [(none, np.zeros(0), np.zeros(1, dtype=np.int64)), *parts]
    hashes, counts = (np.concatenate([part[i] for part in found]) for i in (0, 1))
    ends = np.cumsum(np.concatenate([np.zeros(1, dtype=np.int64), *(np.diff(part[2]) for part in found)]))
    del found
    return histograms(X, hashes, counts, ends, split=split)


def inner(owner: str, A: Histograms, B: Histograms) -> Array:
    """sum_f a_f b_f for all pairs of rows."""
    require_same(owner, A.form, B.form)
    dense, rest = B.in_columns_of(A)
    out = dot(A.rows, rest)[0]
    if dense.shape[1]:
        out += A.dense @ dense.T
    return out


def common(owner: str, A: Histograms, B: Histograms) -> Array:
    """sum_f min(a_f, b_f) for all pairs of rows, none of whose columns are dense."""
    require_same(owner, A.form, B.form)
    a, b = as_csr(A.rows.values), as_csr(B.in_columns_of(A)[1].values).tocsc()
    out = np.empty((len(A), len(B)), dtype=a.dtype)
    minima.minima(*compressed(out.dtype, a, b), out)
    return out


def in_unary(V: Any) -> Any:
    """Features whose inner product is sum_f min(a_f, b_f): for each count c of a column, c ones."""
    from scipy.sparse import csr_array

    most = np.asarray(V.max(axis=0).toarray()).ravel().astype(np.int64)
    first = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(most)])
    repeats = V.data.astype(np.int64)
    ends = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(repeats)])
    columns = np.repeat(first[V.indices] - ends[:-1], repeats) + np.arange(ends[-1])
    return csr_array((np.ones(len(columns)), columns, ends[V.indptr]), shape=(V.shape[0], int(first[-1])))


@kernel
class HistogramKernel(Kernel):
    """k(x, y) = sum_f phi_f(x) phi_f(y) over features f of graphs; a subclass prepares `Histograms` that hold phi."""

    items = Graphs
    psd = True
    finite = True

    def block(self, A: Histograms, B: Histograms) -> Array:
        return inner(type(self).__name__, A, B)

    def diag(self, A: Histograms) -> Array:
        return A.rows.sqnorm.copy()

    def feature_map(self, X: Any) -> Any:
        """phi as a CSR matrix, one column per feature that occurs in X, those that most graphs have first."""
        return self.prepare(X).values
