"""The Gram of explicit features, K = ZZ': products cost what two passes over Z cost, and nothing is stored."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mercer.linalg.pivoted_cholesky import LowRank, pivoted_cholesky
from mercer.typing import Array, Gram


class FeatureGram:
    """K = Z Y' behind the methods of a Gram; Y is Z but in a part of it."""

    def __init__(self, Z: Array, Y: Array | None = None) -> None:
        self.Z, self.Y = Z, Z if Y is None else Y

    def __len__(self) -> int:
        return len(self.Z)

    def diag(self) -> Array:
        """|z_i|^2."""
        return np.asarray(np.einsum("ij,ij->i", self.Z, self.Y))

    def rows(self, index: Array) -> Array:
        """K[index, :]."""
        return np.asarray(self.Z[index] @ self.Y.T)

    def sub(self, index: Array) -> FeatureGram:
        """K[index, index]."""
        return FeatureGram(self.Z[index])

    def part(self, I: Array | None, J: Array | None) -> FeatureGram:
        """K[I, :][:, J]; None stands for all."""
        return FeatureGram(self.Z if I is None else self.Z[I], self.Y if J is None else self.Y[J])

    def single(self) -> Self:
        """The Gram as it is."""
        return self

    def dense(self) -> Array:
        """Every entry, in one array."""
        return np.asarray(self.Z @ self.Y.T)

    def __matmul__(self, V: Array) -> Array:
        return np.asarray(self.Z @ (self.Y.T @ V))


def factor_of(gram: Gram | Any, rank: int) -> LowRank:
    """L with K ~ LL' up to a rank: the features themselves where there are some, else a pivoted Cholesky factor."""
    if isinstance(gram, FeatureGram):
        return LowRank(gram.Z, np.empty(0, dtype=np.intp), 0.0)
    if not rank:
        return LowRank(np.zeros((len(gram), 0)), np.empty(0, dtype=np.intp), 1.0)
    return pivoted_cholesky(gram, rank)
