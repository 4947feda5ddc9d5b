"""Grams in single precision whose rows are centred first.

The coefficients of a machine with a free intercept add up to zero, so k(x, y) - r(x) - r(y) gives it the same
functions as k(x, y), whatever r is.  With r close to the mean of a row, the numbers that are stored are small: without
that, an offset that all kernel values share would use up the float32 mantissa.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mercer.engine import fill
from mercer.typing import Array

_COLUMNS = 64  # columns of the Gram from which the mean of each row is estimated
_OUTLIER = 16.0  # an item with k(x, x) above so many medians is left out of the means


def sampled(n: int) -> slice:
    """The positions of about _COLUMNS items among n, evenly spaced."""
    return slice(None, None, max(1, n // _COLUMNS))


def row_centred(block: Callable[[slice, slice], Array], n: int, some: Array) -> Array:
    """k(x, y) - r(x) - r(y) as float32, for n items whose tiles are `block` and whose columns `sampled(n)` are `some`.

    r(x) is the mean of row x over the sampled columns, less half of the mean of all.  Outliers among the sampled items
    are left out of it: their kernel values would dominate the means.
    """
    sizes = np.abs(np.diagonal(some[sampled(n)]))
    usual = sizes <= _OUTLIER * np.median(sizes)
    r = some[:, usual].mean(axis=1, dtype=np.float64)
    r -= 0.5 * float(r[sampled(n)][usual].mean())

    def centred(rows: slice, columns: slice) -> Array:
        tile = block(rows, columns) - r[rows, None]
        tile -= r[columns]
        return np.asarray(tile)

    return fill.dense(centred, (n, n), np.dtype(np.float32), symmetric=True, what="A Gram in single precision")


def row_centred_array(K: Array) -> Array:
    """The same for a Gram that is given as an array."""
    return row_centred(lambda r, c: K[r, c], len(K), K[:, sampled(len(K))])
