"""Many small problems on one stored Gram, solved one after the other without a return to the interpreter."""

from __future__ import annotations

import numpy as np
from numba import njit

from mercer.compiled.finish import solve_whole
from mercer.compiled.jit import compiled
from mercer.compiled.rows import add_rows


@compiled
def gather(K, rows, columns, out):
    """out = K[rows, columns], four rows at a time, for one would wait for memory."""
    last = rows.shape[0] - 1
    for r in range(0, rows.shape[0], 4):
        s, t, u = min(r + 1, last), min(r + 2, last), min(r + 3, last)
        k0, k1, k2, k3 = K[rows[r]], K[rows[s]], K[rows[t]], K[rows[u]]
        to0, to1, to2, to3 = out[r], out[s], out[t], out[u]
        for c in range(columns.shape[0]):
            k = columns[c]
            to0[c], to1[c], to2[c], to3[c] = k0[k], k1[k], k2[k], k3[k]


@compiled
def gradient(K, index, b, z, F):
    """F = K[index, index] b - z, summed in double precision."""
    F[:] = -z
    for r in range(index.shape[0]):
        if b[r] != 0.0:
            row, br = K[index[r]], b[r]
            for c in range(index.shape[0]):
                F[c] += br * row[index[c]]


@compiled
def own_gradient(own, b, z, F):
    """F = own b - z, summed in double precision."""
    F[:] = -z
    J = np.flatnonzero(b)
    add_rows(own, J, b[J], F)


@compiled
def width(ends):
    """The number of items of the largest part."""
    widest = 0
    for p in range(ends.shape[0] - 1):
        widest = max(widest, ends[p + 1] - ends[p])
    return widest


@njit(cache=True, nogil=True, error_model="numpy")
def solve_parts(K, index, ends, z, lo, hi, epsilon, b, F, tol, max_steps, exact, steps):
    """SMO on every part index[ends[p] : ends[p + 1]]; works in place on b and F, and says in `steps` how far it came.

    A part whose dual has no end, or that wants more than `max_steps`, has the steps -1.  Steps are in single precision;
    `exact` computes F from K as it is in the end.
    """
    room = np.empty(width(ends) ** 2, np.float32)  # fresh memory costs as much as the work done in it
    own, diagonal = room[:0].reshape(0, 0), room[:0]
    for p in range(ends.shape[0] - 1):
        s, e = ends[p], ends[p + 1]
        part = index[s:e]
        if p == 0 or not np.array_equal(part, index[ends[p - 1] : s]):
            own = room[: (e - s) * (e - s)].reshape(e - s, e - s)
            gather(K, part, part, own)
            diagonal = np.diag(own).copy()
        own_gradient(own, b[s:e], z[s:e], F[s:e])
        made, violation, endless = solve_whole(
            own, diagonal, F[s:e], b[s:e], lo[s:e], hi[s:e], epsilon[p], tol, max_steps, 0
        )
        steps[p] = -1 if endless or violation > tol else made
        if exact:
            gradient(K, part, b[s:e], z[s:e], F[s:e])
