"""Principal axes from some of the items, for so many that products with the whole Gram take too long.

Of m landmarks S the Gram is replaced by

    K~ = C W^+ C',     C = K[:, S],   W = K[S, S],

whose features F = C W^(-1/2) have m columns.  Its axes are those of the m x m matrix F'HF, which is added up panel by
panel, so that nothing larger than C is ever needed, and C never stored.

K - K~ is positive semi-definite where K is.  So an eigenvalue of the centred Gram is at least that of K~ and at most
`missed` more, the trace of K - K~.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mercer.engine.tiles import cuts
from mercer.typing import Array

_PANEL = 4096  # rows of C at a time
_ROUNDING = 1e-12  # of the largest eigenvalue of W: directions below are left out

Panel = Callable[[slice], Array]


@dataclass(frozen=True, eq=False)
class NystroemAxes:
    """Eigenvalues in descending order, unit vectors (n, count), the trace of K~ after centring, and what is missed.

    Scores of items are k(x, landmarks) @ coef + constant.
    """

    values: Array
    vectors: Array
    coef: Array
    constant: Array
    total: float
    missed: float


def nystroem_axes(panel: Panel, W: Array, diagonal: Array, count: int) -> NystroemAxes:
    """The first `count` axes of n items, where panel(r) = k(items r, landmarks) and W is that of the landmarks.

    `diagonal` are k(x, x) of all items.
    """
    n, panels = len(diagonal), cuts(len(diagonal), _PANEL)
    spread, R = np.linalg.eigh(0.5 * (W + W.T))
    kept = spread > _ROUNDING * float(np.abs(spread).max(initial=0.0))
    R = R[:, kept] / np.sqrt(spread[kept])  # F = C R
    mean, square = _moments(panel, R, panels)
    values, U = np.linalg.eigh(square - n * np.outer(mean, mean))
    values, U = np.maximum(values[::-1][:count], 0.0), U[:, ::-1][:, :count]
    scale = np.divide(1.0, np.sqrt(values), out=np.zeros(len(values)), where=values > 0.0)
    coef, constant = R @ U, -mean @ U
    vectors = np.vstack([panel(r) @ (coef * scale) + constant * scale for r in panels])
    missed = max(float(np.sum(diagonal)) - float(np.trace(square)), 0.0)
    total = float(np.trace(square)) - n * float(mean @ mean)
    return NystroemAxes(values, vectors, coef, constant, total, missed)


def _moments(panel: Panel, R: Array, panels: list[slice]) -> tuple[Array, Array]:
    """The mean of the rows of F and F'F, added up in the order of the panels whatever the number of threads."""
    size = R.shape[1]
    means, squares = np.zeros(size), np.zeros((size, size))
    for r in panels:
        F = panel(r) @ R
        means += F.sum(axis=0)
        squares += F.T @ F
    return means / max(sum(r.stop - r.start for r in panels), 1), squares
