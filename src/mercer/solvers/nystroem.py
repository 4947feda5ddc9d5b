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
from typing import Protocol

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


@dataclass(eq=False)
class Moments:
    """Of rows of F: how many, their sum, and F'F."""

    count: int
    sums: Array
    squares: Array

    def merge(self, other: Moments) -> None:
        """Add the rows that follow."""
        self.count += other.count
        self.sums += other.sums
        self.squares += other.squares


class PanelSums(Protocol):
    """C = k(items, landmarks) of all items, wherever they are."""

    def moments(self, R: Array) -> Moments:
        """Of F = C R."""

    def times(self, B: Array) -> Array:
        """C B."""


@dataclass(frozen=True, eq=False)
class InMemory:
    """C of items in memory: panel(r) = k(items r, landmarks), r one slice of n at a time."""

    panel: Panel
    n: int

    def moments(self, R: Array) -> Moments:
        """Added up in the order of the panels, whatever the number of threads."""
        found = Moments(0, np.zeros(R.shape[1]), np.zeros((R.shape[1], R.shape[1])))
        for r in cuts(self.n, _PANEL):
            F = self.panel(r) @ R
            found.merge(Moments(len(F), F.sum(axis=0), F.T @ F))
        return found

    def times(self, B: Array) -> Array:
        return np.vstack([self.panel(r) @ B for r in cuts(self.n, _PANEL)])


def nystroem_axes(C: PanelSums, W: Array, diagonal: Array, count: int) -> NystroemAxes:
    """The first `count` axes of n items, C = k(items, landmarks) and W that of the landmarks.

    `diagonal` are k(x, x) of all items.
    """
    n = len(diagonal)
    spread, R = np.linalg.eigh(0.5 * (W + W.T))
    kept = spread > _ROUNDING * float(np.abs(spread).max(initial=0.0))
    R = R[:, kept] / np.sqrt(spread[kept])  # F = C R
    sums = C.moments(R)
    mean, square = sums.sums / max(n, 1), sums.squares
    values, U = np.linalg.eigh(square - n * np.outer(mean, mean))
    values, U = np.maximum(values[::-1][:count], 0.0), U[:, ::-1][:, :count]
    scale = np.divide(1.0, np.sqrt(values), out=np.zeros(len(values)), where=values > 0.0)
    coef, constant = R @ U, -mean @ U
    vectors = C.times(coef * scale) + constant * scale
    missed = max(float(np.sum(diagonal)) - float(np.trace(square)), 0.0)
    total = float(np.trace(square)) - n * float(mean @ mean)
    return NystroemAxes(values, vectors, coef, constant, total, missed)
