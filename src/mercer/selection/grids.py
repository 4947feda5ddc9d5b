"""Which parameters to try: grids by name, and cheap starts.

libsvm    gamma in 2^-15, 2^-13, ..., 2^3 and C in 2^-5, 2^-3, ..., 2^15: 110 points
median    the lengthscale at which a typical pair of items is one lengthscale apart
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.items.vectors import is_sparse
from mercer.typing import Array

LIBSVM = {"C": [2.0**e for e in range(-5, 16, 2)], "gamma": [2.0**e for e in range(-15, 4, 2)]}
_PAIRS = 10_000


def median_lengthscale(X: Any, *, random_state: int = 0) -> float:
    """The median of |x - y| over random pairs of rows: a scale on which a radial kernel is neither 0 nor 1."""
    V = X.tocsr() if is_sparse(X) else np.asarray(X, dtype=float)
    if V.ndim != 2 or V.shape[0] < 2:
        raise bad("median_lengthscale", "X", "two rows or more", f"shape {V.shape}", "Pass a matrix of features.")
    rng = np.random.default_rng(random_state)
    i, j = rng.integers(0, V.shape[0], (2, _PAIRS))
    between = V[i[i != j]] - V[j[i != j]]
    squares = between.multiply(between) if is_sparse(between) else between**2
    apart = np.sqrt(np.asarray(squares.sum(axis=1)).ravel())
    middle = float(np.median(apart))
    return middle if middle > 0.0 else 1.0


def alignment(K: Array, y: Any) -> float:
    """Kernel-target alignment <Kc, Yc> / (|Kc| |Yc|) of centred K and Y: how much of the kernel speaks of the target.

    Y is y y' for numbers, and 1 for equal labels, 0 otherwise; 1 is a kernel that is the target itself.
    """
    K, target = np.asarray(K, dtype=float), np.asarray(y)
    if target.dtype.kind in "fc":
        Y = np.multiply.outer(target - target.mean(), target - target.mean())
    else:
        Y = (target[:, None] == target[None, :]).astype(float)
    Kc, Yc = _centred(K), _centred(Y)
    size = float(np.linalg.norm(Kc) * np.linalg.norm(Yc))
    return float(np.vdot(Kc, Yc)) / size if size > 0.0 else 0.0


def _centred(K: Array) -> Array:
    means = K.mean(axis=0)
    return np.asarray(K - means - K.mean(axis=1)[:, None] + means.mean())
