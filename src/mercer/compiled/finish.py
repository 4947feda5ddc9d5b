"""SMO that ends where plain SMO crawls: steps among the few items that decide, and Newton steps once these are cheaper.

At a large C most items are far from the margin, and the kernel matrix of the free ones is nearly singular: SMO would
need millions of steps there, and proximal.py some dozens.  A Newton run costs about the cube of the number of free
coefficients, an SMO step the number of items it looks at, so that whoever changes over when both are equal pays at most
twice what was needed.  Effort is counted in items looked at.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from mercer.compiled.jit import compiled
from mercer.compiled.proximal import nearest
from mercer.compiled.rows import add_rows
from mercer.compiled.smo import down_offset, smo, up_offset

GOAL = 0.95  # of the tolerance, for steps in single precision
FALL = 0.2  # of the violation, to which a change of centre brings it down
AIM = 0.7  # of the tolerance, below which it need not fall
LEAST = 1e-7  # sigma, about the precision of the entries
RAISE = 4.0  # of sigma, where Newton steps did not come to an end
EASY = 12  # Newton steps, after which a smaller sigma may be tried again
FAILURES = 4
RUNS = 0.5  # times the cube of the free coefficients, about what it takes Newton steps to come to the end
SYSTEM = 0.05  # times the cube of its size, what a linear system takes
FEW = 0.7  # of the items, to which it pays to confine oneself
MARGIN = 0.25  # of the violation, by which an item may miss the chance of a step and still be one of these
GAIN = 0.1  # of the violation, at which it is seen whether others have come to matter


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


@compiled
def deciding(b, F, lo, hi, epsilon, margin):
    """The items that could take part in a step: their gain exceeds some cost or their cost some gain, or nearly so."""
    most, least = ends(b, F, lo, hi, epsilon)
    found, count = np.empty(b.shape[0], np.intp), 0
    for i in range(b.shape[0]):
        gain, cost = up_offset(b[i], hi[i], epsilon) - F[i], down_offset(b[i], lo[i], epsilon) - F[i]
        if gain > least - margin or cost < most + margin:
            found[count] = i
            count += 1
    return found[:count]


@njit(cache=True, nogil=True, error_model="numpy")
def recentre(K, F, b, lo, hi, epsilon, tol, effort):
    """Move the centre until the conditions hold to tol or the effort is spent; (effort, violation)."""
    q, total, floor, failures, spent = b.shape[0], b.sum(), LEAST, 0, 0.0
    most, least = ends(b, F, lo, hi, epsilon)
    while most - least > tol and spent < effort and failures < FAILURES:
        sigma = max(max(FALL * (most - least), AIM * tol) / reach(b, lo, hi), floor)
        done, x, Fx, made, largest = nearest(K, F, b, 0.5 * (most + least), total, lo, hi, epsilon, sigma)
        spent += made * (q + SYSTEM * float(largest) ** 3) + q
        if done:
            b[:], F[:] = x, Fx
            most, least = ends(b, F, lo, hi, epsilon)
            floor = max(floor / RAISE, LEAST) if made <= EASY else floor
        else:
            floor, failures = RAISE * sigma, failures + 1
    return spent, most - least


@njit(cache=True, nogil=True, error_model="numpy")
def burst(K, diagonal, F, b, lo, hi, epsilon, tol, max_steps):
    """Steps of SMO, first on a gradient in single precision; then on F, if its digits are needed.

    Returns (steps, violation, whether a step had no end).
    """
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
def improve(K, diagonal, F, b, lo, hi, epsilon, tol, effort, spent):
    """Bursts, and Newton steps once as much effort as these want has been spent; (effort, violation, no end)."""
    q, most_spent = b.shape[0], spent + effort
    began, endless = spent, False
    most, least = ends(b, F, lo, hi, epsilon)
    violation = most - least
    while violation > tol and spent < most_spent and not endless:
        if RUNS * float(free_count(b, lo, hi)) ** 3 <= spent:
            made, violation = recentre(K, F, b, lo, hi, epsilon, tol, most_spent - spent)
            spent += made
        if violation > tol and spent < most_spent:
            steps, violation, endless = burst(K, diagonal, F, b, lo, hi, epsilon, tol, q)
            spent += (steps + 1.0) * q
    return spent - began, violation, endless


@njit(cache=True, nogil=True, error_model="numpy")
def improve_among(A, K, diagonal, F, b, lo, hi, epsilon, tol, effort, spent):
    """The same among the items A alone, until others may have come to matter."""
    own, count = np.empty((A.shape[0], A.shape[0]), K.dtype), A.shape[0]
    for r in range(count):
        row, to = K[A[r]], own[r]
        for k in range(count):
            to[k] = row[A[k]]
    bA, FA = b[A], F[A]
    made, _, endless = improve(own, diagonal[A], FA, bA, lo[A], hi[A], epsilon, tol, effort, spent)
    change = bA - b[A]
    b[A] = bA
    moved = np.flatnonzero(change)
    add_rows(K, A[moved], change[moved], F)
    most, least = ends(b, F, lo, hi, epsilon)
    return made + float(count) * count + float(moved.shape[0]) * b.shape[0], most - least, endless


@njit(cache=True, nogil=True, error_model="numpy")
def solve_whole(K, diagonal, F, b, lo, hi, epsilon, tol, max_steps, spent):
    """Improve b and F in place until the conditions hold to tol; (steps, violation, whether a step had no end).

    `spent` steps have been made on this problem before; all effort is counted in steps among all items.
    """
    q = b.shape[0]
    steps, violation, endless = burst(K, diagonal, F, b, lo, hi, epsilon, tol, min(q, max_steps))
    effort, limit, before = float(steps) * q, float(max_steps) * q, float(spent) * q
    while violation > tol and effort < limit and not endless:
        A = deciding(b, F, lo, hi, epsilon, MARGIN * violation)
        goal, left = max(GOAL * tol, GAIN * violation), limit - effort
        if A.shape[0] < FEW * q:
            made, violation, endless = improve_among(
                A, K, diagonal, F, b, lo, hi, epsilon, goal, left, before + effort
            )  # fmt: skip
        else:
            made, violation, endless = improve(K, diagonal, F, b, lo, hi, epsilon, goal, left, before + effort)
        effort += made + q
    return int(effort / q), violation, endless
