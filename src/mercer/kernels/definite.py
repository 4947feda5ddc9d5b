"""Matrices that must be positive: checked once, with the smallest eigenvalue in every complaint, and factored."""

from __future__ import annotations

import numpy as np

from mercer.errors import NotPositiveDefinite, bad
from mercer.kernels.frozen import Frozen
from mercer.typing import Array

_EPS = float(np.finfo(np.float64).eps)


def check_hermitian(owner: str, name: str, M: Frozen) -> None:
    """Refuse a matrix that is not square or not symmetric (Hermitian, if complex)."""
    A = M.values
    if A.ndim != 2 or A.shape[0] != A.shape[1] or not A.size:
        raise bad(owner, name, "a square matrix", f"shape {M.shape}", "Give one row and one column per coordinate.")
    gap = float(abs(A - A.conj().T).max())
    if gap > 10 * len(A) * _EPS * float(abs(A).max()):
        smallest = np.linalg.eigvalsh((A + A.conj().T) / 2)[0]
        got = f"entries {gap:.3g} from their mirror images (symmetric part: smallest eigenvalue {smallest:.6g})"
        raise bad(owner, name, "symmetric", got, "Use (M + M.T) / 2 if that is meant.")


def psd_root(owner: str, name: str, M: Frozen) -> Array:
    """R, n x rank, with M = R R^*; refuses an eigenvalue below -10 n eps max|lambda|."""
    eigenvalues, V = np.linalg.eigh(M.values)
    noise = 10 * len(V) * _EPS * float(abs(eigenvalues).max())
    if eigenvalues[0] < -noise:
        raise NotPositiveDefinite(
            f"{owner}: {name} must be positive semi-definite; got smallest eigenvalue {eigenvalues[0]:.6g}. "
            "Clip its negative eigenvalues to zero, or add their size to its diagonal."
        )
    kept = eigenvalues > noise
    return np.asarray(V[:, kept] * np.sqrt(eigenvalues[kept]))


def cholesky(owner: str, name: str, M: Frozen) -> Array:
    """L, lower triangular, with M = L L^*; refuses a matrix that is singular to working precision."""
    eigenvalues = np.linalg.eigvalsh(M.values)
    if not eigenvalues[0] > 10 * len(eigenvalues) * _EPS * float(abs(eigenvalues).max()):
        raise NotPositiveDefinite(
            f"{owner}: {name} must be positive definite; got smallest eigenvalue {eigenvalues[0]:.6g} "
            f"(largest {eigenvalues[-1]:.6g}). Drop dependent columns, or add a little to its diagonal."
        )
    return np.linalg.cholesky(M.values)
