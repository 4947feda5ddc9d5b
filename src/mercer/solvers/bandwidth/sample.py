"""The sample that a bandwidth is chosen for: columns brought to [-1, 1], weights of sum 1, and the effective n.

Every rule works on these numbers and its answer is multiplied by the half range of the column.  That makes all rules
equivariant under shifts and scalings, also where squares of the data would overflow or underflow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.typing import Array

_ROUNDING = 8.0 * np.finfo(float).eps  # of the largest entry: a half range up to this is taken for a constant column


@dataclass(frozen=True, eq=False)
class Sample:
    """`columns` (D, n) in [-1, 1], each times its `unit` the data; `weight` (n,) > 0 of sum 1; `size` effective n.

    size = (sum w)^2 / sum w^2, which is n for equal weights.
    """

    columns: Array
    unit: Array
    weight: Array
    size: float

    @classmethod
    def of(cls, owner: str, X: Any, weights: Any = None) -> Self:
        """Check the data: finite, two rows or more of positive weight, no constant column."""
        X = checked_rows(owner, X)
        weight = checked_weights(owner, weights, len(X))
        X, weight = X[weight > 0.0], weight[weight > 0.0]
        if len(X) < 2:
            raise bad(owner, "X", "two rows or more of positive weight", f"{len(X)}",
                      "A single row has no spread: pass the bandwidth as a number.")  # fmt: skip
        low, high = X.min(axis=0), X.max(axis=0)
        unit, centre = high / 2.0 - low / 2.0, high / 2.0 + low / 2.0
        for j in np.flatnonzero(unit <= _ROUNDING * np.maximum(abs(low), abs(high))):
            raise bad(owner, "X", "without constant columns", f"{X[0, j]} in all rows of column {j}",
                      "Leave that column out, or pass the bandwidths as numbers.")  # fmt: skip
        weight = weight / weight.max()
        weight /= weight.sum()
        equal = bool((weight == weight[0]).all())
        size = float(len(X)) if equal else 1.0 / float(weight @ weight)
        return cls(np.ascontiguousarray(((X - centre) / unit).T), unit, weight, size)


def checked_rows(owner: str, X: Any) -> Array:
    """(n, D) finite numbers; one column may be given as (n,)."""
    X = np.asarray(X, dtype=np.float64)
    X = X[:, None] if X.ndim == 1 else X
    if X.ndim != 2 or 0 in X.shape:
        raise bad(owner, "X", "a table of numbers with rows and columns", f"shape {X.shape}", "Pass (n, D) numbers.")
    if not np.isfinite(X).all():
        i, j = np.argwhere(~np.isfinite(X))[0]
        raise bad(owner, "X", "finite", f"{X[i, j]} in row {i}, column {j}", "Leave that row out, or fill the gap.")
    return np.asarray(X)


def checked_weights(owner: str, weights: Any, n: int) -> Array:
    """(n,) numbers >= 0; 1 if None."""
    if weights is None:
        return np.ones(n)
    w = np.asarray(weights, dtype=np.float64)
    if w.shape != (n,):
        raise bad(owner, "weights", f"{n} numbers, one per row", f"shape {w.shape}", "Pass one weight for each row.")
    if not np.isfinite(w).all() or (w < 0.0).any():
        raise bad(owner, "weights", "finite and >= 0", f"{w[~np.isfinite(w) | (w < 0.0)][0]}",
                  "A row of weight 0 is left out.")  # fmt: skip
    return w
