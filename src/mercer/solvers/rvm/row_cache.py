"""Rows of a matrix, computed when first asked for and kept: a greedy search needs few rows of a very large one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mercer.typing import Array

_COPY_SHARE = 0.25  # up to this share of the kept rows are copied for a product; of more, all are multiplied


class RowCache:
    """Rows of `width` numbers by their index; `make(index)` computes rows."""

    def __init__(self, make: Callable[[Array], Array], width: int) -> None:
        self._make, self._rows = make, np.empty((0, width))
        self._slot: dict[int, int] = {}  # index of a row -> its place in _rows

    def _slots(self, index: Array) -> Array:
        new = [j for j in dict.fromkeys(index.tolist()) if j not in self._slot]
        if new:
            first, last = len(self._slot), len(self._slot) + len(new)
            if last > len(self._rows):
                more = np.empty((max(last, 2 * first), self._rows.shape[1]))
                more[:first] = self._rows[:first]
                self._rows = more
            self._rows[first:last] = self._make(np.array(new, dtype=np.intp))
            self._slot |= zip(new, range(first, last), strict=True)
        return np.array([self._slot[j] for j in index.tolist()], dtype=np.intp)

    def has(self, index: Array) -> Array:
        """Which of these rows are kept already."""
        return np.array([j in self._slot for j in index.tolist()], dtype=bool)

    def rows(self, index: Array) -> Array:
        """M[index], a copy."""
        slots = self._slots(index)
        return np.asarray(self._rows[slots])

    def block(self, index: Array, columns: Array) -> Array:
        """M[index][:, columns], a copy."""
        slots = self._slots(index)
        return np.asarray(self._rows[np.ix_(slots, columns)])

    def times(self, index: Array, v: Array) -> Array:
        """M[index] v."""
        slots = self._slots(index)
        if len(slots) < _COPY_SHARE * len(self._slot):
            return np.asarray(self._rows[slots] @ v)
        return np.asarray((self._rows[: len(self._slot)] @ v)[slots])

    def mix(self, index: Array, w: Array) -> Array:
        """sum_j w_j M[index[j]]."""
        slots = self._slots(index)
        if len(slots) < _COPY_SHARE * len(self._slot):
            return np.asarray(w @ self._rows[slots])
        wide = np.zeros(len(self._slot))
        wide[slots] = w
        return np.asarray(wide @ self._rows[: len(self._slot)])
