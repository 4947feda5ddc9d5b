"""The held Gram: a lazy one whose entries in single precision are stored once they have been asked for.

Solvers of a few thousand items work on such entries, and so do those that calibrate the solution afterwards; the proof
asks the lazy Gram for double precision.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from mercer.gram.lazy import LazyGram
from mercer.gram.stored import StoredGram
from mercer.typing import Array


class HeldGram:
    """A lazy Gram of n items and the way to its entries in single precision; both are made when first needed."""

    def __init__(self, n: int, lazy: Callable[[], LazyGram], entries: Callable[[], Array]) -> None:
        self.n, self._lazy, self._entries = n, lazy, entries

    @classmethod
    def of(cls, gram: LazyGram) -> HeldGram:
        """The Gram with its entries held."""
        return cls(len(gram), lambda: gram, lambda: gram.single().dense())

    @cached_property
    def gram(self) -> LazyGram:
        """The Gram in full precision."""
        return self._lazy()

    @cached_property
    def _single(self) -> StoredGram:
        return StoredGram.of(self._entries())

    def single(self) -> StoredGram:
        """The entries in single precision."""
        return self._single

    def __len__(self) -> int:
        return self.n

    def __getattr__(self, name: str) -> Any:
        return getattr(self.gram, name)

    def __matmul__(self, V: Array) -> Array:
        return self.gram @ V
