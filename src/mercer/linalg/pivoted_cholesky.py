"""The Cholesky factor of a Gram with pivots, up to a rank: a few items stand for all.

    K  ~  L L',     L (n, r),     rows and columns of r pivot items exact

Each step takes the item with the largest entry on the diagonal of K - L L'; only r rows of K are ever computed.  A row
of L is the feature vector of its item; a function w'L(x) is sum_j a_j k(x, x_j) over the pivots alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.errors import NotPositiveDefinite
from mercer.typing import Array, Gram


@dataclass(frozen=True, eq=False)
class LowRank:
    """L, the pivots in their order, and the share of the trace of K that L L' leaves out."""

    L: Array
    pivots: Array
    residual: float

    def coefficients(self, w: Array) -> Array:
        """a with w'L(x) = sum_j a_j k(x, x_j), x_j the pivots: L_P'a = w, one column per column of w."""
        from scipy.linalg import solve_triangular

        return np.asarray(solve_triangular(self.L[self.pivots].T, w, lower=False))


def pivoted_cholesky(gram: Gram, rank: int | None = None, tol: float | None = None) -> LowRank:
    """The factor up to `rank`, or until diag(K - L L') is rounding, or below `tol` times the largest k(x, x)."""
    eps = float(np.finfo(gram.diag().dtype).eps)
    least, wrong = (1000.0 * eps, eps**0.5) if tol is None else (tol, max(eps**0.5, 10.0 * tol))
    left = np.array(gram.diag(), dtype=float)
    total, largest = float(left.sum()), float(left.max(initial=0.0))
    T = np.empty((min(len(left), rank or len(left)), len(left)))  # L', grown row by row
    pivots: list[int] = []
    while len(pivots) < len(T) and left.max() > least * largest:
        i, done = int(np.argmax(left)), T[: len(pivots)]
        row = (np.asarray(gram.rows(np.array([i])), dtype=float)[0] - done[:, i] @ done) / np.sqrt(left[i])
        row[pivots] = 0.0  # exactly 0 without rounding
        T[len(pivots)] = row
        left -= row * row
        left[i] = 0.0
        pivots.append(i)
    if left.min(initial=0.0) < -wrong * largest:
        raise NotPositiveDefinite(
            "pivoted_cholesky: the Gram must be positive semi-definite; got a Schur complement with the diagonal "
            f"entry {left.min():.3g}. Use a kernel with psd=True, or mercer.repair."
        )
    return LowRank(T[: len(pivots)].T.copy(), np.array(pivots, dtype=np.intp), float(left.sum()) / (total or 1.0))
