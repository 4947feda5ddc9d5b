"""The spectrum of a stored Gram, and the one rule that tells a negative eigenvalue from rounding."""

from __future__ import annotations

import numpy as np

from mercer.errors import NotPositiveDefinite
from mercer.typing import Array


def working(K: Array) -> Array:
    """K in double precision, real or complex."""
    return np.asarray(K, dtype=np.result_type(K.dtype, np.float64))


def epsilon(dtype: np.dtype) -> float:
    """The rounding unit of the entries of a Gram; that of float64 for whole numbers."""
    return float(np.finfo(dtype if dtype.kind in "fc" else np.float64).eps)


def rounding(n: int, largest: float, dtype: np.dtype) -> float:
    """10 n eps max|lambda|: how far under zero rounding may push an eigenvalue of a PSD matrix."""
    return 10.0 * n * epsilon(dtype) * largest


def eigen(K: Array) -> tuple[Array, Array, float]:
    """(eigenvalues ascending, eigenvectors as columns, tolerance) of a symmetric or Hermitian matrix."""
    values, V = np.linalg.eigh(working(K))
    return values, V, rounding(len(K), float(np.abs(values).max(initial=0.0)), K.dtype)


def positive_part(K: Array, owner: str) -> tuple[Array, Array]:
    """The eigenpairs of a PSD matrix above the tolerance, largest first; those within it of zero are dropped."""
    values, V, tol = eigen(K)
    if len(values) and values[0] < -tol:
        raise NotPositiveDefinite(
            f"{owner}: the Gram must be positive semi-definite; got smallest eigenvalue {values[0]:.6g} "
            f"(tolerance {tol:.1e}). Use a kernel with psd=True, or mercer.theory.repair."
        )
    keep = np.flatnonzero(values > tol)[::-1]
    return values[keep], V[:, keep]
