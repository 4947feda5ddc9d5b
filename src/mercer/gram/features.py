"""The Gram of explicit features, K = ZZ': products cost what two passes over Z cost, and nothing is stored."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mercer.gram.row_squares import row_squares
from mercer.typing import Array


class FeatureGram:
    """K = Z Y' behind the methods of a Gram; Y is Z, except where only a part of the columns was chosen.

    The rows of Z may be on other machines (tall.py): then every product is a pass over them.
    """

    def __init__(self, Z: Any, Y: Any = None) -> None:
        self.Z, self.Y = Z, Z if Y is None else Y

    def __len__(self) -> int:
        return len(self.Z)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.Z), len(self.Y)

    @property
    def linear_rows(self) -> Any:
        """Z, if K is ZZ'."""
        return self.Z if self.Y is self.Z else None

    def diag(self) -> Array:
        """|z_i|^2."""
        return row_squares(self.Z) if self.Y is self.Z else np.asarray(np.einsum("ij,ij->i", self.Z, self.Y))

    def rows(self, index: Array) -> Array:
        """K[index, :]."""
        return np.asarray(self.Z[index] @ self.Y.T)

    def block(self, r: slice, c: slice) -> Array:
        """The tile of rows r and columns c."""
        return np.asarray(self.Z[r] @ self.Y[c].T)

    def row_diag(self) -> Array:
        """|z|^2 of the rows."""
        return FeatureGram(self.Z).diag()

    def row_gram(self) -> Array:
        """<z, z'> between the rows."""
        return FeatureGram(self.Z).dense()

    def sub(self, index: Array) -> FeatureGram:
        """K[index, index]."""
        return FeatureGram(self.Z[index])

    def part(self, I: Array | None, J: Array | None) -> FeatureGram:
        """K[I, :][:, J]; None stands for all."""
        return FeatureGram(self.Z if I is None else self.Z[I], self.Y if J is None else self.Y[J])

    def values(self, I: Array, J: Array) -> Array:
        """K[I, J] as an array."""
        return np.asarray(self.Z[I] @ self.Y[J].T)

    def times(self, I: Array, J: Array, v: Array) -> Array:
        """K[I, J] @ v."""
        return np.asarray(self.Z[I] @ (self.Y[J].T @ v))

    def single(self) -> Self:
        """The Gram as it is."""
        return self

    def dense(self) -> Array:
        """Every entry, in one array."""
        return np.asarray(self.Z @ self.Y.T)

    def fill(self, out: Array) -> None:
        """Write every entry into `out`."""
        out[...] = self.Z @ self.Y.T

    def __matmul__(self, V: Array) -> Array:
        return np.asarray(self.Z @ (self.Y.T @ V))
