"""The Cholesky factor of a symmetric positive definite matrix, in the one buffer the matrix came in.

    M + jitter I  =  L L'

LAPACK reads and writes one triangle only.  So the array that held M holds L on and under its diagonal, and M itself
still above it: products with M (the residual of a solution) need no second n x n array, and a factorisation that fails
can be repeated with more on the diagonal.

    factor = factorise(M)               M is overwritten
    factor.solve(B)                     M^-1 B
    factor.extend(B, C)                 of the matrix with rows appended, in O(n^2) per row
    factor.remove(index)                of the matrix with rows and columns left out, in O(n^2) per row

The ladder holds jitters in rising order; each is tried only if those before it failed.  `jitter` is the one that was
used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from mercer.engine.fill import require_memory
from mercer.engine.tiles import cuts
from mercer.errors import NotPositiveDefinite, bad
from mercer.linalg.lanczos import lanczos
from mercer.linalg.tiled_cholesky import factor_lower, invert_lower, multiply_lower
from mercer.native import triangles
from mercer.typing import Array

LADDER = (0.0, 1e-12, 1e-10, 1e-8, 1e-6)  # jitters, in units of the mean of the diagonal
_PANEL = 64  # columns that LAPACK eliminates at a time in a low-rank update


@dataclass(frozen=True, eq=False)
class Factor:
    """L in the lower triangle of A; M above the diagonal; `diagonal` is that of M, without the jitter."""

    A: Array
    diagonal: Array
    jitter: float = 0.0

    def __len__(self) -> int:
        return len(self.A)

    @property
    def L(self) -> Array:
        """The factor as an array of its own."""
        return np.tril(self.A)

    def solve(self, B: Array) -> Array:
        """(M + jitter I)^-1 B."""
        from scipy.linalg.lapack import dpotrs

        return _columns(lambda C: dpotrs(self.A.T, C, lower=0)[0], B)

    def half(self, B: Array) -> Array:
        """L^-1 B, whose squared columns are the quadratic forms b'(M + jitter I)^-1 b."""
        from scipy.linalg.lapack import dtrtrs

        return _columns(lambda C: dtrtrs(self.A.T, C, lower=0, trans=1)[0], B)

    def back(self, B: Array) -> Array:
        """L^-T B; standard normals B become normals with the covariance (M + jitter I)^-1."""
        from scipy.linalg.lapack import dtrtrs

        return _columns(lambda C: dtrtrs(self.A.T, C, lower=0, trans=0)[0], B)

    def times(self, B: Array) -> Array:
        """M B, from the upper triangle, which still holds M."""
        from scipy.linalg.blas import dsymm

        correction = self.diagonal - np.diagonal(self.A)  # the diagonal of A is that of L
        return _columns(lambda C: dsymm(1.0, self.A.T, C, lower=1) + correction[:, None] * C, B)

    @property
    def log_determinant(self) -> float:
        """log |M + jitter I| = 2 sum_i log L_ii."""
        return 2.0 * float(np.log(np.diagonal(self.A)).sum())

    def inverse(self, *, overwrite: bool = False) -> Array:
        """(M + jitter I)^-1, both triangles; with `overwrite` in the buffer of the factor, which is lost."""
        C = self._buffer(overwrite)
        _invert(C)
        triangles.mirror_lower(C)
        return C

    def inverse_in_place(self) -> Array:
        """(M + jitter I)^-1 on and under the diagonal of the buffer; the factor is lost, above stays what was there."""
        _invert(self.A)
        return self.A

    def inverse_diagonal(self, *, overwrite: bool = False) -> Array:
        """The diagonal of (M + jitter I)^-1: [..]_ii = sum_j (L^-1)_ji^2; `overwrite` as in `inverse`."""
        C = self._buffer(overwrite)
        invert_lower(C)
        squares = [np.square(np.tril(C[r, : r.stop], r.start)) for r in cuts(len(C))]
        return np.asarray(sum(np.pad(s.sum(axis=0), (0, len(C) - s.shape[1])) for s in squares))

    def _buffer(self, overwrite: bool) -> Array:
        if overwrite:
            return self.A
        require_memory(f"The inverse of {len(self)} x {len(self)}", self.A.nbytes, "Let it overwrite the factor.")
        return self.A.copy()

    def extend(self, B: Array, C: Array) -> Factor:
        """The factor of [[M, B'], [B, C]]: L21 = B L^-T, and L22 L22' = C + jitter I - L21 L21'."""
        n, m = len(self), len(B)
        require_memory(f"The factor of {n + m} x {n + m}", 8 * (n + m) ** 2, "Append fewer items.")
        A = np.empty((n + m, n + m))
        A[:n, :n] = self.A
        A[:n, n:] = B.T
        A[n:, :n] = self.half(B.T).T
        corner = C - A[n:, :n] @ A[n:, :n].T
        corner.flat[:: m + 1] += self.jitter
        left = np.diagonal(corner) / np.maximum(np.diagonal(C), np.finfo(float).tiny)
        if factor_lower(corner) is not None or (np.diagonal(corner) ** 2 <= _rounding(n + m) * np.diagonal(C)).any():
            raise NotPositiveDefinite(
                "extend: the enlarged matrix must be positive definite; got a row whose variance given the others "
                f"is only {left.min():.1e} of its own. Factorise the matrix anew, with a jitter, or leave that row out."
            )
        A[n:, n:] = np.tril(corner) + np.triu(C, 1)
        return Factor(A, np.concatenate([self.diagonal, np.diagonal(C)]), self.jitter)

    def remove(self, index: Array) -> Factor:
        """The factor of M without the rows and columns of `index`: an update of rank len(index).

        With R the removed and S the other rows from the first of them on, L_S L_S' + L_SR L_SR' is what the factor of
        the rest must give: the triangle of a QR decomposition of [L_S'; L_SR'].
        """
        gone = np.unique(np.arange(len(self))[index])
        kept = np.setdiff1d(np.arange(len(self)), gone)
        if not len(gone):
            return self
        A, first = self.A[np.ix_(kept, kept)], int(gone[0])
        V = np.where(kept[first:, None] > gone, self.A[np.ix_(kept[first:], gone)], 0.0)
        if len(V):
            A[first:, first:] = _updated(A[first:, first:].copy(), V)
        return replace(self, A=A, diagonal=self.diagonal[kept])


