"""The distance a kernel induces: d^2(x, y) = k(x, x) + k(y, y) - 2 Re k(x, y), the distance of feature vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.engine.fill import require_memory
from mercer.gram import LazyGram, kernel_distances
from mercer.kernels.base import Kernel
from mercer.typing import Array


def distance(kernel: Kernel, X: Any, Y: Any = None, *, squared: bool = False) -> Array:
    """d(x_i, y_j), or d^2 when `squared`; zero on the diagonal when Y is left out.

    d obeys the triangle inequality when k is positive semi-definite.  It may vanish for distinct items, where the
    feature map is not injective; squares under zero, from rounding or an indefinite kernel, become 0.
    """
    gram = LazyGram(kernel, X, Y)
    if not min(gram.shape):
        return np.empty(gram.shape)
    found = kernel_distances(gram, squared=squared)
    require_memory(f"The distances under {kernel!r}", found.size, "LazyGram(kernel, X).nearest(count) streams them.")
    return found.dense()
