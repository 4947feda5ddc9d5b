"""A symmetric matrix by its eigenvectors, for solutions with many shifts at the price of one decomposition.

    A = U diag(d) U',     (A + alpha I)^-1 = U diag(1 / (d + alpha)) U'  +  (I - U U') / alpha

U may have fewer columns than rows: the matrix is zero on what they do not span.  With alpha = 0 the inverse is the
pseudo-inverse, which gives the shortest solution: eigenvalues within rounding of zero are taken for zero.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.engine.fill import require_memory
from mercer.engine.pool import one_blas_thread
from mercer.engine.tiles import cuts
from mercer.typing import Array

ONE_THREAD_ROWS = 1500  # up to so many rows LAPACK is faster on one thread
_ROUNDING = 4.0 * float(np.finfo(float).eps)  # per row, in units of the largest eigenvalue


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues `values` (r,) and eigenvectors `U` (n, r)."""

    values: Array
    U: Array

    @classmethod
    def of_matrix(cls, A: Array) -> Self:
        """All eigenpairs of A, which is overwritten."""
        from scipy.linalg import eigh

        n = len(A)
        require_memory(f"The eigenvectors of {n} x {n}", 24 * n * n, "Choose one alpha, or fewer items.")
        with one_blas_thread() if n <= ONE_THREAD_ROWS else nullcontext():
            values, U = eigh(A.T, overwrite_a=True, driver="evd", check_finite=False)
        rounded = (values < 0.0) & (values >= -_rounding(values, n))
        return cls(np.where(rounded, 0.0, values), U)

    @classmethod
    def of_features(cls, F: Any) -> Self:
        """The eigenpairs of F F' from those of the smaller F'F; F is dense or CSR."""
        G = F.T @ F
        values, V = np.linalg.eigh(G.toarray() if hasattr(G, "tocsr") else G)
        some = values > _rounding(values, len(values))
        return cls(values[some], np.asarray(F @ (V[:, some] / np.sqrt(values[some]))))

    @property
    def rank(self) -> int:
        """How many eigenvalues are more than rounding."""
        return int(np.count_nonzero(self._notable))

    def solve(self, Z: Array, alphas: Array) -> Array:
        """(A + alpha I)^-1 Z for every alpha: (alphas, n, columns of Z)."""
        weights, rest = self._inverse(alphas)
        C = weights.T[:, :, None] * (self.U.T @ Z)  # (alphas, r, columns)
        count, r, k = C.shape
        spanned = (self.U @ C.transpose(1, 0, 2).reshape(r, count * k)).reshape(-1, count, k)
        return np.asarray(spanned.transpose(1, 0, 2) + rest[:, None, None] * Z)

    def inverse_diagonals(self, alphas: Array) -> Array:
        """The diagonals of (A + alpha I)^-1: (alphas, n)."""
        weights, rest = self._inverse(alphas)
        out = np.empty((len(rest), len(self.U)))
        for r in cuts(len(self.U)):
            out[:, r] = (np.square(self.U[r]) @ weights).T
        return out + rest[:, None]

    def _inverse(self, alphas: Array) -> tuple[Array, Array]:
        """(g, h) with (A + alpha I)^-1 = U diag(g) U' + h I, one column of g and one h for every alpha."""
        alphas = np.asarray(alphas, dtype=float)
        d = self.values[:, None]
        spread = alphas > 0.0 if self.U.shape[1] < len(self.U) else np.zeros(len(alphas), bool)
        h = np.divide(1.0, alphas, out=np.zeros(len(alphas)), where=spread)
        usable = (d + alphas != 0.0) & ((alphas > 0.0) | self._notable[:, None])
        g = np.divide(np.where(spread, -d * h, 1.0), d + alphas, out=np.zeros((len(d), len(alphas))), where=usable)
        return g, h

    @property
    def _notable(self) -> Array:
        return np.asarray(np.abs(self.values) > _rounding(self.values, len(self.U)))


def _rounding(values: Array, n: int) -> float:
    """A bound on the rounding error of an eigenvalue of an n x n matrix."""
    return _ROUNDING * n * float(np.abs(values).max(initial=0.0))
