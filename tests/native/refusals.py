"""What the border must refuse, tried on every array argument of a function in turn.

    refuses(linear.respond, {"q": q, ..., "free": free}, written={"c", "free"})

Every array is replaced by a list, by another element type, by one more dimension, by a strided view, by a longer one
and, where it is written to, by a read-only one.  Each must raise an error that names function and argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from typing import Any

import numpy as np
import pytest


def refuses(
    function: Callable[..., Any], arguments: dict[str, Any], written: Set[str], *, free: Set[str] = frozenset()
) -> None:
    """Try all of it; the size of an argument in `free` may be anything."""
    name = function.__name__
    for key in (key for key, value in arguments.items() if isinstance(value, np.ndarray)):
        for wrong, error in _wrong(arguments[key], key in written, key not in free):
            with pytest.raises(error, match=f"^{name}: {key} must be "):
                function(**arguments | {key: wrong})


def _wrong(A: np.ndarray, written: bool, sized: bool) -> Iterator[tuple[Any, type[Exception]]]:
    yield A.tolist(), TypeError
    yield A.astype(np.float16), TypeError
    yield A.astype(np.float32), TypeError
    yield A[..., None], ValueError
    yield np.repeat(A, 2, axis=-1)[..., ::2], TypeError
    if sized:
        for axis in range(A.ndim):
            yield np.concatenate([A, A], axis=axis), ValueError
    if written:
        locked = A.copy()
        locked.setflags(write=False)
        yield locked, TypeError
