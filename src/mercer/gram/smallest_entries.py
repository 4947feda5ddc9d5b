"""The few smallest entries of every row of a matrix that arrives in tiles."""

from __future__ import annotations

import numpy as np

from mercer.engine import fill
from mercer.native import select
from mercer.typing import Array


def smallest_entries(block: fill.Block, shape: tuple[int, int], count: int) -> tuple[Array, Array]:
    """(index, value) of the `count` smallest entries of every row, ascending, ties by position."""
    index, best = np.zeros((shape[0], count), dtype=np.intp), np.full((shape[0], count), np.inf)

    def fold(r: slice, c: slice) -> None:
        T = block(r, c)
        T = np.ascontiguousarray(T, dtype=T.dtype if T.dtype == np.float32 else float)
        select.smallest(T, c.start, index[r], best[r])

    fill.fold_rows(fold, shape)
    return index, best
