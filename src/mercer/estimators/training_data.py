"""Where a fitted machine's kernel values come from: a kernel on items it keeps, or columns of a given matrix.

    data = KernelItems.of(kernel, X)        or   GivenGram.of(K)
    data.gram()                             the training Gram, for a solver
    kept = data.keep(support)               only what prediction needs
    kept.evaluate(Xnew, coefficients)       sum_j k(x, x_j) c_j, streamed
    kept.cross(Xnew).block(r, c)            or a tile of k(x, x_j) at a time

Estimators use nothing else, so that strings, graphs and precomputed matrices need no special case.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.engine import fill
from mercer.errors import bad
from mercer.gram import LazyGram, StoredGram
from mercer.items import Items, Vectors
from mercer.kernels import Kernel, Linear
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class KernelItems:
    """Items as they came, and as their kernel has prepared them."""

    kernel: Kernel
    items: Items
    prepared: Any

    @classmethod
    def of(cls, kernel: Kernel, X: Any) -> Self:
        """The items X, after the kernel has learned from them what it has to learn."""
        fitted = kernel.fit(X)
        items = fitted.check(X)
        return cls(fitted, items, fitted.prepare(items))

    def __len__(self) -> int:
        return len(self.prepared)

    @property
    def psd(self) -> bool | None:
        """Whether the kernel is known to be positive semi-definite."""
        return self.kernel.psd

    @property
    def linear(self) -> bool:
        """Whether the expansion is a linear function of the items."""
        return isinstance(self.kernel, Linear)

    def gram(self) -> LazyGram:
        """k(X, X), lazily."""
        gram = LazyGram.of(self.kernel, self.prepared)
        if gram.dtype.kind == "c":
            raise bad(repr(self.kernel), "k(x, y)", "real for this machine", "complex numbers", "Use its real part.")
        return gram

    def double(self) -> Self:
        """The same items in double precision, in which a solver proves its answer."""
        if isinstance(self.items, Vectors) and self.items.dtype == np.float32:
            return type(self).of(self.kernel, self.items.values.astype(np.float64))
        return self

    def plus_one(self) -> Self:
        """The same items under k + 1, the kernel of a machine that penalises its intercept."""
        return type(self).of(self.kernel + 1.0, self.items)

    def keep(self, index: Array) -> Self:
        """Only these items."""
        index = np.asarray(index, dtype=np.intp)
        return type(self)(self.kernel, self.items[index], self.prepared[index])

    def cross(self, X: Any) -> LazyGram:
        """k(X, kept), lazily."""
        return LazyGram.of(self.kernel, self.kernel.prepare(X, self.prepared.frame), self.prepared)

    def evaluate(self, X: Any, coefficients: Array) -> Array:
        """sum_j k(x, x_j) c_j for every x, one column per column of coefficients."""
        if self.linear:  # <x, w> with w = sum_j c_j x_j: the kept items are looked at only once
            return np.asarray(self.kernel.prepare(X).values @ (self.prepared.values.T @ coefficients))
        return self.cross(X) @ coefficients


@dataclass(frozen=True, eq=False)
class GivenGram:
    """A precomputed training matrix, of which after `keep` only the positions are left."""

    K: Array | None
    n: int
    index: Array
    psd = None
    linear = False

    @classmethod
    def of(cls, K: Any) -> Self:
        """A square symmetric matrix k(X, X)."""
        stored = StoredGram(K, tol=1e-5 if getattr(K, "dtype", None) == np.float32 else 1e-8)
        return cls(stored.K, len(stored), np.arange(len(stored)))

    def __len__(self) -> int:
        return len(self.index)

    def gram(self) -> StoredGram:
        """The matrix itself."""
        assert self.K is not None, "only positions are left after `keep`"
        return StoredGram.of(self.K)

    def double(self) -> Self:
        """The matrix as it was given."""
        return self

    def plus_one(self) -> Self:
        """The matrix of k + 1."""
        return type(self)(self.gram().K + 1.0, self.n, self.index)

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

    def evaluate(self, X: Any, coefficients: Array) -> Array:
        """sum_j K_xj c_j for every row of the given matrix."""
        return self.cross(X) @ coefficients


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

    def __matmul__(self, V: Array) -> Array:
        out = fill.cross_product(self.block, self.shape, V if V.ndim == 2 else V[:, None])
        return out.reshape(len(self.X), *V.shape[1:])


Data = KernelItems | GivenGram
