"""The nearest dense rows: s_ij = |a_i - b_j|^2, the few smallest of every row i, without a stored matrix.

1. All pairs in single precision.  The order of s within a row is that of t_j = |b_j|^2 / 2 - <a_i, b_j>, which is one
   matrix product: rows (a, 1, 1) times columns (-b, h, l), h + l = |b|^2 / 2.  A few more columns are kept than asked
   for.
2. The kept pairs again in double precision, as sums of squared differences.
3. A proof for every row.  With u = 2^-24 the rounding of t is at most

       E_i = (d + 8) u |b|max (|a_i| + |b|max / 2)

   so that no column which was left out is nearer than the last t that was kept, minus E_i.  A row whose count-th
   distance is not below that, because of ties or of an outlier, is done again with all pairs in double precision.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mercer.engine.pool import run, tick
from mercer.engine.tiles import SINGLE_SIDE, cuts
from mercer.gram.smallest_entries import smallest_entries
from mercer.items.vectors import is_sparse
from mercer.kernels.prepared_rows import Rows, sqdist, typed
from mercer.native import distance, select
from mercer.typing import Array

_SPARE = 8  # columns kept beyond those asked for: their distances must clear the rounding
_SMALL = 2**17  # pairs up to which single precision saves nothing
_PANEL = 512  # rows that are copied, or ranked, at a time
_UNIT = 2.0**-24  # relative rounding of float32 ...
_FINE = 2.0**-50  # ... and of a few operations in float64, by which t is found from s


def are_dense_rows(A: object, B: object) -> bool:
    """Whether both are dense real rows."""
    return all(isinstance(X, Rows) and not is_sparse(X.values) and X.dtype.kind == "f" for X in (A, B))


def nearest_rows(A: Rows, B: Rows, count: int) -> tuple[Array, Array]:
    """(index, s): the `count` rows of B nearest to every row of A, ascending, ties by position."""
    n, m, kept = len(A), len(B), count + _SPARE
    if n * m <= _SMALL or 2 * kept > m:
        return _in_double(A, B, count)
    index, unsure = _in_single(A, B, kept)
    best = _ranked(A, B, index)
    rows = np.flatnonzero(unsure(best[:, count - 1]))
    if len(rows):
        index[rows, :count], best[rows, :count] = _in_double(A[rows], B, count)
    return index[:, :count].copy(), best[:, :count].copy()


def _in_single(A: Rows, B: Rows, kept: int) -> tuple[Array, Callable[[Array], Array]]:
    """Steps 1 and 3: the columns of the smallest t, and the test of what they prove."""
    lengths = [_lengths(X) for X in (A, B)]
    size = max(float(lengths[0].max()), float(lengths[1].max())) or 1.0  # the unit, so that float32 holds all numbers
    right, pieces = _columns(B, size), cuts(len(B), SINGLE_SIDE)
    index, best = np.zeros((len(A), kept), dtype=np.intp), np.full((len(A), kept), np.inf)

    def work(r: slice) -> None:
        left = _rows(A[r], size)
        for c in pieces:
            select.smallest(left @ right[:, c], c.start, index[r], best[r])
            tick()

    panels = cuts(len(A), SINGLE_SIDE)
    run(work, panels, steps=len(panels) * len(pieces))
    short, longest = lengths[0] / size, float(lengths[1].max()) / size
    rounding = (A.values.shape[1] + 8) * _UNIT * longest * (short + longest / 2.0) + _FINE * short**2
    return index, lambda s: (s / size**2 - short**2) / 2.0 >= best[:, -1] - rounding


def _lengths(X: Rows) -> Array:
    """|x| in double precision; the squared norms of float32 rows are rounded."""
    squares = X.sqnorm if X.sqnorm.dtype == np.float64 else np.einsum("ij,ij->i", X.values, X.values, dtype=np.float64)
    return np.asarray(np.sqrt(squares))


def _rows(A: Rows, size: float) -> Array:
    """(a, 1, 1) in units of `size`."""
    n, d = A.values.shape
    out = np.ones((n, d + 2), dtype=np.float32)
    np.multiply(A.values, 1.0 / size, out=out[:, :d], casting="same_kind")
    return out


def _columns(B: Rows, size: float) -> Array:
    """(-b, h, l) in units of `size`, a column for every row of B."""
    n, d = B.values.shape
    out = np.empty((d + 2, n), dtype=np.float32)
    half = B.sqnorm.astype(np.float64) / size**2 / 2.0
    out[d] = half
    out[d + 1] = half - out[d]

    def put(c: slice) -> None:
        out[:d, c] = (B.values[c] * (-1.0 / size)).T

    run(put, cuts(n, _PANEL))
    return out


def _in_double(A: Rows, B: Rows, count: int) -> tuple[Array, Array]:
    """The same from all pairs in double precision."""
    A, B = (Rows(typed(X.values, np.float64), X.sqnorm.astype(np.float64), X.frame) for X in (A, B))
    index, _ = smallest_entries(lambda r, c: sqdist(A[r], B[c])[0], (len(A), len(B)), count)
    return index, _ranked(A, B, index)


def _ranked(A: Rows, B: Rows, index: Array) -> Array:
    """Step 2: the squared distances of the pairs (i, index_ip); both are sorted by them."""
    out = np.empty(index.shape)
    right = typed(B.values, np.float64)

    def work(r: slice) -> None:
        distance.ranked(typed(A.values[r], np.float64), right, index[r], out[r])

    run(work, cuts(len(A), _PANEL))
    return out
