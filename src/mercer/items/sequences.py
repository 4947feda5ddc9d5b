"""Sequences of any form, for kernels that read symbols and real vectors alike."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer.items.items import Items, Objects
from mercer.items.point_lists import PointLists
from mercer.items.text import Strings

_NUMBERS = (float, np.floating, list, np.ndarray)  # real numbers, and rows of them


class Sequences(Objects):
    """The kind of kernels that take `Strings` or `PointLists`, whichever the data are.

    Sequences of real numbers, or of rows of numbers (lists or arrays), are lists of points; all others hold symbols.
    Whole numbers alone are symbols: write them as floats if their size counts.
    """

    kind: ClassVar[str] = "sequences"

    @classmethod
    def check(cls, X: Any, owner: str) -> Any:
        if isinstance(X, (Strings, PointLists)):
            return X
        return PointLists.check(X, owner) if _are_points(X) else Strings.check(X, owner)


def _are_points(X: Any) -> bool:
    """Whether some entry of a sequence is a real number or a row of numbers."""
    if isinstance(X, np.ndarray) and X.ndim > 1:
        return True
    if isinstance(X, (Items, str, bytes)) or not hasattr(X, "__iter__"):
        return False
    for sequence in X:
        if isinstance(sequence, (str, bytes)):
            return False
        if hasattr(sequence, "__iter__") and any(isinstance(entry, _NUMBERS) for entry in sequence):
            return True
    return False
