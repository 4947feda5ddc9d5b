"""What can be said of a kernel on given items before any machine is fitted: a lengthscale, and its alignment."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.items.vectors import is_sparse
from mercer.typing import Array

_PAIRS = 10_000  # random pairs of rows for the median


def median_lengthscale(X: Any, *, random_state: int = 0) -> float:
    """The median of |x - y| over random pairs of rows: a scale on which a radial kernel is neither 0 nor 1."""
    V = X.tocsr() if is_sparse(X) else np.asarray(X, dtype=float)
    if V.ndim != 2 or V.shape[0] < 2:
        raise bad("median_lengthscale", "X", "two rows or more", f"shape {V.shape}", "Pass a matrix of features.")
    rng = np.random.default_rng(random_state)
    i, j = rng.integers(0, V.shape[0], (2, _PAIRS))
    differences = V[i[i != j]] - V[j[i != j]]
    squares = differences.multiply(differences) if is_sparse(differences) else differences**2
    distances = np.sqrt(np.asarray(squares.sum(axis=1)).ravel())
    median = float(np.median(distances))
    return median if median > 0.0 else 1.0


def alignment(K: Array, y: Any) -> float:
    """Kernel-target alignment <Kc, Yc> / (|Kc| |Yc|) of centred K and Y: how similar the kernel is to the target.

    Y is y y' for numbers; for labels it is 1 where two labels are equal, and 0 elsewhere.  The largest value is 1: then
    Kc is a multiple of Yc.
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
