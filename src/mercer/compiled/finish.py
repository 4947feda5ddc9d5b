"""SMO that ends where plain SMO crawls: bursts of steps, and Newton steps once these would have been cheaper.

At a large C a few items decide and the kernel matrix of the free ones is nearly singular: SMO would need millions of
steps there, and proximal.py some dozens.  A Newton run costs about the cube of the number of free coefficients, an SMO
step the number of items, so that whoever changes over when both are equal pays at most twice what was needed.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from mercer.compiled.jit import compiled
from mercer.compiled.proximal import NEWTON_STEPS, nearest
from mercer.compiled.rows import add_rows
from mercer.compiled.smo import down_offset, smo, up_offset

GOAL = 0.95  # of the tolerance, for steps in single precision
FALL = 0.2  # of the violation, to which a change of centre brings it down
AIM = 0.7  # of the tolerance, below which it need not fall
LEAST = 1e-7  # sigma, about the precision of the entries
RAISE = 4.0  # of sigma, where Newton steps did not come to an end
FAILURES = 4


@compiled
def ends(b, F, lo, hi, epsilon):
    """The largest gain and the smallest cost."""
    most, least = -1e30, 1e30
    for i in range(b.shape[0]):
        most = max(most, up_offset(b[i], hi[i], epsilon) - F[i])
        least = min(least, down_offset(b[i], lo[i], epsilon) - F[i])
    return most, least


@compiled
def free_count(b, lo, hi):
    """The number of coefficients that are neither 0 nor at a bound."""
    count = 0
    for i in range(b.shape[0]):
        count += lo[i] < b[i] < hi[i] and b[i] != 0.0
    return count


@compiled
def reach(b, lo, hi):
    """How far a coefficient can be expected to move."""
    size, width = 0.0, 0.0
    for i in range(b.shape[0]):
        size, width = max(size, abs(b[i])), max(width, hi[i] - lo[i])
    return min(width, 4.0 * size + 1e-30)


@njit(cache=True, nogil=True, error_model="numpy")
def recentre(K, F, b, lo, hi, epsilon, tol, max_steps):
    """Move the centre until the conditions hold to tol; (steps, violation), work counted in steps of SMO."""
    q, total, floor, failures, steps = b.shape[0], b.sum(), LEAST, 0, 0
    most, least = ends(b, F, lo, hi, epsilon)
    while most - least > tol and steps < max_steps and failures < FAILURES:
        sigma = max(max(FALL * (most - least), AIM * tol) / reach(b, lo, hi), floor)
        done, x, Fx, made, largest = nearest(K, F, b, 0.5 * (most + least), total, lo, hi, epsilon, sigma)
        steps += made * (1 + largest**3 // (NEWTON_STEPS * q)) + 1
        if done:
            b[:], F[:] = x, Fx
            most, least = ends(b, F, lo, hi, epsilon)
        else:
            floor, failures = RAISE * sigma, failures + 1
    return steps, most - least


@njit(cache=True, nogil=True, error_model="numpy")
def burst(K, diagonal, F, b, lo, hi, epsilon, tol, max_steps):
    """Steps of SMO, first on a gradient in single precision; then on F, if its digits are needed.  Like solve_whole."""
    before, rough = b.copy(), F.astype(np.float32)
    steps, _, endless = smo(K, diagonal, rough, b, lo, hi, epsilon, b.shape[0], GOAL * tol, max_steps)
    change = b - before
    moved = np.flatnonzero(change)
    add_rows(K, moved, change[moved], F)
    most, least = ends(b, F, lo, hi, epsilon)
    if most - least <= tol or steps == max_steps or endless:
        return steps, most - least, endless
    made, violation, endless = smo(K, diagonal, F, b, lo, hi, epsilon, b.shape[0], tol, max_steps - steps)
    return steps + made, violation, endless


@njit(cache=True, nogil=True, error_model="numpy")
def solve_whole(K, diagonal, F, b, lo, hi, epsilon, tol, max_steps, spent):
    """Improve b and F in place until the conditions hold to tol; (steps, violation, whether a step had no end).

    `spent` steps have been made on this problem before.
    """
    q = b.shape[0]
    steps, violation, endless = burst(K, diagonal, F, b, lo, hi, epsilon, tol, min(q, max_steps))
    while violation > tol and steps < max_steps and not endless:
        if free_count(b, lo, hi) ** 3 <= (spent + steps) * q:
            made, violation = recentre(K, F, b, lo, hi, epsilon, tol, max_steps - steps)
            steps += made
        if violation > tol and steps < max_steps:
            made, violation, endless = burst(K, diagonal, F, b, lo, hi, epsilon, tol, min(q, max_steps - steps))
            steps += made + 1
    return steps, violation, endless
