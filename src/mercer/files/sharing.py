"""Which values a file holds once, although a model refers to them several times: arrays, items, prepared data.

References inside of references could make a small file stand for an enormous model.  So values have a rank, and a
value may refer to values of lower rank only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.estimators.training_data import KernelItems
from mercer.items import Items
from mercer.items.vectors import is_sparse

TOP = 3


def rank_of(value: Any) -> int:
    """0: an array of numbers, 1: items, 2: prepared data, 3: anything else, which is never shared."""
    if isinstance(value, np.ndarray):
        return TOP if value.dtype.hasobject else 0
    return 0 if is_sparse(value) else inner_rank(type(value))


def inner_rank(cls: type) -> int:
    """The rank of values of a class: what it is made of has lower rank."""
    return 1 if issubclass(cls, Items) else 2 if issubclass(cls, KernelItems) else TOP
