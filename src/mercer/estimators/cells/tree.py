"""Many rows: halves along a direction, at the median, until a part is small enough.

The direction is that in which the rows x T vary most; or, if there are targets, the one of largest covariance with them
(the first step of partial least squares), so that rows with other answers part first.

The rows may be on other machines (gram/tall.py): then each split takes a few passes over them, and what comes here is
one number for every row.

Each part also learns from the rows nearest to its borders on the other side, so that f does not jump there by much.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.gram.row_squares import is_elsewhere
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Split:
    """Rows with x' direction <= threshold go to `below`, the others to `above`: splits, or positions of leaves."""

    direction: Array
    threshold: float
    below: Split | int
    above: Split | int


@dataclass(frozen=True, eq=False)
class Tree:
    """`root` leads to a leaf.  Leaf i learns from `rows[i]`, and answers for the first `own[i]` of these."""

    root: Split | int
    rows: list[Array]
    own: list[int]


def grow(X: Any, transform: Array, most: int, overlap: float, targets: Array | None = None) -> Tree:
    """A tree whose leaves answer for at most `most` rows; both halves learn from a share `overlap` at a split."""
    rows: list[Array] = []
    own: list[int] = []

    def part(inside: Array, border: Array) -> Split | int:
        found = _halves(X, transform, inside, overlap, targets) if len(inside) > most else None
        if found is None:
            rows.append(np.concatenate([inside, border]))
            own.append(len(inside))
            return len(rows) - 1
        direction, threshold, band = found
        both = np.concatenate([inside, border])
        place, mine = X[both] @ direction - threshold, np.arange(len(both)) < len(inside)
        below = part(both[mine & (place <= 0.0)], both[~(mine & (place <= 0.0)) & (place <= band)])
        above = part(both[mine & (place > 0.0)], both[~(mine & (place > 0.0)) & (place >= -band)])
        return Split(direction, threshold, below, above)

    root = part(np.arange(len(X)), np.empty(0, dtype=np.intp))
    return Tree(root, rows, own)


def _halves(
    X: Any, transform: Array, inside: Array, overlap: float, targets: Array | None
) -> tuple[Array, float, float] | None:
    """Direction, median and half width of the band that both halves learn from; None where all rows are equal."""
    rows = X[inside]
    axis = _widest(rows, transform) if targets is None else _telling(rows, transform, targets[inside])
    direction = transform @ axis
    place = rows @ direction
    below = place <= np.median(place)
    if below.all():  # more than half of the rows are equal there
        below = place < place.max()
    if not below.any():
        return None
    threshold = _between(float(place[below].max()), float(place[~below].min()))
    return direction, threshold, float(np.quantile(np.abs(place - threshold), overlap))


def _between(low: float, high: float) -> float:
    """The middle, so that rounding moves no row to the other side; the lower one where there is no number between."""
    middle = low + 0.5 * (high - low)
    return middle if low <= middle < high else low


def _widest(X: Any, transform: Array) -> Array:
    """The direction of largest variance of the rows x T."""
    if is_elsewhere(X):
        C = transform.T @ X.covariance() @ transform
    else:
        C = np.cov(X @ transform, rowvar=False).reshape(transform.shape[1], -1)
    return np.asarray(np.linalg.eigh(C)[1][:, -1])


def _telling(X: Any, transform: Array, Y: Array) -> Array:
    """The direction of largest covariance with the targets; of largest variance where there is none."""
    C = transform.T @ ((X - X.mean(axis=0)).T @ (Y - Y.mean(axis=0)))
    if not np.abs(C).max(initial=0.0) > 0.0:
        return _widest(X, transform)
    return np.asarray(np.linalg.svd(C, full_matrices=False)[0][:, 0])


def routed(root: Split | int, X: Array) -> Iterator[tuple[int, Array]]:
    """(leaf, positions of the rows of X that it answers for), for every leaf that has some."""
    waiting = [(root, np.arange(len(X)))]
    while waiting:
        node, rows = waiting.pop()
        if not len(rows):
            continue
        if isinstance(node, int):
            yield node, rows
            continue
        low = X[rows] @ node.direction <= node.threshold
        waiting += [(node.above, rows[~low]), (node.below, rows[low])]
