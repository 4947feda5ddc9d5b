"""The distance a kernel induces: d^2(x, y) = k(x, x) + k(y, y) - 2 Re k(x, y), the distance of feature vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.engine import fill
from mercer.gram import LazyGram
from mercer.kernels.base import Kernel
from mercer.kernels.values import diagonal
from mercer.typing import Array


def distance(kernel: Kernel, X: Any, Y: Any = None, *, squared: bool = False) -> Array:
    """d(x_i, y_j), or d^2 when `squared`; zero on the diagonal when Y is left out.

    d obeys the triangle inequality when k is positive semi-definite.  It may vanish for distinct items, where the
    feature map is not injective; squares under zero, from rounding or an indefinite kernel, become 0.
    """
    gram = LazyGram(kernel, X, Y)
    if not min(gram.shape):
        return np.empty(gram.shape)
    a = diagonal(kernel, gram.A).real
    b = a if gram.symmetric else diagonal(kernel, gram.B).real

    def block(r: slice, c: slice) -> Array:
        D = a[r, None] + b[c] - 2.0 * gram.block(r, c).real
        np.maximum(D, 0.0, out=D)
        if gram.symmetric and r == c:
            np.fill_diagonal(D, 0.0)
        return D if squared else np.asarray(np.sqrt(D, out=D))

    what = f"The distances under {kernel!r}"
    return fill.dense(block, gram.shape, a.dtype, symmetric=gram.symmetric, what=what)
