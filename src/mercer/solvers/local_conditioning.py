"""A Gaussian process at one new item, conditioned on few items only.

    y = f + H b + e,    cov(f + e) = M,    a flat prior on b

With A = H'M^-1 H and u = h(x) - H'M^-1 k(x):

    mean      k(x)'M^-1 (y - H b) + h(x)'b,    b = A^-1 H'M^-1 y
    variance  k(x, x) - k(x)'M^-1 k(x) + u'A^-1 u
"""

from __future__ import annotations

import numpy as np

from mercer.linalg import blas
from mercer.typing import Array

_LADDER = (0.0, 1e-10, 1e-8, 1e-6, 1e-4)  # added to the diagonal of M, in units of its mean, until M has a factor


def condition_at(M: Array, k: Array, kxx: float, Y: Array, H: Array, h: Array) -> tuple[Array, float]:
    """Mean (q,) and variance of f + h'b at one item; M (n, n) is overwritten, and has both triangles."""
    q = Y.shape[1]
    columns = np.ascontiguousarray(np.concatenate([Y.T, H.T, k[None]]))  # one row per right hand side
    L = _factor(M)
    blas.solve_right(columns, L)  # rows v -> v L^-T: the same as L^-1 v
    G = columns @ columns.T
    mean, variance = G[-1, :q].copy(), kxx - G[-1, -1]
    if len(h):
        A, left = G[q:-1, q:-1], h - G[q:-1, -1]
        solved = np.linalg.solve(A, np.column_stack([G[q:-1, :q], left]))
        mean += left @ solved[:, :q]
        variance += float(left @ solved[:, q])
    return mean, float(max(variance, 0.0))


def _factor(M: Array) -> Array:
    diagonal, size = M.diagonal().copy(), float(M.diagonal().mean())
    for jitter in _LADDER:
        M.flat[:: len(M) + 1] = diagonal + jitter * size
        if blas.cholesky(M) is None:
            return M
        lower = np.tril_indices(len(M), -1)
        M[lower] = M.T[lower]
    raise np.linalg.LinAlgError("the covariance of the neighbours has no factor")
