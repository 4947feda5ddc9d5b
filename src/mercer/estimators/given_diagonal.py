"""k(x, x) of new items where kernel values are given as a matrix: distances need it, cross values do not have it."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.estimators.training_data import Data
from mercer.typing import Array

_ALIKE = 1e-9  # relative difference of k(x, x) that counts as none


def common_diagonal(data: Data) -> float | None:
    """k(x, x) where the training items of a given matrix agree in it, so that new ones will; None otherwise."""
    return None if data.recomputable else common_value(np.asarray(data.gram().diag(), dtype=float))


def common_value(diagonal: Array) -> float | None:
    """The number that all entries of a diagonal are; None if they differ."""
    return float(diagonal[0]) if np.ptp(diagonal) <= _ALIKE * float(np.abs(diagonal).max()) else None


def row_diagonal(owner: str, m: int, given: Any, common: float | None) -> Array:
    """k(x, x) of m new items: as given, or that of the training items."""
    if given is None and common is not None:
        return np.full(m, common)
    found = np.asarray(np.nan if given is None else given, dtype=float)
    if found.shape != (m,) or not np.isfinite(found).all():
        raise bad(owner, "diagonal", f"k(x, x) of the {m} new items, for a precomputed kernel",
                  "none" if given is None else f"shape {found.shape}",
                  "Distances need it where training items differ in k(x, x).")  # fmt: skip
    return found
