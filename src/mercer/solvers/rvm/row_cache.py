"""Rows that are made when first asked for, and kept: what a greedy search needs of a matrix too large to make whole."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mercer.typing import Array

_FEW = 4  # one in so many rows is worth a copy; of more, the others are multiplied too


class RowCache:
    """Rows of `width` numbers, by their position; `make` gives those of an array of positions."""

    def __init__(self, make: Callable[[Array], Array], width: int) -> None:
        self._make, self._rows = make, np.empty((0, width))
        self._slot: dict[int, int] = {}

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
        """Which of these rows have been made."""
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
        if len(slots) * _FEW < len(self._slot):
            return np.asarray(self._rows[slots] @ v)
        return np.asarray((self._rows[: len(self._slot)] @ v)[slots])

    def mix(self, index: Array, w: Array) -> Array:
        """sum_j w_j M[index[j]]."""
        slots = self._slots(index)
        if len(slots) * _FEW < len(self._slot):
            return np.asarray(w @ self._rows[slots])
        wide = np.zeros(len(self._slot))
        wide[slots] = w
        return np.asarray(wide @ self._rows[: len(self._slot)])
