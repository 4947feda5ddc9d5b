"""Histograms: how often each hashed feature occurs in each graph, as sparse rows.

Columns are the different features of one dataset.  Between two datasets the features of one are looked up in the
other, once, so that no value depends on the dataset a feature was first seen in.  Counts and their products are whole
numbers below 2^53, exact in double precision: no value depends on the order of a sum.
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
from mercer.kernels.prepared_rows import ORIGIN, Rows, as_csr, compressed, dot, rows
from mercer.native import minima, tally
from mercer.typing import Array, Index


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
    """n sparse rows of counts, one column per feature."""

    rows: Rows
    features: Features
    form: Form
    frame: None = None

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(self.rows[index], self.features, self.form)

    def in_columns_of(self, features: Features) -> Rows:
        """These rows with the columns of `features`; other columns are dropped: they would be multiplied by zeros."""
        if features is self.features:
            return self.rows
        from scipy.sparse import csr_array

        V = self.rows.values
        columns = features.places_of(self.features)[V.indices]
        kept = columns >= 0
        ends = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(kept)])[V.indptr]
        V = csr_array((V.data[kept], columns[kept], ends.astype(V.indptr.dtype)), shape=(len(self), len(features)))
        return Rows(V, self.rows.sqnorm, ORIGIN)


def histograms(X: Graphs, hashes: Array, counts: Array, ends: Array) -> Histograms:
    """Rows of counts: graph g has the features hashes[ends[g] : ends[g + 1]], all different."""
    from scipy.sparse import csr_array

    code, different = np.empty(len(hashes), dtype=np.int32), np.empty(len(hashes), dtype=np.int64)
    width = tally.codes(hashes, code, different)
    V = csr_array((counts, code, ends.astype(np.int32)), shape=(len(X), width))
    return Histograms(rows(V, ORIGIN), Features(different[:width].copy()), form_of(X))


def counted(X: Graphs, hashes: Array, ends: Array) -> Histograms:
    """Rows of counts from hashes (several, all): graph g has those of columns ends[g] to ends[g + 1], in all rows."""
    found, counts = np.empty(hashes.size, dtype=np.int64), np.empty(hashes.size)
    out = np.empty(len(ends), dtype=np.int64)
    tally.tally(hashes, ends, found, counts, out)
    return histograms(X, found[: out[-1]].copy(), counts[: out[-1]].copy(), out)


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
    return dot(A.rows, B.in_columns_of(A.features))[0]


def common(owner: str, A: Histograms, B: Histograms) -> Array:
    """sum_f min(a_f, b_f) for all pairs of rows."""
    require_same(owner, A.form, B.form)
    a, b = as_csr(A.rows.values), as_csr(B.in_columns_of(A.features).values).tocsc()
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
        """phi as a CSR matrix, one column per feature that occurs in X, in the order of first occurrence."""
        return self.prepare(X).rows.values
