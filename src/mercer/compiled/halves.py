"""Parts of a symmetric matrix in single precision."""

from __future__ import annotations

import numpy as np

from mercer.compiled.jit import compiled


@compiled
def scaled_half(K, items, s, least, A):
    """A_ij = s_i s_j K_ij for the items, on and under the diagonal; zero where that is less than `least`."""
    for a in range(items.shape[0]):
        i = items[a]
        for b in range(a + 1):
            value = s[i] * s[items[b]] * K[i, items[b]]
            A[a, b] = np.float32(value) if abs(value) >= least else np.float32(0.0)
