"""Cholesky factor and inverse in place, by halves, on our own threads.

    factor_lower(A)      A = L L'        L on and under the diagonal
    invert_lower(A)      L -> L^-1
    multiply_lower(A)    L^-1 -> L^-T L^-1 = A^-1
    RowSolver(A)(K)      K L^-T for a few rows K, by whichever thread calls it

Only the lower triangle is read and written.  A matrix is [[A11, .], [A21, A22]]; what remains between the two halves
is work on slabs of A21 and A22, each the task of one thread, in large products.  LAPACK's own threads wait for each
other by spinning, and on a machine that has other things to do they wait long; ours do not.
"""

from __future__ import annotations

import numpy as np

from mercer.engine.pool import one_blas_thread, run
from mercer.engine.tiles import cuts
from mercer.solvers import blas
from mercer.typing import Array

_LEAF = 256  # rows of what one thread does alone
_SLABS = 4  # tasks that a part is cut into, as long as each has
_THIN, _THICK = 128, 512  # so many rows at least and at most
_BROAD = 1024  # columns of one step of a substitution


@one_blas_thread()
def factor_lower(A: Array) -> int | None:
    """Overwrite the lower triangle by that of L; the row where that failed, or None.

    A21 -> A21 L11^-T = L21,   A22 -> A22 - L21 L21'.
    """
    if len(A) <= _LEAF:
        return blas.cholesky(A)
    h = _half(len(A))
    failed = factor_lower(A[:h, :h])
    if failed is not None:
        return failed
    below, rest = A[h:, :h], A[h:, h:]
    run(lambda r: blas.solve_right(below[r], A[:h, :h]), _slabs(len(below)))

    def update(r: slice) -> None:
        blas.minus_products(rest[r, : r.start], below[r], below[: r.start])
        blas.minus_square(rest[r, r], below[r])

    run(update, _slabs(len(rest))[::-1])
    failed = factor_lower(rest)
    return None if failed is None else h + failed


@one_blas_thread()
def invert_lower(A: Array) -> None:
    """Overwrite L by T = L^-1: T11 and T22 are inverses by themselves, and T21 = -T22 L21 T11."""
    if len(A) <= _LEAF:
        blas.invert(A)
        return
    h = _half(len(A))
    invert_lower(A[:h, :h])
    invert_lower(A[h:, h:])
    below = A[h:, :h]
    run(lambda r: blas.multiply_right(below[r], A[:h, :h]), _slabs(len(below)))
    run(lambda c: blas.multiply_left(below[:, c], A[h:, h:]), _slabs(h))


@one_blas_thread()
def multiply_lower(A: Array) -> None:
    """Overwrite T = L^-1 by the lower triangle of T'T: T11'T11 + T21'T21, T22'T21 and T22'T22."""
    if len(A) <= _LEAF:
        blas.square(A)
        return
    h = _half(len(A))
    multiply_lower(A[:h, :h])
    below = A[h:, :h]

    def update(r: slice) -> None:
        blas.plus_products(A[r, : r.start], below[:, r], below[:, : r.start])
        blas.plus_square(A[r, r], below[:, r])

    run(update, _slabs(h)[::-1])
    run(lambda c: blas.multiply_left(below[:, c], A[h:, h:], transposed=True), _slabs(h))
    multiply_lower(A[h:, h:])


def _half(n: int) -> int:
    """About n / 2, in whole leaves."""
    return _LEAF * max(1, round(n / (2 * _LEAF)))


def _slabs(n: int) -> list[slice]:
    """Rows (or columns) for one task each."""
    return cuts(n, min(max(n // _SLABS, _THIN), _THICK))


class RowSolver:
    """K -> K L^-T in place: forward substitution by wide blocks, whose diagonal ones are inverted beforehand.

    Products of many columns run near the peak of the machine, those of few at half of it; so blocks are wide, and the
    triangle of zeros in an inverted one is left out piece by piece.
    """

    def __init__(self, A: Array) -> None:
        self.A, self.blocks = A, cuts(len(A), _BROAD)
        self.corners = [np.tril(A[k, k]) for k in self.blocks]
        for corner in self.corners:
            invert_lower(corner)

    def __call__(self, K: Array) -> Array:
        for k, corner in zip(self.blocks, self.corners, strict=True):
            rest = K[:, k] - K[:, : k.start] @ self.A[k, : k.start].T if k.start else K[:, k].copy()
            for p in cuts(len(corner), _LEAF):
                np.matmul(rest[:, : p.stop], corner[p, : p.stop].T, out=K[:, k.start + p.start : k.start + p.stop])
        return K
