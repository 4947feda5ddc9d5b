"""Kernels that never look inside an item: constants and white noise."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Self

import numpy as np

from mercer.items import Anything, Items
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.parameters import LogOrZero, Parameter, hyper, value
from mercer.typing import Array, Index


def number_type(X: Any) -> type:
    """float32 on vectors of that precision, else float64, so that adding a constant keeps the number type of a Gram."""
    return np.float32 if getattr(X, "dtype", None) in (np.float32, np.complex64) else np.float64


@kernel
class Constant(Kernel):
    """k(x, y) = r, r >= 0; the feature map is the one number sqrt(r)."""

    value: Parameter = hyper(1.0, LogOrZero)

    items = Anything
    psd = True
    psd_reason = "an inner product of features: the one number sqrt(r)"
    stationary = True
    isotropic = True

    @property
    def bound(self) -> float:  # type: ignore[override]
        return float(value(self.value))

    def block(self, A: Any, B: Any) -> Array:
        return np.full((len(A), len(B)), value(self.value), dtype=number_type(A))

    def diag(self, A: Any) -> Array:
        return np.full(len(A), value(self.value), dtype=number_type(A))

    def parameter_gradients(self, A: Any, B: Any, W: Array) -> dict[str, Any]:
        return {"value": float(W.sum())}

    def input_vjp(self, A: Any, B: Any, W: Array, X: Array) -> Array:
        return np.zeros_like(X)

    def feature_map(self, X: Any) -> Array:
        return np.full((len(self.check(X)), 1), np.sqrt(value(self.value)))

    def dimension(self, D: int) -> int | None:
        return 1


@dataclass(eq=False)
class Keys:
    """One 64-bit hash per item, the same for equal items in every dataset."""

    codes: Array
    dtype: type
    frame = None

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(self.codes[index], self.dtype)


@kernel
class White(Kernel):
    """k(x, y) = v if x and y are equal items, else 0.

    Equality is by value, so k(X) is k(X, X) and a block is its entries.  Noise that differs between repeated
    measurements of one item is a property of a model (its `noise`), not of a kernel.
    """

    variance: Parameter = hyper(1.0, LogOrZero)

    items = Anything
    psd = True
    psd_reason = "an inner product of features: one for each different item"
    stationary = True
    isotropic = True

    @property
    def bound(self) -> float:  # type: ignore[override]
        return float(value(self.variance))

    def prepare_in(self, X: Items, frame: Any, pool: Pool) -> Keys:
        digests = (blake2b(key, digest_size=8).digest() for key in X.keys())
        return Keys(np.frombuffer(b"".join(digests), dtype=np.int64), number_type(X))

    def block(self, A: Keys, B: Keys) -> Array:
        return np.asarray(np.where(A.codes[:, None] == B.codes, A.dtype(value(self.variance)), A.dtype(0.0)))

    def diag(self, A: Keys) -> Array:
        return np.full(len(A), value(self.variance), dtype=A.dtype)

    def parameter_gradients(self, A: Keys, B: Keys, W: Array) -> dict[str, Any]:
        return {"variance": float(W[A.codes[:, None] == B.codes].sum())}

    def input_vjp(self, A: Keys, B: Keys, W: Array, X: Array) -> Array:
        return np.zeros_like(X)  # almost everywhere: k jumps where an item meets its equal
