"""Many small problems on one stored Gram, solved one after the other without a return to the interpreter."""

from __future__ import annotations

import numpy as np
from numba import njit

from mercer.compiled.finish import solve_whole
from mercer.compiled.jit import compiled
from mercer.compiled.rows import add_rows


@compiled
def runs(index):
    """Where positions that follow one another begin: index[starts[k] : starts[k + 1]] counts up by one."""
    starts = [c for c in range(index.shape[0]) if c == 0 or index[c] != index[c - 1] + 1]
    starts.append(index.shape[0])
    return np.array(starts)


@compiled
def gather(K, index, starts, out):
    """out = K[index, index]; runs of positions are copied at the speed of memory."""
    for r in range(index.shape[0]):
        row, to = K[index[r]], out[r]
        for k in range(len(starts) - 1):
            skip = index[starts[k]] - starts[k]
            for c in range(starts[k], starts[k + 1]):
                to[c] = row[c + skip]


@compiled
def gradient(K, index, starts, b, z, F):
    """F = K[index, index] b - z, summed in double precision."""
    F[:] = -z
    for r in range(index.shape[0]):
        if b[r] != 0.0:
            row, br = K[index[r]], b[r]
            for k in range(len(starts) - 1):
                skip = index[starts[k]] - starts[k]
                for c in range(starts[k], starts[k + 1]):
                    F[c] += br * row[c + skip]


@compiled
def own_gradient(own, b, z, F):
    """F = own b - z, summed in double precision."""
    F[:] = -z
    J = np.flatnonzero(b)
    add_rows(own, J, b[J], F)


@compiled
def inside(b, lo, hi):
    """Whether no coefficient is at a bound but 0: the box does not matter then, nor does a larger one."""
    return ((b == 0.0) | ((lo < b) & (b < hi))).all()


@compiled
def carry_on(b, F, z, lo, hi, epsilon, before, F_before, bounded):
    """Start from the solution of a problem on the same items with another box: from the best feasible multiple of it.

    The objective is a parabola in that multiple, a sum of 0 stays 0, and F follows without K.  Where no coefficient was
    `bounded` it is the solution of this problem too.
    """
    linear, curved, most = 0.0, 0.0, np.inf
    for i in range(b.shape[0]):
        v = before[i]
        linear += z[i] * v - epsilon * abs(v)
        curved += v * (F_before[i] + z[i])
        if v != 0.0:
            most = min(most, (hi[i] if v > 0.0 else lo[i]) / v)
    best = linear / curved if curved > 0.0 else 0.0
    s = max(0.0, min(best if bounded else 1.0, most))
    for i in range(b.shape[0]):
        b[i] = min(max(s * before[i], lo[i]), hi[i])
        F[i] = s * (F_before[i] + z[i]) - z[i]


@njit(cache=True, nogil=True, error_model="numpy")
def solve_parts(K, index, ends, z, lo, hi, epsilon, b, F, tol, max_steps, exact, chain, spent, steps):
    """SMO on every part index[ends[p] : ends[p + 1]]; works in place on b and F, and says in `steps` how far it came.

    A part whose dual has no end, or that wants more than `max_steps`, has the steps -1.  Steps are in single precision;
    `exact` computes F from K as it is in the end.  In a `chain` a part goes on from the one before it, and
    `spent` steps were made on the first part before.
    """
    widest = 0
    for p in range(ends.shape[0] - 1):
        widest = max(widest, ends[p + 1] - ends[p])
    room = np.empty(widest * widest, np.float32)  # fresh memory costs as much as the work done in it
    own, starts = room[:0].reshape(0, 0), runs(index[:0])
    diagonal = np.empty(0, np.float32)
    for p in range(ends.shape[0] - 1):
        s, e = ends[p], ends[p + 1]
        part, before = index[s:e], slice(ends[p - 1], s) if p > 0 else slice(0, 0)
        same = p > 0 and e - s == s - ends[p - 1] and np.array_equal(part, index[before])
        if not same:
            own, starts = room[: (e - s) * (e - s)].reshape(e - s, e - s), runs(part)
            gather(K, part, starts, own)
            diagonal = np.diag(own).copy()
        if chain and same:
            bounded = epsilon[p] != epsilon[p - 1] or not inside(b[before], lo[before], hi[before])
            carry_on(b[s:e], F[s:e], z[s:e], lo[s:e], hi[s:e], epsilon[p], b[before], F[before], bounded)
        else:
            own_gradient(own, b[s:e], z[s:e], F[s:e])
        made, violation, endless = solve_whole(
            own, diagonal, F[s:e], b[s:e], lo[s:e], hi[s:e], epsilon[p], tol, max_steps, spent if p == 0 else 0
        )
        steps[p] = -1 if endless or violation > tol else made
        if exact:
            gradient(K, part, starts, b[s:e], z[s:e], F[s:e])
        if chain and steps[p] < 0:
            return
