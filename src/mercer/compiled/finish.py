"""SMO that ends where plain SMO crawls: rounds on the active items, with Newton steps on the free coefficients.

At a large C a few items decide and the kernel matrix of the free ones is nearly singular: SMO would need a hundred
thousand steps there.  An item at a bound that would lose by moving is left out of a round; between rounds the
equality-constrained quadratic of the free coefficients is solved exactly, as far as their box allows.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from mercer.compiled.jit import compiled
from mercer.compiled.rows import add_rows
from mercer.compiled.smo import down_offset, smo, up_offset

ROUND = 300  # SMO steps between Newton steps
ROUNDS = 6  # of them on one active set
SLACK = 0.25  # an item is left out when it loses by more than this share of the violation
HITS = 12  # bounds that Newton steps may run into before SMO has its turn again
LARGEST = 500  # free coefficients for which a linear system is solved
RIDGE = 1e-7  # of the diagonal, about the precision of the entries


@compiled
def ends(b, F, lo, hi, epsilon):
    """The largest gain and the smallest cost."""
    most, least = -1e30, 1e30
    for i in range(b.shape[0]):
        most = max(most, up_offset(b[i], hi[i], epsilon) - F[i])
        least = min(least, down_offset(b[i], lo[i], epsilon) - F[i])
    return most, least


@compiled
def active_items(b, F, lo, hi, epsilon, most, least):
    """The items that may still move."""
    slack = SLACK * (most - least)
    keep = np.empty(b.shape[0], np.bool_)
    for i in range(b.shape[0]):
        gain, cost = up_offset(b[i], hi[i], epsilon) - F[i], down_offset(b[i], lo[i], epsilon) - F[i]
        keep[i] = gain >= least - slack or cost <= most + slack
    return np.flatnonzero(keep)


@compiled
def reach(b, d, lo, hi):
    """How far b can go along d: (step, item that stops it); at most 1."""
    step, stop = 1.0, -1
    for k in range(b.shape[0]):
        low, high = lo[k], hi[k]
        if b[k] > 0.0:
            low = max(low, 0.0)  # zero is a kink where there is an epsilon, and a bound where there is none
        elif b[k] < 0.0:
            high = min(high, 0.0)
        room = (high - b[k]) / d[k] if d[k] > 0.0 else (low - b[k]) / d[k] if d[k] < 0.0 else np.inf
        if room < step:
            step, stop = max(room, 0.0), k
    return step, stop


@njit(cache=True, nogil=True, error_model="numpy")
def newton(K, F, b, lo, hi, epsilon):
    """Minimise over the free coefficients, their sum fixed, until HITS of them were stopped; changes b and F."""
    free = np.flatnonzero((b > lo) & (b < hi) & (b != 0.0))
    for _ in range(HITS):
        f = free.shape[0]
        if f < 2 or f > LARGEST:
            return
        M, right = np.zeros((f + 1, f + 1)), np.zeros(f + 1)
        for r in range(f):
            row = K[free[r]]
            for c in range(f):
                M[r, c] = row[free[c]]
            M[r, r] += RIDGE * M[r, r]
            M[r, f] = M[f, r] = 1.0
            right[r] = -F[free[r]] - (epsilon if b[free[r]] > 0.0 else -epsilon)
        d = np.linalg.solve(M, right)[:f]
        if not np.isfinite(d).all():
            return
        d -= d.sum() / f
        step, stop = reach(b[free], d, lo[free], hi[free])
        for r in range(f):
            b[free[r]] += step * d[r]
        add_rows(K, free, step * d, F)
        if stop < 0:
            return
        i = free[stop]
        near = lo[i] if d[stop] < 0.0 else hi[i]
        b[i] = near if np.isfinite(near) and abs(b[i] - near) < abs(b[i]) else 0.0
        free = np.delete(free, stop)


@njit(cache=True, nogil=True, error_model="numpy")
def solve_whole(K, diagonal, F, b, lo, hi, epsilon, tol, max_steps):
    """Improve b and F in place until the conditions hold to tol; (steps, violation, whether a step had no end)."""
    q = b.shape[0]
    steps, violation, endless = smo(K, diagonal, F, b, lo, hi, epsilon, q, tol, min(q, max_steps))
    while violation > tol and steps < max_steps and not endless:
        most, least = ends(b, F, lo, hi, epsilon)
        A = active_items(b, F, lo, hi, epsilon, most, least)
        goal = max(tol, 0.1 * (most - least))
        part = np.empty((A.shape[0], A.shape[0]), np.float32)
        for r in range(A.shape[0]):
            row = K[A[r]]
            for c in range(A.shape[0]):
                part[r, c] = row[A[c]]
        own, G, low, high, d = b[A], F[A], lo[A], hi[A], diagonal[A]
        for _ in range(ROUNDS):
            made, v, endless = smo(part, d, G, own, low, high, epsilon, A.shape[0], goal, ROUND)
            steps += made
            if v <= goal or endless or steps >= max_steps:
                break
            newton(part, G, own, low, high, epsilon)
        change = own - b[A]
        moved = np.flatnonzero(change)
        add_rows(K, A[moved], change[moved], F)
        b[A] = own
        most, least = ends(b, F, lo, hi, epsilon)
        violation = most - least
        steps += 1  # a round counts, also one in which nothing moved
    return steps, violation, endless
