"""The centre and the deviation of columns, not moved by a few wild values.

A hundredth of a column at either end, and at least one value, is pulled in to the next value before the mean and the
standard deviation are taken.  What is constant then, say a flag that is rarely set, is measured as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.items.vectors import is_sparse
from mercer.typing import Array

OUTER = 100  # one value in so many is pulled in, at either end
_CONSTANT = 1e-12  # of the size of a column: deviations that are rounding
_COLUMNS = 256  # of a sparse matrix, that are looked at together


def centre_and_deviation(X: Any) -> tuple[Array, Array]:
    """Per column of a dense or sparse matrix; the deviation is 0 where a column is constant up to rounding."""
    if not is_sparse(X):
        return _of_columns(np.asarray(X, dtype=np.float64))
    V = X.tocsc()
    parts = [_of_columns(V[:, j : j + _COLUMNS].toarray().astype(np.float64)) for j in range(0, V.shape[1], _COLUMNS)]
    centres, deviations = zip(*parts, strict=True)
    return np.concatenate(centres), np.concatenate(deviations)


def pulled_in(V: Array) -> Array:
    """The columns with their outermost values replaced by the next ones."""
    n = len(V)
    k = min(-(-n // OUTER), (n - 1) // 2)
    low, high = np.partition(V, (k, n - 1 - k), axis=0)[[k, n - 1 - k]]
    return np.where(low < high, np.clip(V, low, high), V)


def _of_columns(V: Array) -> tuple[Array, Array]:
    V = pulled_in(V)
    size = np.abs(V).max(axis=0)
    size = np.where(size > 0.0, size, 1.0)
    V = V / size  # so that squares of huge and of tiny numbers are numbers
    deviation = V.std(axis=0)
    return V.mean(axis=0) * size, np.where(deviation > _CONSTANT, deviation, 0.0) * size
