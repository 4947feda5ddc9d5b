"""Kernel values as machines read them: finite numbers, or one error that names the pair of items.

    tile(k, A, B)      k(a_i, b_j) for all pairs
    diagonal(k, A)     k(a_i, a_i)

Every Gram, stored or streamed, is made of these two.  Values that are known to be finite (`k.finite`, `k.bound_on`) are
not looked at, so that most kernels pay nothing; of others each tile is read once more while it is in cache.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.errors import NotFinite
from mercer.typing import Array

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

Where = Callable[[int, int], tuple[int, int]]  # from positions in a tile to those in the data
_LARGE = 1e38  # float32 holds 3.4e38
CURE = "Define k for such items, scale the data, or leave the items out."


def tile(kernel: Kernel, A: Any, B: Any, where: Where | None = None) -> Array:
    """k(a_i, b_j) of prepared items; `where` tells their positions in the data, for the message of an error."""
    try:
        if _surely_finite(kernel, A, B):
            return kernel.block(A, B)
        with np.errstate(all="ignore"):  # what overflows or is not defined is found below
            return require_finite(kernel, kernel.block(A, B))
    except NotFinite as fault:
        raise fault.at(where) from None


def diagonal(kernel: Kernel, A: Any, where: Where | None = None) -> Array:
    """k(a_i, a_i) of prepared items."""
    try:
        if _surely_finite(kernel, A, A):
            return kernel.diag(A)
        with np.errstate(all="ignore"):
            return require_finite(kernel, kernel.diag(A))
    except NotFinite as fault:
        raise fault.at(where) from None


def _surely_finite(kernel: Kernel, A: Any, B: Any) -> bool:
    return kernel.finite or kernel.bound_on(A, B) < _LARGE


def require_finite(owner: Kernel | str, values: Array, cure: str = CURE, where: Where | None = None) -> Array:
    """The values of a tile or of a diagonal themselves; refuses NaN and infinity."""
    if all_finite(values):
        return values
    first = np.argwhere(~np.isfinite(values))[0]
    raise NotFinite(str(owner), values[tuple(first)], (int(first[0]), int(first[-1])), cure).at(where)


def all_finite(values: Array) -> bool:
    """Whether every entry is finite.

    A sum of squares is finite only if every entry is, and one pass through the cache; entries are looked at one by one
    if it is not, for squares of large numbers overflow, too.
    """
    if values.dtype.kind not in "fc":
        return True
    flat = values.ravel(order="K")
    return bool(np.isfinite(np.vdot(flat, flat)) or np.isfinite(values).all())
