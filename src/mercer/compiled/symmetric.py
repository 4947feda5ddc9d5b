"""A tile on the diagonal, of which only the lower triangle says something."""

from __future__ import annotations

from mercer.compiled.jit import compiled

BLOCK = 32  # a block of 32 x 32 numbers stays in the first-level cache while it is turned


@compiled
def mirror(T):
    """Copy the lower triangle of T onto the upper one, block by block."""
    n = T.shape[0]
    for i0 in range(0, n, BLOCK):
        for j0 in range(0, i0 + 1, BLOCK):
            for i in range(i0, min(i0 + BLOCK, n)):
                for j in range(j0, min(j0 + BLOCK, i)):
                    T[j, i] = T[i, j].conjugate()


@compiled
def largest(T):
    """max |T_ij| on and under the diagonal."""
    m = 0.0
    for i in range(T.shape[0]):
        for j in range(i + 1):
            m = max(m, abs(T[i, j]))
    return m
