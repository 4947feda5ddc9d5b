"""Tall matrices of features: an array in memory, or rows on other machines (distributed/matrix.py).

Both have `Z @ w`, `Z.T @ b`, `Z[index]`, `Z - centre`, `shape` and `mean`.  What is a formula of NumPy for the one and
a pass over blocks for the other is here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mercer.config import config
from mercer.gram.distances import Distances, kernel_distances
from mercer.gram.features import FeatureGram
from mercer.gram.row_squares import is_elsewhere
from mercer.typing import Array

FEW = 2**26  # bytes of features that come here: a pass over so few costs less than its messages


def brought(Z: Any) -> Any:
    """The matrix as it is, or here if it is so small that its passes cost less here."""
    return Z.gathered() if is_elsewhere(Z) and _bytes(Z) <= FEW else Z


def column_variances(Z: Any) -> Array:
    """The variance of every column."""
    n = len(Z)
    return np.asarray(np.diag(Z.covariance()) * (n - 1) / n if is_elsewhere(Z) else Z.var(axis=0))


def fits_here(Z: Any) -> bool:
    """Whether a matrix is here, or has room here."""
    return not is_elsewhere(Z) or _bytes(Z) <= config().memory


def in_memory(gram: Any) -> Any:
    """The same Gram, with its features here; refused where they have no room."""
    if not (isinstance(gram, FeatureGram) and is_elsewhere(gram.Z)):
        return gram
    Z = gram.Z.gathered()
    return FeatureGram(Z, None if gram.Y is gram.Z else gram.Y.gathered())


def _bytes(Z: Any) -> int:
    return 8 * int(Z.shape[0]) * int(Z.shape[1])


def square_distances(gram: Any, diagonal: Array) -> Distances:
    """|phi(x) - phi(y)|^2 behind any Gram whose diagonal is known; those of features elsewhere a pass at a time."""
    found = kernel_distances(gram, squared=True, diagonals=(diagonal, diagonal))
    if not (isinstance(gram, FeatureGram) and is_elsewhere(gram.Z)):
        return found
    return TallDistances(found.tile, found.shape, found.dtype, False, None, gram, diagonal)


@dataclass(frozen=True, eq=False)
class TallDistances(Distances):
    """Distances of features elsewhere: those from a few items to all take one pass."""

    gram: FeatureGram = field(default=None)  # type: ignore[assignment]
    diagonal: Array = field(default_factory=lambda: np.empty(0))

    def rows(self, index: Array) -> Array:
        index = np.asarray(index, dtype=np.intp)
        D = self.diagonal[index, None] + self.diagonal - 2.0 * self.gram.rows(index)
        return np.asarray(np.maximum(D, 0.0))

    def nearest(self, index: Array) -> tuple[Array, Array]:
        D = self.rows(index)
        label = D.argmin(axis=0)
        return label, D[label, np.arange(len(label))]
