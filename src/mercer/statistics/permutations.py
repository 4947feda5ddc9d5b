"""P-values from statistics of permuted samples.

    p = (1 + number of permutations with a statistic at least as large) / (1 + number of permutations)

so that the test has its level exactly, whatever the number of permutations.  Of several kernels every statistic is
studentised by mean and deviation over all permutations, the observed order among them, and the largest of an order
counts: the observed one is then compared with its equals, and p is right whatever the kernels have in common.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.typing import Array

ROUNDING = 1e-5  # of the largest statistic: differences below this are called ties, and count against the finding


def require_permutations(owner: str, count: Any) -> int:
    """The number of permutations, checked."""
    if not isinstance(count, Integral) or isinstance(count, bool) or count < 1:
        raise bad(owner, "n_permutations", "an integer >= 1", repr(count), "999 is the default.")
    return int(count)


def exceedance(observed: Array, null: Array) -> Array:
    """p of each row: observed (kernels,), null (kernels, permutations)."""
    size = np.maximum(np.abs(null).max(axis=1), np.abs(observed))
    at_least = null >= (observed - ROUNDING * size)[:, None]
    return np.asarray((1.0 + at_least.sum(axis=1)) / (1.0 + null.shape[1]))


def studentised(observed: Array, null: Array) -> tuple[Array, Array]:
    """Both in deviations from the mean over all orders; 0 for a statistic that is the same for all."""
    every = np.column_stack([observed, null])
    mean, std = every.mean(axis=1, keepdims=True), every.std(axis=1, keepdims=True)
    moves = std > ROUNDING * np.abs(every).max(axis=1, keepdims=True)
    z = np.where(moves, (every - mean) / np.where(moves, std, 1.0), 0.0)
    return z[:, 0], z[:, 1:]


def combined(observed: Array, null: Array) -> tuple[int, float]:
    """(position of the kernel that shows the most, p of all of them together)."""
    z, others = studentised(observed, null)
    best = int(np.argmax(z))
    return best, float(exceedance(z[[best]], others.max(axis=0)[None])[0])


def bonferroni(pvalues: Array) -> tuple[int, float]:
    """(position of the smallest, that times their number): right whatever they have in common."""
    best = int(np.argmin(pvalues))
    return best, float(min(1.0, len(pvalues) * pvalues[best]))
