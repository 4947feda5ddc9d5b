"""Labels of nodes or edges: an alphabet, and for each node or edge a place in it.

Kernels compare labels by hashes of 64 bits that the label alone decides, so that what is computed from them does not
depend on which other graphs are there, or in which order they came.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from numbers import Number
from typing import Any, Self

import numpy as np

from mercer.errors import bad, wrong_kind
from mercer.items.symbols import is_missing, symbol_bytes
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Labels:
    """`alphabet[codes[i]]` is the label of node or edge i."""

    alphabet: tuple[Any, ...]
    codes: Array

    @classmethod
    def of(cls, values: Iterable[Any], owner: str, what: str) -> Self:
        """Labels from the values themselves, all of one kind."""
        values = list(values)
        try:
            place = {value: code for code, value in enumerate(dict.fromkeys(values))}
            codes = np.fromiter(map(place.__getitem__, values), dtype=np.int64, count=len(values))
        except TypeError as error:
            raise wrong_kind(owner, f"graphs whose labels of {what} can be compared", str(error),
                             "Use numbers, text or tuples; vectors are attributes.") from None  # fmt: skip
        _require_one_kind(place, owner, what)
        return cls(tuple(place), codes)

    @property
    def kind(self) -> str | None:
        """What the labels are: "number", "text" or the name of another type; None if there are none."""
        return _kind(self.alphabet[0]) if self.alphabet else None

    @cached_property
    def hashes(self) -> Array:
        """A 64-bit hash for every node or edge, the same in every process and on every machine."""
        letters = [hash_of(letter) for letter in self.alphabet]
        return np.array(letters, dtype=np.int64)[self.codes] if letters else np.zeros(len(self.codes), dtype=np.int64)

    @property
    def values(self) -> list[Any]:
        """The label of every node or edge."""
        return [self.alphabet[code] for code in self.codes.tolist()]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, index: Any) -> Self:
        return type(self)(self.alphabet, self.codes[index])

    def followed_by(self, other: Labels, owner: str, what: str) -> Self:
        """These labels and those of `other`, over one alphabet."""
        alphabet = tuple(dict.fromkeys(self.alphabet + other.alphabet))
        _require_one_kind(alphabet, owner, what)
        place = {letter: code for code, letter in enumerate(alphabet)}
        moved = np.array([place[letter] for letter in other.alphabet], dtype=np.int64)
        return type(self)(alphabet, np.concatenate([self.codes, moved[other.codes]]))


def hash_of(label: Any) -> int:
    """The signed 64-bit hash of a label."""
    return int.from_bytes(hashlib.blake2b(symbol_bytes(label), digest_size=8).digest(), "little", signed=True)


def _kind(label: Any) -> str:
    if isinstance(label, (Number, np.bool_)):
        return "number"
    return "text" if isinstance(label, str) else type(label).__name__


def _require_one_kind(alphabet: Iterable[Any], owner: str, what: str) -> None:
    first: Any = None
    for label in alphabet:
        if is_missing(label):
            raise bad(owner, f"labels of {what}", "given for all of them or for none", repr(label),
                      "Give those without one a label of their own.")  # fmt: skip
        first = label if first is None else first
        if _kind(label) != _kind(first):
            raise wrong_kind(owner, f"graphs whose labels of {what} are of one kind",
                             f"{_kind(first)} {first!r} and {_kind(label)} {label!r}",
                             "Write all labels as numbers, or all as text.")  # fmt: skip
