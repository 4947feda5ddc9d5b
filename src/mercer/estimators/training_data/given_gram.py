"""A given matrix of kernel values: kernel="precomputed"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.engine import fill
from mercer.errors import bad
from mercer.estimators.training_data.data import Data, first_of_each
from mercer.gram import StoredGram
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class GivenGram(Data):
    """A precomputed training matrix of n items; after `keep` only the positions `index` of the kept ones are left."""

    K: Array | None
    n: int
    index: Array
    recomputable = False

    @classmethod
    def of(cls, K: Any) -> Self:
        """A square symmetric matrix k(X, X)."""
        stored = StoredGram(K, tol=1e-5 if getattr(K, "dtype", None) == np.float32 else 1e-8)
        return cls(stored.K, len(stored), np.arange(len(stored)))

    def __len__(self) -> int:
        return len(self.index)

    def gram(self) -> StoredGram:
        """The matrix itself."""
        if self.K is None:
            raise bad("precomputed kernel", "kernel", "computable, or precomputed with the factor still at hand",
                      "a precomputed matrix that is gone", "Fit again to the matrix of all items.")  # fmt: skip
        return StoredGram.of(self.K)

    def keep(self, index: Array) -> Self:
        """Only the positions of these items: prediction is given the kernel values it needs."""
        return type(self)(None, self.n, self.index[np.asarray(index, dtype=np.intp)])

    def cross(self, X: Any) -> Columns:
        """The columns of the given k(X, training) that belong to the kept items."""
        X = np.asarray(X)
        if X.ndim != 2 or X.shape[1] != self.n:
            raise bad("precomputed kernel", "X", f"k(new items, training items), {self.n} columns wide",
                      f"shape {X.shape}", "Pass one column per training item, in their order.")  # fmt: skip
        return Columns(X, self.index)

    def keys(self) -> list[int]:
        """The positions of the kept items in the matrix."""
        return list(self.index.tolist())

    def distinct(self, index: Array) -> Array:
        """Items differ where their rows do."""
        return first_of_each([row.tobytes() for row in self.gram().K], index)

    def extended(self, X: Any) -> tuple[Self, StoredGram]:
        """X holds k(new, old and new): first the columns of all old items, then those of the new ones."""
        m = len(X)
        if X.shape != (m, self.n + m):
            raise bad("precomputed kernel", "X", f"k(new, old and new), of shape {(m, self.n + m)}",
                      f"shape {X.shape}", "Put the columns of the new items after those of the old.")  # fmt: skip
        index = np.append(self.index, np.arange(self.n, self.n + m))
        return type(self)(None, self.n + m, index), StoredGram.of(X, None, index)

    def renumbered(self, positions: Array, count: int) -> Self:
        """The kept items at other columns of the matrices to come."""
        return type(self)(None, count, positions)


@dataclass(frozen=True, eq=False)
class Columns:
    """Some columns of a given matrix, taken tile by tile."""

    X: Array
    index: Array

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.X), len(self.index)

    def block(self, r: slice, c: slice) -> Array:
        """The tile of rows r and chosen columns c."""
        return np.asarray(self.X[r][:, self.index[c]])

    def rows(self, index: Array) -> Array:
        """Some rows of the chosen columns."""
        return np.asarray(self.X[np.ix_(index, self.index)])

    def row_diag(self) -> None:
        """Not known: the matrix holds no values between new items."""

    def row_gram(self) -> None:
        """Not known."""

    def __matmul__(self, V: Array) -> Array:
        out = fill.cross_product(self.block, self.shape, V if V.ndim == 2 else V[:, None])
        return out.reshape(len(self.X), *V.shape[1:])