def _invert(L: Array) -> None:
    """(L L')^-1 on and under the diagonal, in the place of L."""
    invert_lower(L)
    multiply_lower(L)


def factorise(M: Array, *, ladder: tuple[float, ...] = LADDER) -> Factor:
    """The factor of the symmetric M (float64, C order), which is overwritten; NotPositiveDefinite leaves M as it was.

    A pivot that is no more than rounding of its diagonal entry counts as a failure: solutions would be noise.
    """
    if M.dtype != np.float64 or not M.flags.c_contiguous:
        raise bad("factorise", "M", "float64 in C order, to be overwritten", f"{M.dtype} with strides {M.strides}",
                  "Pass np.array(M, dtype=float, order='C').")  # fmt: skip
    diagonal = np.diagonal(M).copy()
    unit = float(diagonal.mean()) if len(M) else 0.0
    for share in ladder:
        np.fill_diagonal(M, diagonal + share * unit)
        info = factor_lower(M)
        if info is None and (np.diagonal(M) ** 2 > _rounding(len(M)) * diagonal).all():
            return Factor(M, diagonal, share * unit)
        _restore(M, diagonal)
    smallest = lanczos(lambda v: M @ v, len(M), np.dtype(float), tol=1e-3, seed=0).smallest
    raise NotPositiveDefinite(
        f"factorise: the matrix must be positive definite; got smallest eigenvalue {smallest:.3g} where the mean of "
        f"the diagonal is {unit:.3g}, and adding {ladder[-1] * unit:.1e} did not help. Add more to the diagonal, or "
        "use an eigendecomposition."
    )


def _rounding(n: int) -> float:
    return n * float(np.finfo(float).eps)


def _restore(M: Array, diagonal: Array) -> None:
    """Copy the upper triangle of M back onto the lower one, and its diagonal."""
    triangles.mirror_upper(M)
    np.fill_diagonal(M, diagonal)


def _updated(L: Array, V: Array) -> Array:
    """The factor of L L' + V V' in the buffer of L; entries above the diagonal stay."""
    from scipy.linalg.lapack import dtpqrt

    dtpqrt(0, min(_PANEL, len(L)), L.T, np.array(V.T, order="F"), overwrite_a=1, overwrite_b=1)
    signs = np.where(np.diagonal(L) < 0.0, -1.0, 1.0)  # QR may make entries of the diagonal negative
    return np.asarray(np.triu(L, 1) + np.tril(L) * signs)


def _columns(function: Callable[[Array], Array], B: Array) -> Array:
    """function(B) for a function of matrices in Fortran order; B may be a vector too."""
    B = np.asarray(B, dtype=float)
    C = np.asfortranarray(B if B.ndim == 2 else B[:, None])
    if not C.size:
        return np.zeros(B.shape)
    return np.asarray(function(C)).reshape(B.shape)
