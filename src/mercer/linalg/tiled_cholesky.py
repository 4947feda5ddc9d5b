"""Cholesky factor and inverse in place, by halves, on our own threads.

    factor_lower(A)      A = L L'        L on and under the diagonal
    invert_lower(A)      L -> L^-1
    multiply_lower(A)    L^-1 -> L^-T L^-1 = A^-1
    RowSolver(A)(K)      K L^-T for a few rows K, by whichever thread calls it

Only the lower triangle is read and written.  A matrix is [[A11, .], [A21, A22]]: each half is handled by recursion, and
the rest is products on slabs of A21 and A22, one task of one thread each.  LAPACK's own threads wait for each other by
spinning, which is slow on a busy machine; ours do not.

A product with a triangle runs near the peak speed of the machine, a triangular solve at a third of it, and LAPACK
inverts large triangles slowly.  So triangles are inverted by halves, and solves are products with the inverses, unless
the inverses are so large that accuracy would be lost.
"""

from __future__ import annotations

from mercer.engine.pool import one_blas_thread, run
from mercer.engine.tiles import cuts
from mercer.linalg import blas
from mercer.native import triangles
from mercer.typing import Array

_LEAF = 128  # rows up to which LAPACK inverts a triangle
_ALONE = 512  # rows up to which one thread does everything
_SLABS = 4  # tasks per product
_THIN, _THICK = 128, 512  # fewest and most rows of a task
_BROAD = 2048  # columns of one step of a substitution
_STEEP = 1e5  # max |L| max |L^-1| up to which products with L^-1 are as accurate as substitution


@one_blas_thread()
def factor_lower(A: Array) -> int | None:
    """Overwrite the lower triangle by L; returns the row where that failed, or None.

    A21 -> A21 L11^-T = L21,   A22 -> A22 - L21 L21'.
    """
    if len(A) <= _ALONE:
        return blas.cholesky(A)
    h = _half(len(A))
    failed = factor_lower(A[:h, :h])
    if failed is not None:
        return failed
    below, rest = A[h:, :h], A[h:, h:]
    solver = RowSolver(A[:h, :h], _LEAF)

    def solve(r: slice) -> None:
        solver(below[r])

    def update(r: slice) -> None:
        blas.minus_products(rest[r, : r.start], below[r], below[: r.start])
        blas.minus_square(rest[r, r], below[r])

    run(solve, _slabs(len(below)))
    run(update, _slabs(len(rest))[::-1])
    failed = factor_lower(rest)
    return None if failed is None else h + failed


@one_blas_thread()
def invert_lower(A: Array) -> None:
    """Overwrite L by T = L^-1: first the blocks on the diagonal, whose inverses do not depend on the others."""
    run(lambda r: _invert(A[r, r], 0), _parts(len(A)))
    _invert(A, _ALONE)


def _invert(A: Array, done: int) -> None:
    """T21 = -T22 L21 T11, after T11 and T22; blocks of up to `done` rows are inverses already."""
    if len(A) <= done:
        return
    if len(A) <= _LEAF:
        blas.invert(A)
        return
    h = _half(len(A))
    _invert(A[:h, :h], done)
    _invert(A[h:, h:], done)
    below = A[h:, :h]
    run(lambda r: blas.multiply_right(below[r], A[:h, :h], factor=-1.0), _slabs(len(below)))
    run(lambda c: blas.multiply_left(below[:, c], A[h:, h:]), _slabs(h))


@one_blas_thread()
def multiply_lower(A: Array) -> None:
    """Overwrite T = L^-1 by the lower triangle of T'T: T11'T11 + T21'T21, T22'T21 and T22'T22."""
    if len(A) <= _ALONE:
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
    """About n / 2, in whole blocks."""
    return _LEAF * max(1, round(n / (2 * _LEAF)))


def _parts(n: int, start: int = 0) -> list[slice]:
    """The blocks on the diagonal at which halving ends, one for each task."""
    if n <= _ALONE:
        return [slice(start, start + n)]
    h = _half(n)
    return _parts(h, start) + _parts(n - h, start + h)


def _slabs(n: int) -> list[slice]:
    """Rows (or columns) of one task each; a small product is one task, because handing tasks over costs more."""
    return [slice(0, n)] if n <= _ALONE // 2 else cuts(n, min(max(n // _SLABS, _THIN), _THICK))


class RowSolver:
    """K -> K L^-T in place: forward substitution by blocks of at most `width` columns."""

    def __init__(self, A: Array, width: int = _BROAD) -> None:
        self.A, self.blocks = A, cuts(len(A), width)
        self.inverses = [_inverse(A[k, k]) for k in self.blocks]

    def __call__(self, K: Array) -> Array:
        for k, T in zip(self.blocks, self.inverses, strict=True):
            blas.minus_products(K[:, k], K[:, : k.start], self.A[k, : k.start])
            if T is None:
                blas.solve_right(K[:, k], self.A[k, k])
            else:
                blas.multiply_right(K[:, k], T, transposed=True)
        return K


def _inverse(L: Array) -> Array | None:
    """L^-1, or None where products with it would be inaccurate."""
    T = L.copy()
    invert_lower(T)
    return T if triangles.largest(L) * triangles.largest(T) <= _STEEP else None
