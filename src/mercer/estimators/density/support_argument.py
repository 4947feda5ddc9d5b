"""What `support` may be: None, bounds (low, high), ("circle", low, high), or a list of these for columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.solvers.density.boundary import Side
from mercer.typing import Array

_CURE = "Use None, (0, None), (0, 1) or ('circle', 0, 360); with several columns, a list of these."


def sides_of(owner: str, given: Any, columns: int) -> list[Side]:
    """The support of every column."""
    if given is None:
        return [Side() for _ in range(columns)]
    if isinstance(given, list):
        if len(given) != columns:
            raise bad(owner, "support", f"a list of {columns} supports, one for each column", f"{len(given)}", _CURE)
        return [_side(owner, one) for one in given]
    return [_side(owner, given) for _ in range(columns)]


def _side(owner: str, given: Any) -> Side:
    if given is None:
        return Side()
    circle = isinstance(given, tuple) and len(given) == 3 and given[0] == "circle"
    ends = given[1:] if circle else given
    if not isinstance(ends, tuple) or len(ends) != 2:
        raise bad(owner, "support", "bounds of each column", repr(given), _CURE)
    try:
        low, high = (
            default if end is None else float(end) for end, default in zip(ends, (-np.inf, np.inf), strict=True)
        )
    except (TypeError, ValueError):
        raise bad(owner, "support", "made of numbers", repr(given), _CURE) from None
    if not low < high or (circle and not (np.isfinite(low) and np.isfinite(high))):
        raise bad(
            owner, "support", "two numbers, the lower first" + (", both finite" if circle else ""), repr(given), _CURE
        )
    return Side(low, high, circle)


def inside(owner: str, X: Array, sides: list[Side], first: int = 0) -> Array:
    """X with circles unrolled; a row outside of the bounds is refused.  The number of the first row is `first`."""
    for j, side in enumerate(sides):
        if side.circle:
            X = X.astype(np.float64, copy=True)
            X[:, j] = side.folded(X[:, j])
        elif side.bounded:
            out = ~side.contains(X[:, j])
            if out.any():
                row = int(np.argmax(out))
                raise bad(owner, "X", f"inside of support, {side.low} to {side.high}, in column {j}",
                          f"{X[row, j]} in row {first + row}",
                          "Leave such rows out, or widen the support.")  # fmt: skip
    return X
