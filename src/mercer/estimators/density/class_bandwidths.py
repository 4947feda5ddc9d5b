"""The bandwidths of every class: given numbers, or those of a rule on the rows of the class alone."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.solvers.bandwidth import RULES, select_bandwidth
from mercer.typing import Array
from mercer.windows import Window

_ROUNDING = 1e-14  # of the largest entry: a range up to this is rounding


def class_bandwidths(
    owner: str, given: Any, X: Array, codes: Array, weight: Array, window: Window
) -> tuple[Array, Array]:
    """(classes, D) bandwidths, and which of them a rule could not find from the class alone.

    A column that does not vary within a class takes the bandwidth of all rows; one that does not vary at all says
    nothing about classes, and takes 1.
    """
    classes, D = int(codes.max()) + 1, X.shape[1]
    if not isinstance(given, str):
        return np.tile(_numbers(owner, given, D), (classes, 1)), np.zeros((classes, D), dtype=bool)
    if given not in RULES:
        raise bad(owner, "bandwidth", f"positive numbers or one of {', '.join(RULES)}", repr(given),
                  "'silverman' is the default.")  # fmt: skip
    out, pooled = np.tile(_of_all(given, X, weight, window), (classes, 1)), np.zeros((classes, D), dtype=bool)
    for c in range(classes):
        rows = codes == c
        pooled[c] = np.ptp(X[rows], axis=0) <= _ROUNDING * abs(X[rows]).max(axis=0)
        if not pooled[c].all():
            out[c, ~pooled[c]] = select_bandwidth(given, X[rows][:, ~pooled[c]], weight[rows], window)
    return out, pooled


def _of_all(rule: str, X: Array, weight: Array, window: Window) -> Array:
    varying = np.ptp(X, axis=0) > _ROUNDING * abs(X).max(axis=0)
    out = np.ones(X.shape[1])
    if varying.any():
        out[varying] = select_bandwidth(rule, X[:, varying], weight, window)
    return out


def _numbers(owner: str, given: Any, D: int) -> Array:
    good = isinstance(given, Real) or (np.ndim(given) == 1 and len(given) == D)
    h = np.asarray(given, dtype=np.float64) if good and not isinstance(given, bool) else np.zeros(1)
    if not (np.isfinite(h) & (h > 0.0)).all():
        raise bad(owner, "bandwidth", f"a positive number, {D} of them (one per column), or one of {', '.join(RULES)}",
                  repr(given), "It is the width of the window around each row.")  # fmt: skip
    return np.broadcast_to(h, (D,)).astype(np.float64)
