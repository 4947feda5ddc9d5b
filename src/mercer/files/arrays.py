"""Arrays as bytes: little-endian, without headers; their types and shapes are in the JSON.

Only the types of a fixed list are read, so that a file cannot ask for an array of Python objects.
"""

from __future__ import annotations

import math
import re
from typing import Any, Literal

import numpy as np

from mercer.files.faults import broken
from mercer.typing import Array

_DTYPE = re.compile(r"\|b1|[<|][iu][1248]|<f[248]|<c(8|16)|\|S\d{1,9}|<U\d{1,9}|<[Mm]8(\[\d{0,4}[A-Za-z]{1,2}\])?")
_LAST_LETTER = 0x10FFFF


def dtype_name(dtype: np.dtype) -> str:
    """The name of a number or text type in a file."""
    name = dtype.newbyteorder("<").str
    if not _DTYPE.fullmatch(name) or not dtype.itemsize:
        raise broken("an array", "of numbers, text or dates", f"dtype {dtype}", "Convert it before fitting.")
    return name


def named_dtype(name: Any) -> np.dtype:
    """The type of that name, in the byte order of this machine."""
    if not isinstance(name, str) or not _DTYPE.fullmatch(name):
        raise broken("a dtype", "that of numbers, text or dates", repr(name))
    found = np.dtype(name).newbyteorder("=")
    if not found.itemsize:
        raise broken("a dtype", "of one byte or more", repr(name))
    return found


def as_bytes(A: Array) -> tuple[str, memoryview]:
    """(order, bytes) of an array: "F" if it is stored by columns."""
    order: Literal["C", "F"] = "F" if A.flags.f_contiguous and not A.flags.c_contiguous else "C"
    flat = A.astype(A.dtype.newbyteorder("<"), copy=False).ravel(order=order)
    return order, flat.view(np.uint8).data


def size_of(dtype: np.dtype, shape: Any) -> int:
    """The bytes of an array of that type and shape, which must be a list of integers >= 0."""
    if not isinstance(shape, list) or len(shape) > 32 or not all(type(n) is int and 0 <= n < 2**48 for n in shape):
        raise broken("the shape of an array", "a list of integers >= 0", repr(shape))
    return dtype.itemsize * math.prod(shape)


def from_bytes(data: bytes, dtype: np.dtype, shape: list[int], order: Any) -> Array:
    """The array of these bytes."""
    if len(data) != size_of(dtype, shape) or order not in ("C", "F"):
        raise broken("an array", f"{size_of(dtype, shape)} bytes in order C or F", f"{len(data)} in order {order!r}")
    A = np.frombuffer(data, dtype=dtype.newbyteorder("<")).astype(dtype, copy=True)
    _require_meaning(A)
    return A.reshape(shape, order=order)


def _require_meaning(A: Array) -> None:
    """Refuse bytes that are no value of their type: a truth value above 1, a letter beyond Unicode."""
    limits = {"b": (np.uint8, 1), "U": (np.uint32, _LAST_LETTER)}
    if A.dtype.kind in limits and A.size:
        kind, last = limits[A.dtype.kind]
        if A.view(kind).max() > last:
            raise broken("an array", "of truth values or letters", "bytes that are neither")
