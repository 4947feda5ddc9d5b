"""Prepared data in single precision, for solvers that work in float32 and prove their answer in float64.

Centres were subtracted in double precision when the data were prepared, so that rounding them now loses nothing
but the last digits.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np


def in_single(prepared: Any) -> Any:
    """The same prepared data with every float64 array rounded to float32; what was one object stays one."""
    return _rounded(prepared, {})


def _rounded(x: Any, memo: dict[int, Any]) -> Any:
    if id(x) not in memo:
        memo[id(x)] = _round(x, memo)
    return memo[id(x)]


def _round(x: Any, memo: dict[int, Any]) -> Any:
    if hasattr(x, "in_single"):
        return x.in_single()
    if isinstance(x, np.ndarray) or hasattr(x, "tocsr"):
        return x.astype(np.float32) if x.dtype == np.float64 else x
    if isinstance(x, tuple):
        return tuple(_rounded(part, memo) for part in x)
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        fields = {f.name: getattr(x, f.name) for f in dataclasses.fields(x) if f.name not in ("frame", "memo")}
        return dataclasses.replace(x, **{name: _rounded(value, memo) for name, value in fields.items()})
    return x
