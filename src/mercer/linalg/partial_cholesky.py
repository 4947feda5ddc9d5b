"""The first columns of a Cholesky factor of a Gram, with pivots taken a block at a time.

    K  ~  L L',     L (n, r),     t_k = tr(K - L_k L_k')  after k columns

A pivot is drawn with a probability in proportion to its entry on the diagonal of K - L L'.  That finds the items that
matter from r rows of K, and the work is products of large matrices.  (`pivoted_cholesky` takes the largest entry each
time: the fewest columns, at the price of one pass over L for each.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mercer.typing import Array

_BLOCK = 64
_ROUNDING = 1e-13  # pivots below this share of the largest k(x, x) are rounding
_WORTH = 4.0  # stop when a column lowers the trace by less than 4 mean eigenvalues of K - L L'


@dataclass(frozen=True, eq=False)
class PartialFactor:
    """L, and the trace of K - L_k L_k' for every number of columns k = 0 ... r."""

    L: Array
    left: Array

    def rank(self, trace: float) -> int:
        """The least number of columns that leaves no more than this trace; all if none does."""
        return int(min(np.count_nonzero(self.left > trace), self.L.shape[1]))


def partial_cholesky(K: Array, rank: int, trace: float, *, seed: int = 0) -> PartialFactor:
    """Columns until at most this trace is left, or up to the rank; fewer if they gain too little."""
    return partial_factor(K.__getitem__, np.diagonal(K), rank, trace, seed=seed)


def partial_factor(
    rows: Callable[[Array], Array], diagonal: Array, rank: int, trace: float, *, seed: int = 0
) -> PartialFactor:
    """`partial_cholesky` of a K that is known by some of its rows at a time, and by its diagonal."""
    rng = np.random.default_rng(seed)
    d = np.array(diagonal, dtype=float)
    n, k = len(d), 0
    least = _ROUNDING * float(d.max(initial=0.0))
    L = np.zeros((n, min(rank, n)))
    left = [float(np.maximum(d, 0.0).sum())]
    while k < L.shape[1] and left[-1] > trace:
        some = np.flatnonzero(d > least)
        b = min(_BLOCK, L.shape[1] - k, len(some))
        if not b:
            break
        pivots = rng.choice(some, size=b, replace=False, p=d[some] / d[some].sum())
        G = rows(pivots).T - L[:, :k] @ L[pivots, :k].T  # (n, b)
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
    return PartialFactor(L[:, :k], np.array(left))


def _block(G: Array, pivots: Array, least: float) -> tuple[Array, int]:
    """G C^-T with C C' = G[pivots], largest pivots first, without those that are rounding; and how many there are."""
    from scipy.linalg.lapack import dpstrf

    C, order, found, _ = dpstrf(np.asfortranarray(G[pivots]), tol=least, lower=1)
    found = int(found)
    C, order = np.tril(C[:found, :found]), order[:found] - 1
    return np.asarray(G[:, order] @ np.linalg.inv(C).T if found else G[:, :0]), found
