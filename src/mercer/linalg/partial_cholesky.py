"""The first columns of a Cholesky factor of a Gram, with pivots taken a block at a time.

    K  ~  L L',     L (n, r),     what is left has the trace  t_k  after k columns

The pivots of a block are drawn with chances in proportion to what the columns before leave of each k(x, x), which finds
the items that matter without looking at more than r rows; all work is products of large matrices.  (`pivoted_cholesky`
takes the largest each time: the fewest columns, at the price of one pass over L for each.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.typing import Array

_BLOCK = 64
_ROUNDING = 1e-13  # of the largest k(x, x), that a pivot must leave
_WORTH = 4.0  # times the mean eigenvalue of what is left: what a column must take away


@dataclass(frozen=True, eq=False)
class Columns:
    """L, and the trace of K - L_k L_k' for every number of columns k = 0 ... r."""

    L: Array
    left: Array

    def rank(self, trace: float) -> int:
        """The least number of columns that leaves no more than this trace; all if none does."""
        return int(min(np.count_nonzero(self.left > trace), self.L.shape[1]))


def partial_cholesky(K: Array, rank: int, trace: float, *, seed: int = 0) -> Columns:
    """Columns until no more than this trace is left, or up to the rank; fewer where the rest is rounding or even."""
    rng = np.random.default_rng(seed)
    d = np.array(np.diagonal(K), dtype=float)
    least, n = _ROUNDING * float(d.max(initial=0.0)), len(K)
    L, k = np.zeros((n, min(rank, n))), 0
    left = [float(np.maximum(d, 0.0).sum())]
    while k < L.shape[1] and left[-1] > trace:
        some = np.flatnonzero(d > least)
        b = min(_BLOCK, L.shape[1] - k, len(some))
        if not b:
            break
        pivots = rng.choice(some, size=b, replace=False, p=d[some] / d[some].sum())
        G = K[pivots].T - L[:, :k] @ L[pivots, :k].T  # (n, b)
        G, found = _block(G, pivots, least)
        if not found:
            break
        L[:, k : k + found] = G
        for j in range(found):
            d -= G[:, j] ** 2
            left.append(float(np.maximum(d, 0.0).sum()))
        d[pivots] = 0.0
        k += found
        if left[-1 - found] - left[-1] < _WORTH * found * left[-1] / max(n - k, 1):
            break
    return Columns(L[:, :k], np.array(left))


def _block(G: Array, pivots: Array, least: float) -> tuple[Array, int]:
    """G C^-T with C C' = G[pivots] in an order that has the largest pivots first, as far as they are not rounding."""
    from scipy.linalg.lapack import dpstrf

    C, order, found, _ = dpstrf(np.asfortranarray(G[pivots]), tol=least, lower=1)
    found = int(found)
    C, order = np.tril(C[:found, :found]), order[:found] - 1
    return np.asarray(G[:, order] @ np.linalg.inv(C).T if found else G[:, :0]), found
