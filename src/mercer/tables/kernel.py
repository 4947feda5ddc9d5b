"""default_kernel: a first kernel for the columns of a table.

    RBF(l)                                                              numbers only
    TfIdf()                                                             one text
    Normalised(Spectrum(3))                                             one column of sequences
    Normalised(WeisfeilerLehman(3))                                     one column of graphs
    On([...], RBF(l)) + On([...], Hamming(m)) + On("text", TfIdf())     several kinds

l is the median distance of two rows of standardised columns, m is twice the median number of categories in which two
rows differ: for such a pair of rows both kernels are exp(-1/2).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.estimators.table_scaler import TableScaler
from mercer.items.column_kinds import CATEGORICAL, GRAPH, NUMERIC, SEQUENCE, TEXT, are_single_words
from mercer.kernels import RBF, Hamming, Kernel, Normalised, On, Spectrum, TfIdf, WeisfeilerLehman
from mercer.selection.kernel_heuristics import median_lengthscale
from mercer.tables.table import Table
from mercer.typing import Array

SEQUENCE_KERNEL = Normalised(Spectrum(3))  # pieces of three letters, however long the sequences are
GRAPH_KERNEL = Normalised(WeisfeilerLehman(3))  # three steps around a node tell most molecules apart
OWN = (TEXT, SEQUENCE, GRAPH)  # kinds of which every column has a kernel of its own
_PAIRS = 5000


def default_kernel(table: Table) -> Kernel:
    """A kernel on the table after TableScaler; its repr is an expression that makes the same kernel."""
    if table.vectors is not None:
        return RBF(_rounded(_median(_sparse_distances(table.vectors))))
    if table.kinds and set(table.kinds.values()) == {NUMERIC}:
        return RBF(_lengthscale(table))
    structured = {name: _own_kernel(kind, table.columns[name]) for name, kind in table.kinds.items() if kind in OWN}
    if len(table.kinds) == len(structured) == 1:
        return next(iter(structured.values()))
    numeric, categorical = table.of_kind(NUMERIC), table.of_kind(CATEGORICAL)
    terms: list[Kernel] = [On(tuple(numeric), RBF(_lengthscale(table)))] if numeric else []
    if categorical:
        terms.append(On(tuple(categorical), Hamming(_rounded(2.0 * _median(_differences(table))))))
    terms += [On(name, structured[name]) for kind in OWN for name in table.of_kind(kind)]
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _lengthscale(table: Table) -> float:
    numbers = {name: table.columns[name] for name in table.of_kind(NUMERIC)}
    X = TableScaler(dict.fromkeys(numbers, NUMERIC)).fit_transform(numbers)
    return _rounded(median_lengthscale(X)) if len(X) > 1 else 1.0


def _own_kernel(kind: str, column: Array) -> Kernel:
    """The kernel of one column of texts, sequences or graphs; texts of single words are sequences."""
    if kind == GRAPH:
        return GRAPH_KERNEL
    letters = kind == SEQUENCE or are_single_words(value for value in column if value is not None)
    return SEQUENCE_KERNEL if letters else TfIdf()


def _pairs(n: int) -> tuple[Array, Array]:
    i, j = np.random.default_rng(0).integers(0, n, (2, _PAIRS))
    return i[i != j], j[i != j]


def _sparse_distances(V: Any) -> Array:
    i, j = _pairs(V.shape[0])
    apart = V[i] - V[j]
    return np.asarray(np.sqrt(apart.multiply(apart).sum(axis=1))).ravel()


def _differences(table: Table) -> Array:
    """The number of categories in which random pairs of rows differ."""
    i, j = _pairs(len(table))
    apart = [table.columns[name][i] != table.columns[name][j] for name in table.of_kind(CATEGORICAL)]
    return np.asarray(np.sum(apart, axis=0))


def _median(values: Array) -> float:
    """The median, or 1 if it is zero or there are no values."""
    middle = float(np.median(values)) if values.size else 0.0
    return middle if middle > 0.0 else 1.0


def _rounded(value: float) -> float:
    """Three digits; the estimate is not more precise."""
    return float(f"{value:.3g}")
