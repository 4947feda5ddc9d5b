"""The stored Gram: a matrix the user has computed, behind the methods of a lazy one."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.typing import Array


def places(index: Any, n: int) -> Array:
    """The positions among n that a list, a slice or a mask names."""
    return np.atleast_1d(np.arange(n)[index])


class StoredGram:
    """A symmetric (or Hermitian) matrix K given as an array."""

    def __init__(self, K: Any, *, tol: float = 1e-8) -> None:
        K = np.asarray(K)
        if K.ndim != 2 or K.shape[0] != K.shape[1]:
            raise bad("StoredGram", "K", "a square matrix", f"shape {K.shape}", "Pass k(X, X) of the training items.")
        if not np.isfinite(K).all():
            raise bad("StoredGram", "K", "finite", "NaN or infinity", "Check the items the Gram was made from.")
        skew = float(np.abs(K - K.conj().T).max(initial=0.0))
        if skew > tol * float(np.abs(K).max(initial=0.0)):
            raise bad("StoredGram", "K", "symmetric", f"entries that differ by {skew:.3g}",
                      "Use (K + K.T) / 2 if the asymmetry is noise.")  # fmt: skip
        self.K: Array = K

    @classmethod
    def of(cls, K: Array) -> Self:
        """A piece of a matrix that has been checked already."""
        new = cls.__new__(cls)
        new.K = K
        return new

    def __len__(self) -> int:
        return len(self.K)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.K), self.K.shape[1]

    def dense(self) -> Array:
        """The matrix itself."""
        return self.K

    def diag(self) -> Array:
        """K_ii."""
        return np.asarray(np.diagonal(self.K))

    def rows(self, index: Array) -> Array:
        """K[index, :]."""
        return np.asarray(self.K[places(index, len(self))])

    def sub(self, index: Array) -> StoredGram:
        """K[index, index]."""
        chosen = places(index, len(self))
        return StoredGram.of(self.K[np.ix_(chosen, chosen)])

    def part(self, I: Array | None, J: Array | None) -> StoredGram:
        """K[I, :][:, J]; None stands for all."""
        K = self.K if I is None else self.K[I]
        return StoredGram.of(K if J is None else K[:, J])

    def single(self) -> StoredGram:
        """The matrix as it is: it is stored already."""
        return self

    def __matmul__(self, V: Array) -> Array:
        return np.asarray(self.K @ V)
