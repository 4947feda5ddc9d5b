"""Sets: finite sets of hashable elements, in lists or packed into bits, and unions of intervals of the real line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from mercer.errors import bad, wrong_kind
from mercer.items.items import Items, taken
from mercer.items.symbols import Listed, is_missing, listed
from mercer.typing import Array, Index

_WORD = 8  # bytes that are counted at once


@dataclass(frozen=True, eq=False)
class Sets(Listed):
    """n frozensets; a list given for one of them counts each element once."""

    kind: ClassVar[str] = "sets"

    @classmethod
    def check(cls, X: Any, owner: str) -> Any:
        if isinstance(X, Sets):
            return X
        if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype in (np.bool_, np.uint8):
            return PackedSets.of(X)
        return cls([_set(value, owner, row) for row, value in enumerate(listed(X, owner, "a list of sets"))])

    @property
    def members(self) -> list[frozenset[Any]]:
        """The sets, one by one."""
        return self.values


@dataclass(frozen=True, eq=False)
class PackedSets(Sets):
    """n sets of whole numbers, each a row of bits: number j is in the set if bit j is 1.

    They come from a 2-d array: of uint8 as `numpy.packbits(members, axis=1)` makes it, or of bool, one column per
    number. `values` is that array of uint8, with zeros up to the next multiple of 64 bits.
    """

    values: Any

    @classmethod
    def of(cls, X: Array) -> Self:
        """From an array of bytes or of truth values."""
        packed = np.packbits(X, axis=1) if X.dtype == np.bool_ else X
        values = np.zeros((len(X), -(-packed.shape[1] // _WORD) * _WORD), dtype=np.uint8)
        values[:, : packed.shape[1]] = packed
        return cls(values)

    @property
    def members(self) -> list[frozenset[Any]]:
        return [frozenset(np.flatnonzero(row).tolist()) for row in np.unpackbits(self.values, axis=1)]

    def __getitem__(self, index: Index) -> Self:
        return type(self)(self.values[index])

    def pieces(self) -> Iterable[bytes]:
        return (row.tobytes() for row in self.values)


def _set(value: Any, owner: str, row: int) -> frozenset[Any]:
    if isinstance(value, np.ndarray) and value.ndim == 1:
        value = value.tolist()
    if isinstance(value, (str, bytes)) or not isinstance(value, (Set, Sequence)):
        raise wrong_kind(owner, "sets", f"{type(value).__name__} in row {row}",
                         "Pass set(text) for the letters of a text, text.split() for its words.")  # fmt: skip
    try:
        elements = frozenset(value)
    except TypeError as error:
        raise wrong_kind(owner, "sets of hashable elements", f"{error} in row {row}", "Use tuples.") from None
    for element in elements:
        if is_missing(element):
            raise bad(owner, "X", "sets without missing elements", f"{element!r} in row {row}", "Drop them first.")
    return elements


@dataclass(frozen=True, eq=False)
class Intervals(Items):
    """n unions of intervals, each an (m, 2) array of disjoint [low, high] in increasing order."""

    values: list[Array]
    kind: ClassVar[str] = "intervals"

    @classmethod
    def check(cls, X: Any, owner: str) -> Self:
        if isinstance(X, cls):
            return X
        values = listed(X, owner, "a list of unions of intervals", "Write each as a list of (low, high) pairs.")
        return cls([_merged(_pairs(value, owner, row)) for row, value in enumerate(values)])

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(taken(self.values, index))

    def pieces(self) -> Iterable[bytes]:
        return (pairs.tobytes() for pairs in self.values)


def _pairs(value: Any, owner: str, row: int) -> Array:
    """An (m, 2) array of finite low <= high."""
    try:
        pairs = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        pairs = np.zeros(1)
    if pairs.size and (pairs.ndim != 2 or pairs.shape[1] != 2):
        raise wrong_kind(owner, "unions of intervals", f"{value!r} in row {row}", "Write a list of (low, high) pairs.")
    pairs = pairs.reshape(-1, 2)
    if not (np.isfinite(pairs).all() and (pairs[:, 0] <= pairs[:, 1]).all()):
        raise bad(owner, "intervals", "finite, with low <= high", f"{value!r} in row {row}",
                  "Cut infinite intervals to the range that matters.")  # fmt: skip
    return pairs + 0.0


def _merged(pairs: Array) -> Array:
    """The same union as disjoint intervals: a new one begins where `low` lies beyond every `high` before it."""
    pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    reach = np.maximum.accumulate(pairs[:, 1])
    begins = np.flatnonzero(np.append(True, pairs[1:, 0] > reach[:-1])[: len(pairs)])
    ends = np.append(begins[1:], len(pairs))[: len(begins)] - 1
    return np.column_stack([pairs[begins, 0], reach[ends]])
