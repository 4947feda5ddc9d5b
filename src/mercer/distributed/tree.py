"""Sums in a fixed order: results are merged eight at a time, in the order of their blocks."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np

SPLIT_EVERY = 8  # results that are merged by one task


def merging(name: str, keys: list[Any], *tail: int) -> tuple[dict[Any, Any], Any]:
    """(tasks that merge the results under `keys`, the key of the whole); `tail` is the end of all new keys."""
    layer: dict[Any, Any] = {}
    level = 0
    while level == 0 or len(keys) > 1:
        groups = [keys[i : i + SPLIT_EVERY] for i in range(0, len(keys), SPLIT_EVERY)]
        layer.update({(f"{name}-{level}", *tail, i): (merged, group) for i, group in enumerate(groups)})
        keys, level = [(f"{name}-{level}", *tail, i) for i in range(len(groups))], level + 1
    return layer, keys[0]


def merged(parts: Sequence[Any]) -> Any:
    """The sum of some results in their order, in an object of its own: a task must leave its inputs as they are."""
    found = [part for part in map(alone, parts) if part is not None]
    if not found:
        return None
    total = deepcopy(found[0])
    for part in found[1:]:
        total.merge(part)
    return total


def alone(part: Any) -> Any:
    """What a block gave: the only entry of an array of objects."""
    return part.item() if isinstance(part, np.ndarray) and part.dtype == object and part.size == 1 else part
