"""Writing a tile into the other half of a symmetric matrix."""

from __future__ import annotations

from mercer.compiled.jit import compiled

BLOCK = 32  # a block of 32 x 32 numbers stays in the first-level cache while it is turned


@compiled
def transpose(T, out):
    """out = T^T, block by block."""
    n, m = T.shape
    for i0 in range(0, n, BLOCK):
        for j0 in range(0, m, BLOCK):
            for j in range(j0, min(j0 + BLOCK, m)):
                for i in range(i0, min(i0 + BLOCK, n)):
                    out[j, i] = T[i, j]
