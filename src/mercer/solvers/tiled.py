"""Cholesky factor and inverse in place, by blocks, on our own threads.

    factor_lower(A)      A = L L'        L on and under the diagonal
    invert_lower(A)      L -> L^-1
    multiply_lower(A)    L^-1 -> L^-T L^-1 = A^-1
    RowSolver(A)(K)      K L^-T for a few rows K, by whichever thread calls it

Only the lower triangle is read and written.  Nearly all work is in matrix products of a block of rows with everything
before it, each the task of one thread.  LAPACK's own threads wait for each other by spinning, and on a machine that has
other things to do they wait long; ours do not, and on an idle one they are no slower.
"""

from __future__ import annotations

import numpy as np

from mercer.engine.pool import one_blas_thread, run
from mercer.engine.tiles import cuts
from mercer.typing import Array

_SIDE = 256  # rows of a block: what one thread does alone while the others wait
_WIDE = 512  # columns that one task works on


@one_blas_thread()
def factor_lower(A: Array) -> int | None:
    """Overwrite the lower triangle by that of L, block column by block column; the row where that failed, or None."""
    from scipy.linalg.lapack import dpotrf

    for k in cuts(len(A), _SIDE):
        done = slice(0, k.start)
        corner = A[k, k] - A[k, done] @ A[k, done].T
        _, info = dpotrf(corner.T, lower=0, overwrite_a=1, clean=0)
        if info:
            return int(k.start + info - 1)
        _put_lower(A, k, corner)
        below = [slice(k.stop + r.start, k.stop + r.stop) for r in cuts(len(A) - k.stop, _WIDE)]
        run(lambda r, k=k, done=done, corner=corner: _below(A, r, k, done, corner), below)  # type: ignore[misc]
    return None


def _below(A: Array, r: slice, k: slice, done: slice, corner: Array) -> None:
    """L_rk = (A_rk - L_r L_k') L_kk^-T."""
    from scipy.linalg.blas import dtrsm

    tile = A[r, k] - A[r, done] @ A[k, done].T
    A[r, k] = dtrsm(1.0, corner.T, tile.T, lower=0, trans_a=1, overwrite_b=1).T


def _put_lower(A: Array, k: slice, corner: Array) -> None:
    """Write the lower triangle of a diagonal block, what is above it untouched."""
    A[k, k] = np.tril(corner) + np.triu(A[k, k], 1)


@one_blas_thread()
def invert_lower(A: Array) -> None:
    """Overwrite L by L^-1, block row by block row: row i becomes -L_ii^-1 L_i L^-1."""
    from scipy.linalg.blas import dtrsm
    from scipy.linalg.lapack import dtrtri

    blocks, corners = cuts(len(A), _SIDE), dict[int, Array]()  # inverted diagonal blocks, zero above the diagonal
    for i, k in enumerate(blocks):
        head, factor = A[k, : k.start].copy(), np.tril(A[k, k])

        def columns(c: slice, k: slice = k, head: Array = head, factor: Array = factor) -> None:
            tile = head[:, c.stop :] @ A[c.stop : k.start, c]
            tile += head[:, c] @ corners[c.start]
            A[k, c] = dtrsm(-1.0, factor.T, tile.T, side=1, lower=0, trans_a=0, overwrite_b=1).T

        run(columns, blocks[:i])
        corners[k.start] = np.tril(dtrtri(factor.T, lower=0)[0].T)
        _put_lower(A, k, corners[k.start])


@one_blas_thread()
def multiply_lower(A: Array) -> None:
    """Overwrite T = L^-1 by the lower triangle of T'T, block row by block row: row i is T_:i' T from row i on."""
    for k in cuts(len(A), _SIDE):
        panel = A[k.start :, k].copy()
        panel[: k.stop - k.start] = np.tril(panel[: k.stop - k.start])

        def columns(c: slice, k: slice = k, panel: Array = panel) -> None:
            A[k, c] = panel.T @ A[k.start :, c]

        run(columns, cuts(k.start, _WIDE))
        _put_lower(A, k, panel.T @ panel)


class RowSolver:
    """K -> K L^-T in place: forward substitution by blocks, whose diagonal ones are inverted beforehand."""

    def __init__(self, A: Array) -> None:
        from scipy.linalg.lapack import dtrtri

        self.A, self.blocks = A, cuts(len(A), _SIDE)
        self.corners = [np.tril(dtrtri(np.tril(A[k, k]).T, lower=0)[0].T) for k in self.blocks]

    def __call__(self, K: Array) -> Array:
        for k, corner in zip(self.blocks, self.corners, strict=True):
            K[:, k] = (K[:, k] - K[:, : k.start] @ self.A[k, : k.start].T) @ corner.T
        return K
