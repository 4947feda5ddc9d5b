"""Distribution functions of mixtures whose window is a product over columns, and their inverse in one column."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mercer.engine.pool import run
from mercer.solvers.density.boundary import Side
from mercer.solvers.density.mixture import Mixture
from mercer.typing import Array

_PAIRS = 2**18
_STEPS = 60  # of bisection; each halves an interval


def distribution(mixture: Mixture, Q: Array, sides: list[Side]) -> Array:
    """P(X_1 <= q_1, ..., X_D <= q_D) for every row of Q; mass beyond a lower bound is that of images."""
    out, step = np.empty(len(Q)), max(_PAIRS // len(mixture), 1)

    def some(part: slice) -> None:
        product = np.broadcast_to(mixture.weights, (len(Q[part]), len(mixture))).copy()
        for j, side in enumerate(sides):
            x = mixture.rows[:, j].astype(np.float64)
            h = mixture.scale[j] * (1.0 if mixture.factor is None else mixture.factor)
            q = np.clip(Q[part, j : j + 1], side.low, side.high)
            below = 0.0 if not np.isfinite(side.low) else mixture.window.cdf((side.low - x) / h)
            product *= mixture.window.cdf((q - x) / h) - below
        out[part] = product.sum(axis=1)

    run(some, [slice(i, min(i + step, len(Q))) for i in range(0, len(Q), step)])
    return np.clip(out, 0.0, 1.0)


def inverse(cdf: Callable[[Array], Array], shares: Array, low: float, high: float) -> Array:
    """The x with cdf(x) = share, by bisection between two numbers where the function is 0 and 1."""
    a, b = np.full(len(shares), low), np.full(len(shares), high)
    fine = 4.0 * np.finfo(float).eps * max(abs(low), abs(high))
    for _ in range(_STEPS):
        middle = 0.5 * (a + b)
        below = cdf(middle) < shares
        a, b = np.where(below, middle, a), np.where(below, b, middle)
        if float((b - a).max(initial=0.0)) <= fine:
            break
    return np.asarray(0.5 * (a + b))
