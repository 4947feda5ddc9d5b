"""Selection: the few smallest entries of long rows that arrive in pieces."""

from __future__ import annotations

from mercer.compiled.jit import compiled


@compiled
def smallest(T, start, index, best):
    """Merge the columns start, start + 1, ... in T into each row's ascending list of its smallest entries."""
    last = best.shape[1] - 1
    for i in range(T.shape[0]):
        for j in range(T.shape[1]):
            v = T[i, j]
            if v < best[i, last]:
                p = last
                while p > 0 and v < best[i, p - 1]:
                    best[i, p] = best[i, p - 1]
                    index[i, p] = index[i, p - 1]
                    p -= 1
                best[i, p] = v
                index[i, p] = start + j
