"""The weight of each neighbour in a vote or a mean.

"uniform"    1
"distance"   1 / d; an item at distance 0 decides alone, or together with others at distance 0
function     of the array of distances, one row per item; it returns weights >= 0 of the same shape
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.estimators.base import numbers
from mercer.estimators.neighbours.search import Neighbours
from mercer.typing import Array

NAMED = ("uniform", "distance")


def require_weights(owner: str, given: Any) -> None:
    """Refuse what is no way to weigh neighbours."""
    if not callable(given) and not (isinstance(given, str) and given in NAMED):
        raise bad(owner, "weights", "'uniform', 'distance' or a function of distances", repr(given),
                  "'uniform' is the default.")  # fmt: skip


def weights_of(owner: str, given: Any, found: Neighbours) -> Array | None:
    """(items, neighbours) weights; None for equal ones."""
    if isinstance(given, str) and given == "uniform":
        return None
    d = found.distances
    if isinstance(given, str):
        same = d == 0.0
        inverse = np.divide(1.0, d, where=~same, out=np.zeros_like(d))
        return np.where(same.any(axis=1)[:, None], same, inverse)
    w = numbers(owner, "weights(distances)", given(d))
    if w.shape != d.shape or not np.isfinite(w).all() or (w < 0.0).any():
        fault = f"shape {w.shape}" if w.shape != d.shape else "negative ones or some that are not finite"
        raise bad(owner, "weights(distances)", f"{d.shape} numbers >= 0", fault, "Correct the function.")
    if not w.any(axis=1).all():
        item = int(np.argmin(w.any(axis=1)))
        raise bad(owner, "weights(distances)", "positive for a neighbour of every item", f"0 for all of item {item}",
                  "Add a small number, or raise n_neighbors.")  # fmt: skip
    return w
