"""Items of any kind, compared by a kernel."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.estimators.training_data.data import Data
from mercer.gram import LazyGram
from mercer.items import Items, Vectors
from mercer.items.joined import joined
from mercer.kernels import Kernel, Linear
from mercer.kernels.prepared_rows import same_width
from mercer.typing import Array

_STEP = 1e-3  # in theta, for derivatives by differences


@dataclass(frozen=True, eq=False)
class KernelItems(Data):
    """Items as they came, and as their kernel has prepared them."""

    kernel: Kernel = field()  # field(): the None of Data is no default
    items: Items = field()
    prepared: Any = field()
    dtype: np.dtype | None = None  # of kernel values; None: not known yet

    @classmethod
    def of(cls, kernel: Kernel, X: Any) -> Self:
        """The items X, after the kernel has learned from them what it has to learn."""
        fitted = kernel.fit(X)
        items = fitted.check(X)
        prepared = fitted.prepare_in(items, None, {})
        dtype = LazyGram.of(fitted, prepared).dtype
        if dtype.kind == "c":
            raise bad(repr(kernel), "k(x, y)", "real for this machine", "complex numbers", "Use its real part.")
        return cls(fitted, items, prepared, dtype)

    @classmethod
    def known(cls, kernel: Kernel, X: Any) -> Self:
        """The items X under a kernel that has learned already what it has to learn."""
        items = kernel.check(X)
        return cls(kernel, items, kernel.prepare_in(items, None, {}))

    def __len__(self) -> int:
        return len(self.prepared)

    @property
    def psd(self) -> bool | None:
        """Whether the kernel is known to be positive semi-definite."""
        return self.kernel.psd

    # ---- values

    def gram(self) -> LazyGram:
        """k(X, X), lazily."""
        return LazyGram.of(self.kernel, self.prepared, dtype=self.dtype)

    def keep(self, index: Array) -> Self:
        """Only these items."""
        index = np.asarray(index, dtype=np.intp)
        return type(self)(self.kernel, self.items[index], self.prepared[index], self.dtype)

    take = keep

    def cross(self, X: Any) -> LazyGram:
        """k(X, kept), lazily."""
        return LazyGram.of(self.kernel, self.kernel.prepare(X, self.prepared.frame), self.prepared)

    def evaluate(self, X: Any, coefficients: Array) -> Array:
        """sum_j k(x, x_j) c_j; for a linear kernel <x, w> with w = sum_j c_j x_j."""
        if self.linear:
            return np.asarray(self.kernel.prepare(X).values @ (self.prepared.values.T @ coefficients))
        return self.cross(X) @ coefficients

    def double(self) -> Self:
        if isinstance(self.items, Vectors) and self.items.dtype == np.float32:
            return type(self).of(self.kernel, self.items.values.astype(np.float64))
        return self

    def plus_one(self) -> Self:
        return type(self).of(self.kernel + 1.0, self.items)

    def features(self) -> Any:
        try:
            return self.kernel.feature_map(self.items)
        except NotImplementedError:
            return None

    @property
    def linear_rows(self) -> Any:
        return self.items.values if isinstance(self.kernel, Linear) else None  # type: ignore[attr-defined]

    # ---- items

    def as_passed(self) -> Any:
        return getattr(self.items, "values", self.items)

    def keys(self) -> Sequence[Hashable]:
        return self.items.keys()

    def extended(self, X: Any) -> tuple[Self, LazyGram]:
        """What the kernel has learned from the first items (a vocabulary) stays."""
        grown = self._prepared_like(joined(self.items, self.kernel.check(X)))
        return grown, grown.double().gram().part(np.arange(len(self), len(grown)), None)

    def _prepared_like(self, items: Items) -> Self:
        """Other items, prepared as these are."""
        return type(self)(self.kernel, items, self.kernel.prepare(items, self.prepared.frame), self.dtype)

    # ---- items that need not be among these

    def prototypes(self, owner: str, items: Any) -> tuple[Self, Array]:
        """Any items that the kernel can compare with these."""
        if isinstance(self.items, Vectors):
            items = np.asarray(items) if isinstance(items, (list, tuple)) else items
            same_width(self.items.width, Vectors.check(items, owner).width)
        found = self._prepared_like(self.kernel.check(items))
        return found, np.arange(len(found))

    def as_prototypes(self, places: Array) -> Any:
        kept = self.items[places]
        return getattr(kept, "values", kept)

    def between(self, rows: Array, centres: Data, places: Array) -> LazyGram:
        if centres is self:
            return super().between(rows, centres, places)  # type: ignore[return-value]
        exact = self.double()
        columns = exact._prepared_like(exact.kernel.check(centres.items))
        return LazyGram.of(exact.kernel, exact.prepared[rows], columns.prepared[places])

    # ---- hyper-parameters of the kernel

    def at(self, theta: Array) -> Self:
        kernel = self.kernel.with_theta(theta)
        return type(self)(kernel, self.items, kernel.prepare_in(self.items, None, {}), self.dtype)

    def slope(self, W: Array) -> Array:
        return self.gram().vjp(W, mirrored=True)

    def jvp_products(self, V: Array) -> list[Array]:
        """By the kernel's own formula; where it has none, by differences of K V in theta."""
        products = self.gram().jvp_products(V)
        return self._differences(V) if products is None else products

    def _differences(self, V: Array) -> list[Array]:
        theta, high = self.kernel.theta, self.kernel.bounds[:, 1]

        def product(at: Array) -> Array:
            return self.at(at).gram() @ V

        here, steps = product(theta), np.where(theta + _STEP > high, -_STEP, _STEP)
        return [(product(theta + step) - here) / step.sum() for step in np.diag(steps)]
