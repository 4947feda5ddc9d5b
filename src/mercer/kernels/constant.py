"""Kernels that never look inside an item: constants and white noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.items import Anything, Items
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.parameters import LogOrZero, Parameter, hyper, value
from mercer.typing import Array, Index


@kernel
class Constant(Kernel):
    """k(x, y) = r, r >= 0; the feature map is the one number sqrt(r)."""

    value: Parameter = hyper(1.0, LogOrZero)

    items = Anything
    stationary = True
    isotropic = True

    @property
    def psd(self) -> bool | None:
        return True

    def block(self, A: Any, B: Any) -> Array:
        return np.full((len(A), len(B)), value(self.value))

    def diag(self, A: Any) -> Array:
        return np.full(len(A), value(self.value))

    def slopes(self, A: Any, B: Any, W: Array) -> dict[str, Any]:
        return {"value": float(W.sum())}

    def feature_map(self, X: Any) -> Array:
        return np.full((len(self.check(X)), 1), np.sqrt(value(self.value)))


@dataclass(eq=False)
class Keys:
    """One integer per item; equal items of the same frame have equal integers."""

    codes: Array
    frame: dict[bytes, int]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(self.codes[index], self.frame)


@kernel
class White(Kernel):
    """k(x, y) = v if x and y are equal items, else 0.

    Equality is by value, so k(X) is k(X, X) and a block is its entries.  Noise that differs between repeated
    measurements of one item is a property of a model (its `noise`), not of a kernel.
    """

    variance: Parameter = hyper(1.0, LogOrZero)

    items = Anything
    stationary = True
    isotropic = True

    @property
    def psd(self) -> bool | None:
        return True

    def prepare_in(self, X: Items, frame: Any, pool: Pool) -> Keys:
        known: dict[bytes, int] = dict(frame or {})
        codes = [known.setdefault(key, len(known)) for key in X.keys()]
        return Keys(np.array(codes, dtype=np.int64), known)

    def block(self, A: Keys, B: Keys) -> Array:
        return np.where(A.codes[:, None] == B.codes, value(self.variance), 0.0)

    def diag(self, A: Keys) -> Array:
        return np.full(len(A), value(self.variance))

    def slopes(self, A: Keys, B: Keys, W: Array) -> dict[str, Any]:
        return {"variance": float(W[A.codes[:, None] == B.codes].sum())}
