"""Matrices that must be positive: checked once, and factored; errors state the smallest eigenvalue.

Definiteness is judged after scaling the diagonal to ones, so it does not depend on units of measurement.
"""

from __future__ import annotations

import numpy as np

from mercer.errors import NotPositiveDefinite, bad
from mercer.kernels.frozen_matrix import Frozen
from mercer.typing import Array

_EPS = float(np.finfo(np.float64).eps)
_ROUNDING = 1e-8  # relative difference of mirror images that a computed inverse or product may have


def check_hermitian(owner: str, name: str, M: Frozen) -> None:
    """Refuse a matrix that is not square or not symmetric (Hermitian, if complex)."""
    A = M.values
    if A.ndim != 2 or A.shape[0] != A.shape[1] or not A.size:
        raise bad(owner, name, "a square matrix", f"shape {M.shape}", "Give one row and one column per coordinate.")
    gap, size = abs(A - A.conj().T), np.sqrt(abs(np.outer(A.diagonal(), A.diagonal())))
    if (gap > _ROUNDING * np.maximum(size, abs(A))).any():
        smallest = np.linalg.eigvalsh((A + A.conj().T) / 2)[0]
        got = f"entries {gap.max():.3g} from their mirror images (symmetric part: smallest eigenvalue {smallest:.6g})"
        raise bad(owner, name, "symmetric", got, "Use (M + M.T) / 2 if that is meant.")


def psd_root(owner: str, name: str, M: Frozen) -> Array:
    """R, n x rank, with M = R R^*; refuses a matrix that is not symmetric, or with an eigenvalue below rounding."""
    check_hermitian(owner, name, M)
    size = np.sqrt(np.maximum(M.values.diagonal().real, 0.0))
    size[size == 0.0] = 1.0
    eigenvalues, V = np.linalg.eigh(M.values / np.outer(size, size))
    noise = 10 * len(V) * _EPS * float(abs(eigenvalues).max())
    if eigenvalues[0] < -noise:
        raise NotPositiveDefinite(
            f"{owner}: {name} must be positive semi-definite; got smallest eigenvalue "
            f"{np.linalg.eigvalsh(M.values)[0]:.6g}. Set its negative eigenvalues to zero, or add to its diagonal."
        )
    kept = eigenvalues > noise
    return np.asarray(size[:, None] * V[:, kept] * np.sqrt(eigenvalues[kept]))


def definite_root(owner: str, name: str, M: Frozen) -> Array:
    """L, lower triangular, with M = L L^*; refuses a matrix that is not symmetric, or singular to working precision."""
    check_hermitian(owner, name, M)
    size = np.sqrt(np.maximum(M.values.diagonal().real, 0.0))
    if not size.all() or np.linalg.eigvalsh(M.values / np.outer(size, size))[0] <= 10 * len(size) * _EPS:
        raise _singular(owner, name, np.linalg.eigvalsh(M.values)[0])
    return np.linalg.cholesky(M.values)


def lower_triangle(owner: str, name: str, M: Frozen) -> Array:
    """M itself, the factor L of L L^T; refuses entries above the diagonal, and a singular L L^T."""
    L = M.values
    if L.ndim != 2 or L.shape[0] != L.shape[1] or not L.size:
        raise bad(owner, name, "a square matrix", f"shape {M.shape}", "Pass numpy.linalg.cholesky(S).")
    if np.triu(L, 1).any():
        raise bad(owner, name, "lower triangular", "entries above the diagonal", "Pass numpy.linalg.cholesky(S).")
    size = np.linalg.norm(L, axis=1, keepdims=True)
    if not size.all() or np.linalg.svd(L / size, compute_uv=False)[-1] <= 10 * len(L) * _EPS:
        raise _singular(owner, f"L L^T of {name}", np.linalg.svd(L, compute_uv=False)[-1] ** 2)
    return L


def _singular(owner: str, name: str, smallest: float) -> NotPositiveDefinite:
    return NotPositiveDefinite(
        f"{owner}: {name} must be positive definite; got smallest eigenvalue {smallest:.6g}. "
        "Drop dependent columns, or add a little to its diagonal."
    )
