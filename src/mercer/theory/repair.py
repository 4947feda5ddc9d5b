"""repair: from an indefinite Gram to a positive semi-definite one, with the same change for test rows.

With V- the eigenvectors of the negative eigenvalues L-,

    clip    drops them          K - V- L- V-*          K* (I -   V- V-*)
    flip    turns their sign    K - 2 V- L- V-*        K* (I - 2 V- V-*)
    shift   lifts all of them   K + |lambda_min| I     K*

Clip and flip are linear maps of the rows of K, so they extend to the rows k(x*, X) of new items: a new item that
equals a training item gets that item's repaired row.  Shift changes only the diagonal: it is noise on the
training items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.gram import StoredGram
from mercer.theory.spectrum import eigen
from mercer.typing import Array

_WEIGHT = {"clip": 1.0, "flip": 2.0, "shift": 0.0}


@dataclass(frozen=True, eq=False)
class Repair:
    """A repaired training Gram `K`, and the map that repairs rows of a cross Gram in the same way."""

    K: Array
    how: str
    smallest: float  # eigenvalue of the Gram that was given
    negative_mass: float  # sum of |negative eigenvalues| / sum of |eigenvalues|: 0 when nothing was repaired
    directions: Array  # V-, (n, r)

    def cross(self, rows: Any) -> Array:
        """The (m, n) cross Gram k(X*, X) of new items against the training items, repaired like `K`."""
        rows = np.asarray(rows)
        n = len(self.K)
        if rows.ndim != 2 or rows.shape[1] != n:
            raise bad("Repair", "rows", f"m x {n}: new items against training items", f"shape {rows.shape}",
                      "Pass k(X_new, X_train).")  # fmt: skip
        V = self.directions
        return np.asarray(rows - _WEIGHT[self.how] * (rows @ V) @ V.conj().T)

    def __str__(self) -> str:
        if self.negative_mass == 0.0:
            return "The Gram is positive semi-definite; nothing was repaired."
        return (
            f"{self.directions.shape[1]} negative eigenvalues, the smallest {self.smallest:.6g}, holding "
            f"{self.negative_mass:.2%} of the spectrum's mass, were repaired by {self.how}."
        )


def repair(K: Any, how: str = "clip") -> Repair:
    """The nearest (clip), reflected (flip) or lifted (shift) positive semi-definite Gram to a symmetric K."""
    if how not in _WEIGHT:
        raise bad("repair", "how", f"one of {sorted(_WEIGHT)}", repr(how), "clip changes K least.")
    K = StoredGram(K).dense()
    values, V, tol = eigen(K)
    negative = values < -tol
    low, V = values[negative], V[:, negative]
    smallest = float(values.min(initial=np.inf))
    mass = float(-low.sum() / np.abs(values).sum()) if len(low) else 0.0
    return Repair(_repaired(K, how, low, V), how, smallest, mass, V)


def _repaired(K: Array, how: str, low: Array, V: Array) -> Array:
    if not len(low):
        return K
    if how == "shift":
        return np.asarray(K - low[0] * np.eye(len(K)))
    R = K - _WEIGHT[how] * (V * low) @ V.conj().T
    return np.asarray(0.5 * (R + R.conj().T))  # symmetric to the last bit
