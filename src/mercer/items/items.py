"""The contract of a dataset, and its most general kind: a sequence of arbitrary objects.

A kernel names the kind it understands (`Kernel.items`).  `check` turns what the user passed into that kind,
once, at the door; after it nothing is validated again.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from mercer.errors import wrong_kind
from mercer.typing import Index

T = TypeVar("T")


class Items(ABC):
    """n items of one kind."""

    kind: ClassVar[str]
    frame = None  # items are their own `Prepared` for kernels that have nothing to prepare

    @classmethod
    @abstractmethod
    def check(cls, X: Any, owner: str) -> Self:
        """X as items of this kind, validated; `owner` is named in the error message."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, index: Index) -> Self: ...

    @property
    def iloc(self) -> Self:
        """The items themselves: the name under which scikit-learn asks for rows by position."""
        return self

    def take(self, rows: Index, axis: int = 0) -> Self:
        """Some of the items, as scikit-learn asks for the rows of a table."""
        return self[rows]

    @abstractmethod
    def pieces(self) -> Iterable[bytes]:
        """Bytes that determine the items; equal items give equal bytes."""

    def keys(self) -> list[bytes]:
        """One byte string per item; two items are equal when their keys are."""
        return [b"\0".join(self[np.array([i])].pieces()) for i in range(len(self))]

    def fingerprint(self) -> str:
        """A hash of the kind and the content, the same in every process and on every machine."""
        digest = hashlib.blake2b(self.kind.encode(), digest_size=16)
        for piece in self.pieces():
            digest.update(len(piece).to_bytes(8, "little"))
            digest.update(piece)
        return digest.hexdigest()


def taken(values: list[T], index: Index) -> list[T]:
    """The entries of a list at a slice or an array of positions."""
    return values[index] if isinstance(index, slice) else [values[i] for i in index]


@dataclass(frozen=True, eq=False)
class Objects(Items):
    """A list of arbitrary objects, for kernels given by a user's function."""

    values: list[Any]
    kind: ClassVar[str] = "objects"

    @classmethod
    def check(cls, X: Any, owner: str) -> Self:
        if isinstance(X, cls):
            return X
        if isinstance(X, Items):
            return cls(list(getattr(X, "values", ())))
        if isinstance(X, (str, bytes)) or not hasattr(X, "__len__"):
            raise wrong_kind(owner, "a sequence of items", type(X).__name__, "Pass a list, even for one item.")
        return cls(_rows(X, owner))

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(taken(self.values, index))

    def pieces(self) -> Iterable[bytes]:
        return (_object_bytes(value) for value in self.values)


def _rows(X: Any, owner: str) -> list[Any]:
    """The items of a sequence; of a data frame its rows, one dict each, for iteration would give its columns."""
    from mercer.items.symbols import is_frame
    from mercer.items.tables import Table

    return list(Table.check(X, owner).values if is_frame(X) else X)


def _object_bytes(value: Any) -> bytes:
    """Bytes of one object: its numbers if it is an array, else its repr (dicts and sets in sorted order)."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return f"{value.dtype}{value.shape}".encode() + np.ascontiguousarray(value).tobytes()
    if isinstance(value, (set, frozenset)):
        return repr(sorted(map(repr, value))).encode()
    if isinstance(value, dict):
        return repr(sorted((repr(k), repr(v)) for k, v in value.items())).encode()
    return repr(value).encode()


class Anything(Objects):
    """The kind of kernels that never look inside an item (constants, white noise)."""

    kind: ClassVar[str] = "anything"

    @classmethod
    def check(cls, X: Any, owner: str) -> Any:
        if isinstance(X, Items):
            return X
        from mercer.items.vectors import Vectors

        looks_numeric = hasattr(X, "tocsr") or (isinstance(X, np.ndarray) and X.dtype.kind in "fiubc" and X.ndim == 2)
        return Vectors.check(X, owner) if looks_numeric else Objects.check(X, owner)
