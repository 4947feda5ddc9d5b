"""Where a fitted machine's kernel values come from: a kernel on items it keeps, or columns of a given matrix.

    data = KernelItems.of(kernel, X)        or   GivenGram.of(K)
    data.gram()                             the training Gram, for a solver
    kept = data.keep(support)               only what prediction needs
    kept.evaluate(Xnew, coefficients)       sum_j k(x, x_j) c_j, streamed

Estimators use nothing else, so that strings, graphs and precomputed matrices need no special case.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.gram import LazyGram, StoredGram
from mercer.kernels import Kernel
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class KernelItems:
    """Items as their kernel has prepared them."""

    kernel: Kernel
    prepared: Any

    @classmethod
    def of(cls, kernel: Kernel, X: Any) -> Self:
        """The items X, after the kernel has learned from them what it has to learn."""
        fitted = kernel.fit(X)
        return cls(fitted, fitted.prepare(X))

    def __len__(self) -> int:
        return len(self.prepared)

    def gram(self) -> LazyGram:
        """k(X, X), lazily."""
        return LazyGram.of(self.kernel, self.prepared)

    def keep(self, index: Array) -> Self:
        """Only these items."""
        return type(self)(self.kernel, self.prepared[np.asarray(index, dtype=np.intp)])

    def cross(self, X: Any) -> LazyGram:
        """k(X, kept), lazily."""
        return LazyGram.of(self.kernel, self.kernel.prepare(X, self.prepared.frame), self.prepared)

    def evaluate(self, X: Any, coefficients: Array) -> Array:
        """sum_j k(x, x_j) c_j for every x, one column per column of coefficients."""
        return self.cross(X) @ coefficients


@dataclass(frozen=True, eq=False)
class GivenGram:
    """A precomputed training matrix, of which after `keep` only the positions are left."""

    K: Array | None
    n: int
    index: Array

    @classmethod
    def of(cls, K: Any) -> Self:
        """A square symmetric matrix k(X, X)."""
        stored = StoredGram(K)
        return cls(stored.K, len(stored), np.arange(len(stored)))

    def __len__(self) -> int:
        return len(self.index)

    def gram(self) -> StoredGram:
        """The matrix itself."""
        return StoredGram(self.K)

    def keep(self, index: Array) -> Self:
        """Only the positions of these items: prediction is given the kernel values it needs."""
        return type(self)(None, self.n, self.index[np.asarray(index, dtype=np.intp)])

    def cross(self, X: Any) -> Array:
        """The columns of the given k(X, training) that belong to the kept items."""
        X = np.asarray(X)
        if X.ndim != 2 or X.shape[1] != self.n:
            raise bad("precomputed kernel", "X", f"k(new items, training items), {self.n} columns wide",
                      f"shape {X.shape}", "Pass one column per training item, in their order.")  # fmt: skip
        return np.asarray(X[:, self.index])

    def evaluate(self, X: Any, coefficients: Array) -> Array:
        """sum_j K_xj c_j for every row of the given matrix."""
        return np.asarray(self.cross(X) @ coefficients)


Data = KernelItems | GivenGram
