"""Histograms: how often each hashed feature occurs in each graph, as sparse rows.

Columns are the different features of one dataset.  Between two datasets the features of one are looked up in the
other, once, so that no value depends on the dataset a feature was first seen in.  Counts and their products are whole
numbers below 2^53, exact in double precision: no value depends on the order of a sum.

Columns are in the order of how many graphs have the feature.  The first ones, which many graphs have, are also held as
a dense matrix: for them a matrix product is faster than one of sparse rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
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
    place = np.empty(width, dtype=np.int32)
    place[order] = np.arange(width, dtype=np.int32)
    few = min(int(np.sum(having > _OFTEN * len(X))), _MOST_DENSE) if split else 0
    V = csr_array((counts, place[code], ends.astype(np.int32)), shape=(len(X), width))
    sqnorm = np.asarray(V.power(2).sum(axis=1), dtype=float).ravel()
    rest = V[:, few:] if few else V
    dense = np.ascontiguousarray(V[:, :few].toarray()) if few else np.zeros((len(X), 0))
    return Histograms(dense, Rows(rest, sqnorm, ORIGIN), Features(different[order]), form_of(X))


def counted(X: Graphs, hashes: Array, ends: Array, *, split: bool = True) -> Histograms:
    """Rows of counts from hashes (several, all): graph g has those of columns ends[g] to ends[g + 1], in all rows."""
    found, counts = np.empty(hashes.size, dtype=np.int64), np.empty(hashes.size)
    out = np.empty(len(ends), dtype=np.int64)
    tally.tally(hashes, ends, found, counts, out)
    return histograms(X, found[: out[-1]].copy(), counts[: out[-1]].copy(), out, split=split)


def together(X: Graphs, parts: Iterable[tuple[Array, Array, Array]]) -> Histograms:
    """Rows of counts from (hashes, counts, ends) of consecutive graphs."""
    found = list(parts)
    lengths = [np.diff(ends) for _, _, ends in found]
    ends = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.concatenate([np.zeros(0, np.int64), *lengths]))])
    hashes = np.concatenate([np.zeros(0, dtype=np.int64), *(part[0] for part in found)])
    return histograms(X, hashes, np.concatenate([np.zeros(0), *(part[1] for part in found)]), ends)


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
