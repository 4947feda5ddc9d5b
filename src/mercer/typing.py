"""The type aliases used everywhere: arrays, indices, and the two small protocols the layers share."""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Index = slice | NDArray[np.intp]


class Prepared(Protocol):
    """Items on which a kernel has done all its O(n) work; tiles of the Gram are made from slices of it."""

    @property
    def frame(self) -> Any: ...

    def __len__(self) -> int: ...

    def __getitem__(self, index: Index) -> Self: ...


class Gram(Protocol):
    """A square kernel matrix that may never be stored: all a solver may ask of one.

    `linear_rows` are rows Z with K = ZZ', where such are known; else None.
    """

    def __len__(self) -> int: ...

    def diag(self) -> Array: ...

    def rows(self, index: Array) -> Array: ...

    def sub(self, index: Array) -> Gram: ...

    def part(self, I: Array | None, J: Array | None) -> Gram: ...

    def values(self, I: Array, J: Array) -> Array: ...

    def times(self, I: Array, J: Array, v: Array) -> Array: ...

    def single(self) -> Gram: ...

    def dense(self) -> Array: ...

    def fill(self, out: Array) -> None: ...

    @property
    def linear_rows(self) -> Any: ...

    def __matmul__(self, V: Array) -> Array: ...
