"""One small problem solved again and again, each time without some of its items."""

from __future__ import annotations

import numpy as np
from numba import njit

from mercer.compiled.finish import solve_whole
from mercer.compiled.parts import gather, own_gradient
from mercer.compiled.proof import best_offset, move_to_sum


@njit(cache=True, nogil=True, error_model="numpy")
def refit(K, index, held, z, lo, hi, epsilon, b, tol, max_steps, scores):
    """Write f of all items by the machine without those of each column of `held`; False where that takes too long.

    The problem is on the items `index` of K, with coefficients that add up to 0 and a solution near b; an item that is
    held out keeps the coefficient 0.
    """
    q = index.shape[0]
    own, everybody, F = np.empty((q, q), np.float32), np.ones(q, np.bool_), np.empty(q)
    gather(K, index, index, own)
    diagonal = np.diag(own).copy()
    for k in range(held.shape[1]):
        low, high, x = lo.copy(), hi.copy(), b.copy()
        for i in range(q):
            if held[i, k]:
                low[i] = high[i] = x[i] = 0.0
        move_to_sum(x, low, high, everybody, 0.0)
        x = np.minimum(np.maximum(x, low), high)
        own_gradient(own, x, z, F)
        _, violation, endless = solve_whole(own, diagonal, F, x, low, high, epsilon, tol, max_steps, 0)
        if endless or violation > tol:
            return False
        scores[:, k] = F + z + best_offset(x, F, low, high, epsilon)[2]
    return True
