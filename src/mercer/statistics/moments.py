"""The moments of T = sum_ij A_ij B_p(i)p(j) over all permutations p, for centred matrices, and a gamma law with these.

With t = tr A, f = |A|_F^2, s = sum_i A_ii^2, and the same of B,

    E T    =  t t' / (n - 1)
    var T  =  2 ((n-1) f - t^2) ((n-1) f' - t'^2) / ((n-1)^2 (n+1) (n-2))
              + (n (n+1) s - (n-1) (t^2 + 2f)) (n (n+1) s' - (n-1) (t'^2 + 2f')) / ((n+1) n (n-1) (n-2) (n-3))

Both are exact, so that only the form of the law is an approximation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from mercer.typing import Array


@dataclass(frozen=True)
class Invariants:
    """trace, squared Frobenius norm, and sum of squares of the diagonal of a centred matrix of n items."""

    n: int
    trace: float
    norm2: float
    diagonal2: float

    @classmethod
    def of(cls, A: Array) -> Self:
        """Those of a stored matrix."""
        d = np.diagonal(A).astype(np.float64)
        flat = A.ravel()
        return cls(len(A), float(d.sum()), float(flat @ flat), float(d @ d))

    @classmethod
    def of_vector(cls, w: Array) -> Self:
        """Those of w w'."""
        total = float(w @ w)
        return cls(len(w), total, total**2, float(np.sum(w**4)))

    @property
    def _spread(self) -> float:
        return (self.n - 1) * self.norm2 - self.trace**2

    @property
    def _fourth(self) -> float:
        n = self.n
        return n * (n + 1) * self.diagonal2 - (n - 1) * (self.trace**2 + 2.0 * self.norm2)


def permutation_moments(A: Invariants, B: Invariants) -> tuple[float, float]:
    """(mean, variance) of T over all permutations of 4 items or more."""
    n = A.n
    mean = A.trace * B.trace / (n - 1)
    variance = 2.0 * A._spread * B._spread / ((n - 1) ** 2 * (n + 1) * (n - 2))
    variance += A._fourth * B._fourth / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))
    return mean, max(variance, 0.0)


def gamma_pvalue(T: float, mean: float, variance: float) -> float:
    """P(G >= T) for the gamma law with these moments; 1 where nothing varies."""
    from scipy.stats import gamma

    if not variance > 1e-24 * mean**2:
        return 1.0
    return float(gamma.sf(T, mean**2 / variance, scale=variance / mean))
