"""Many small symmetric systems A b = B at once, by Cholesky's method; the systems are along the last axis.

A term whose column depends on those of the terms before it has a pivot of 0 up to rounding.  It is left out: its
coefficient is 0, and the others solve the system without it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.typing import Array

SINGULAR = 1e-10  # of the diagonal: pivots below it count as 0


@dataclass(frozen=True, eq=False)
class SmallFactors:
    """A = L L' (P, P, m) on the terms that are `kept` (P, m)."""

    L: Array
    kept: Array

    @property
    def dropped(self) -> Array:
        """Whether a term was left out, of each system."""
        return np.asarray(~self.kept.all(axis=0))

    def solve(self, B: Array) -> Array:
        """b (P, q, m) with A b = B (P, q, m)."""
        L, b = self.L, np.array(B)
        for k in range(len(L)):
            for j in range(k):
                b[k] -= L[k, j] * b[j]
            b[k] = np.where(self.kept[k], b[k] / L[k, k], 0.0)
        for k in reversed(range(len(L))):
            for i in range(k + 1, len(L)):
                b[k] -= L[i, k] * b[i]
            b[k] = np.where(self.kept[k], b[k] / L[k, k], 0.0)
        return b

    def first_row(self) -> Array:
        """(P, m): the solution a of A a = (1, 0, ..., 0)."""
        unit = np.zeros((len(self.L), 1, self.L.shape[2]))
        unit[0] = 1.0
        return np.asarray(self.solve(unit)[:, 0])


def factorise(A: Array) -> SmallFactors:
    """The factors of all systems; a first pivot that is not positive leaves the whole system out."""
    P, _, m = A.shape
    L, kept = np.zeros((P, P, m)), np.zeros((P, m), dtype=bool)
    for k in range(P):
        pivot = A[k, k] - (L[k, :k] ** 2).sum(axis=0)
        kept[k] = (pivot > SINGULAR * A[k, k]) & kept[0] if k else pivot > 0.0
        L[k, k] = np.sqrt(np.where(kept[k], pivot, 1.0))
        for i in range(k + 1, P):
            L[i, k] = np.where(kept[k], (A[i, k] - (L[i, :k] * L[k, :k]).sum(axis=0)) / L[k, k], 0.0)
    return SmallFactors(L, kept)
