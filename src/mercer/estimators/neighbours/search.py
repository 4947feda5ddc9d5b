"""The neighbours of items by kernel distance, d^2(x, y) = k(x, x) + k(y, y) - 2 Re k(x, y).

    found = Neighbours.of(data, diag, X, count)      training items nearest to new items
    found = Neighbours.within(data, count)           to the training items themselves, each without itself

Nothing larger than a tile is stored (gram/nearest_rows.py, gram/smallest_entries.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.estimators.given_diagonal import common_value
from mercer.estimators.training_data import Data
from mercer.gram.smallest_entries import smallest_entries
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Neighbours:
    """index (m, count): the positions of the nearest training items, the nearest first, equal ones by position.

    `squared` has their squared distances; None where k(x, x) of new items is not known.
    """

    index: Array
    squared: Array | None

    @classmethod
    def of(cls, data: Data, diag: Array, X: Any, count: int) -> Self:
        """The neighbours of checked items X; `diag` has k(y, y) of the training items."""
        cross: Any = data.cross(X)
        if hasattr(cross, "nearest"):  # it computes its values itself, k(x, x) of new items too
            return cls(*cross.nearest(count))
        index, part = smallest_entries(lambda r, c: diag[c] - 2.0 * cross.block(r, c).real, cross.shape, count)
        common = common_value(diag)
        return cls(index, None if common is None else np.maximum(part + common, 0.0))

    @classmethod
    def within(cls, data: Data, count: int) -> Self:
        """The neighbours of the training items among the others."""
        gram: Any = data.gram()
        index, squared = gram.nearest(count + 1)
        others = index != np.arange(len(index))[:, None]
        others[others.all(axis=1), -1] = False  # an item with many copies need not be among the nearest itself
        return cls(index[others].reshape(-1, count), squared[others].reshape(-1, count))

    @property
    def distances(self) -> Array:
        """d, not squared."""
        if self.squared is None:
            raise bad("precomputed kernel", "k(x, x) of the training items",
                      "the same number for all, so that those of new items are known", "different numbers",
                      "Use weights='uniform' and return_distance=False, or pass a kernel and items.")  # fmt: skip
        return np.sqrt(self.squared)
