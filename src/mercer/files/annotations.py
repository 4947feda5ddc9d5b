"""Whether values from a file fit the annotations of the dataclass whose fields they are.

The test is coarse on purpose: it tells numbers, arrays and classes of mercer apart, and no more.  None always fits.
"""

from __future__ import annotations

from functools import cache
from numbers import Number
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from mercer.files.faults import broken
from mercer.items.vectors import is_sparse


def require_fit(cls: type, held: dict[str, Any]) -> None:
    """Refuse fields of a wrong kind."""
    hints = _hints(cls)
    for name, value in held.items():
        if not fits(value, hints.get(name, Any)):
            raise broken(f"{cls.__name__}.{name}", f"of type {hints[name]}", type(value).__name__)


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)


def fits(value: Any, hint: Any) -> bool:
    """Whether a value may stand where the annotation says `hint`."""
    origin = get_origin(hint) or hint
    if value is None or hint is Any:
        return True
    if origin in (Union, UnionType):
        return any(fits(value, one) for one in get_args(hint) if one is not type(None))
    if origin is np.ndarray:
        return isinstance(value, (np.ndarray, np.generic)) or is_sparse(value)
    if origin in (bool, int, float, complex):
        return isinstance(value, (Number, np.generic))
    if not isinstance(origin, type) or getattr(origin, "_is_protocol", False):
        return True
    return isinstance(value, origin)
