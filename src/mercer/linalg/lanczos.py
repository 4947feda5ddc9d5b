"""Lanczos: the smallest and the largest eigenvalue from products K @ v alone.

The Ritz values lie between the extreme eigenvalues at every step, so a negative one proves that K is not PSD.  The
basis is reorthogonalised in full.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mercer.engine.fill import require_memory
from mercer.typing import Array

STEPS = 120  # isolated eigenvalues need far fewer; for a cluster, more steps would not change the verdict


@dataclass(frozen=True, eq=False)
class Ends:
    """The extreme eigenvalues, the unit vector u of the smallest, and |K u - smallest u|."""

    smallest: float
    largest: float
    witness: Array
    residual: float


def lanczos(times: Callable[[Array], Array], n: int, dtype: np.dtype, *, tol: float, seed: int) -> Ends:
    """The extreme eigenvalues of a Hermitian n x n matrix, to a residual of tol max|lambda|."""
    steps = min(n, STEPS)
    require_memory(f"The Lanczos basis of {n} x {steps}", n * steps * dtype.itemsize, "Certify a sample of the items.")
    Q = np.empty((steps, n), dtype=dtype)
    T = np.zeros((steps + 1, steps + 1))
    q = np.random.default_rng(seed).normal(size=n).astype(dtype)
    for j in range(steps):
        Q[j] = q / np.linalg.norm(q)
        q = times(Q[j])
        T[j, j] = np.vdot(Q[j], q).real
        for _ in range(2):  # twice is enough: the basis is orthogonal to rounding
            q = q - (Q[: j + 1].conj() @ q) @ Q[: j + 1]
        T[j, j + 1] = T[j + 1, j] = np.linalg.norm(q)
        ritz, S = np.linalg.eigh(T[: j + 1, : j + 1])
        if T[j, j + 1] * abs(S[-1, 0]) <= tol * np.abs(ritz).max():
            break
    return ends(times, S[:, 0] @ Q[: j + 1], float(ritz[-1]))


def ends(times: Callable[[Array], Array], u: Array, largest: float) -> Ends:
    """The result for a vector u, its eigenvalue recomputed as u'Ku."""
    u = u / np.linalg.norm(u)
    Ku = times(u)
    smallest = float(np.vdot(u, Ku).real)
    return Ends(smallest, max(smallest, largest), u, float(np.linalg.norm(Ku - smallest * u)))
