"""Symbols: the hashable values that texts, sets and categories are made of, and the lists that hold them.

Python's own `hash` differs from process to process, so fingerprints are made of bytes that only the value decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from mercer.errors import wrong_kind
from mercer.items.items import Items, taken
from mercer.typing import Index


@dataclass(frozen=True, eq=False)
class Listed(Items):
    """Items kept in a list, each a hashable value."""

    values: list[Any]
    kind: ClassVar[str] = "listed"

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(taken(self.values, index))

    def pieces(self) -> Iterable[bytes]:
        return map(symbol_bytes, self.values)

    def keys(self) -> list[bytes]:
        return list(self.pieces())


_CURE = "Numbers need a vector kernel such as RBF; a column of a table needs On(column, kernel)."


def listed(X: Any, owner: str, rule: str, cure: str = _CURE) -> list[Any]:
    """The items of a list, a 1-d array or one column of a data frame; `rule` and `cure` go into the refusal."""
    if isinstance(X, Items):
        raise wrong_kind(owner, rule, X.kind, "Use a kernel for that kind of item, or map the items first.")
    if isinstance(X, (str, bytes)):
        raise wrong_kind(owner, rule, f"one {type(X).__name__}", "Put it in a list, even for one item: [text].")
    if hasattr(X, "shape") and len(X.shape) != 1:
        raise wrong_kind(owner, rule, f"{type(X).__name__} of shape {X.shape}", cure)
    if isinstance(X, (Mapping, Set)) or not (hasattr(X, "__len__") and hasattr(X, "__iter__")):
        raise wrong_kind(owner, rule, type(X).__name__, cure)
    for name in ("tolist", "to_list", "to_pylist"):  # numpy and pandas, polars, pyarrow
        if hasattr(X, name):
            return list(getattr(X, name)())
    return list(X)


def is_frame(X: Any) -> bool:
    """Whether X is a data frame or lazy frame of some library."""
    if isinstance(X, (list, tuple, np.ndarray)):
        return False
    from narwhals.dependencies import is_into_dataframe

    return is_into_dataframe(X) or hasattr(X, "collect_schema")


def is_missing(value: Any) -> bool:
    """None, or a value that is not equal to itself: NaN, NaT, pandas' NA."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # NA refuses to say
        return True
    except ValueError:  # an array has many answers
        return False


def symbol_bytes(value: Any) -> bytes:
    """Bytes with a tag and a length: equal values have equal bytes, whatever the process or the number type."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, str):
        tag, body = b"s", value.encode("utf-8", "surrogatepass")
    elif isinstance(value, bytes):
        tag, body = b"b", value
    elif isinstance(value, (int, float)):
        tag, body = b"n", repr(int(value) if value == value // 1 else float(value)).encode()
    elif isinstance(value, (tuple, list)):
        tag, body = b"t", b"".join(map(symbol_bytes, value))
    elif isinstance(value, Set):
        tag, body = b"f", b"".join(sorted(map(symbol_bytes, value)))
    else:
        tag, body = b"o", _text(value).encode()
    return tag + len(body).to_bytes(8, "little") + body


def _text(value: Any) -> str:
    """The text of any other value: a date in ISO form, else its repr, if that tells its content."""
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    if repr(value) == object.__repr__(value):
        raise wrong_kind("fingerprint", "values that print their content", repr(value),
                         f"Give {type(value).__name__} a __repr__, or use strings or tuples.")  # fmt: skip
    return repr(value)


def in_order(values: Iterable[Any]) -> list[Any]:
    """Values in an order that every process agrees on: their own, or that of their bytes."""
    values = list(values)
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=symbol_bytes)
