"""The numbers by which items are split into cells: columns in units of their deviations, or features of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.distributed import Block, Rows
from mercer.distributed.columns import ColumnFacts
from mercer.distributed.matrix import SpreadMatrix
from mercer.distributed.rows import Shared
from mercer.estimators.features.nystroem import Nystroem
from mercer.items import Vectors
from mercer.kernels import Kernel
from mercer.typing import Array

_FEATURES = 30  # of items that are not rows of numbers


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Rows are divided by `scale`; other items are mapped by `features`."""

    scale: Array | None
    features: Nystroem | None

    @classmethod
    def of(cls, kernel: Kernel, X: Any) -> Self:
        """For dense rows their deviations; for all else landmarks, whatever the items are."""
        deviation = _deviation(X)
        if deviation is None:
            return cls(None, Nystroem(kernel, n_components=min(_FEATURES, _count(X)), random_state=0).fit(X))
        return cls(np.where(deviation > 0.0, deviation, np.inf), None)

    @property
    def width(self) -> int:
        """How many coordinates there are."""
        return len(self.scale) if self.scale is not None else int(self.features._n_features_out)  # type: ignore[union-attr]

    def __call__(self, X: Any) -> Any:
        """(items, coordinates)."""
        if isinstance(X, Rows):
            return SpreadMatrix.of(X, _of_block, Shared(self), width=self.width)
        rows = _rows(X)
        if self.scale is not None and rows is not None:
            return np.asarray(rows / self.scale, dtype=float)
        assert self.features is not None
        return np.asarray(self.features.transform(X), dtype=float)


def _of_block(block: Block, coordinates: Coordinates) -> Array:
    return np.asarray(coordinates(block.X))


def _deviation(X: Any) -> Array | None:
    """The standard deviation of every column; None for items that are not dense rows."""
    if isinstance(X, Rows):
        return None if X.columns is not None else ColumnFacts.of(X).deviation
    rows = _rows(X)
    return None if rows is None else np.asarray(rows.std(axis=0, dtype=float))


def _rows(X: Any) -> Array | None:
    values = X.values if isinstance(X, Vectors) else X
    return values if isinstance(values, np.ndarray) and values.ndim == 2 and values.dtype.kind == "f" else None


def _count(X: Any) -> int:
    return int(X.shape[0] if hasattr(X, "shape") else len(X))
