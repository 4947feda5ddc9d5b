"""The numbers of a proof in one pass each: violation and offset, primal and dual, feasibility, regimes."""

from __future__ import annotations

import numpy as np

from mercer.compiled.jit import compiled
from mercer.compiled.smo import down_offset, up_offset

_NEVER = 1e29  # below BIG, which stands for a move that a bound forbids


@compiled
def best_offset(b, F, lo, hi, epsilon):
    """(largest gain, smallest cost, r) of one group: r of f = K b + r is the mean over its free variables.

    Without free variables it is the middle of what the conditions allow.
    """
    most, least, total, count = -1e30, 1e30, 0.0, 0
    for i in range(b.shape[0]):
        u, l = up_offset(b[i], hi[i], epsilon) - F[i], down_offset(b[i], lo[i], epsilon) - F[i]
        most, least = max(most, u), min(least, l)
        if lo[i] < b[i] < hi[i] and b[i] != 0.0:
            total += u
            count += 1
    if count:
        return most, least, total / count
    if most > -_NEVER and least < _NEVER:
        return most, least, 0.5 * (most + least)
    return most, least, most if most > -_NEVER else least if least < _NEVER else 0.0


@compiled
def conjugate(t, lo, hi, epsilon, ridge):
    """max over c in [lo, hi] of c t - epsilon |c| - ridge c^2 / 2, for every variable; `ridge` may be empty."""
    out = np.empty_like(t)
    for i in range(t.shape[0]):
        side, bound = (t[i] - epsilon, hi[i]) if t[i] > 0.0 else (-t[i] - epsilon, -lo[i])
        if not (side > 0.0 and bound > 0.0):  # an endless box times no slack is nothing
            out[i] = 0.0
        elif ridge.shape[0] and ridge[i] > 0.0:
            c = min(side / ridge[i], bound)
            out[i] = side * c - 0.5 * ridge[i] * c * c
        else:
            out[i] = side * bound
    return out


@compiled
def inner_products(b, F, z, ridge, r):
    """(b'Qb, z'b, |b|_1, r'b, b'Rb) for F = Q b - z with R = diag(ridge), which may be empty."""
    bQb = zb = size = rb = bRb = 0.0
    for i in range(b.shape[0]):
        if b[i] != 0.0:
            bQb += b[i] * (F[i] + z[i])
            zb += b[i] * z[i]
            size += abs(b[i])
            rb += b[i] * r[i]
            if ridge.shape[0]:
                bRb += b[i] * ridge[i] * b[i]
    return bQb, zb, size, rb, bRb


@compiled
def prove(b, F, z, lo, hi, epsilon):
    """(r, violation, primal, dual) of one group without a ridge, as in solvers/dual/certificate.py."""
    most, least, r = best_offset(b, F, lo, hi, epsilon)
    none = np.empty(0)
    bQb, zb, size, rb, _ = inner_products(b, F, z, none, np.full(b.shape[0], r))
    loss = conjugate(-F - r, lo, hi, epsilon, none).sum()
    return r, most - least, 0.5 * bQb + rb + loss, -(0.5 * bQb - zb + epsilon * size)


@compiled
def move_to_sum(b, lo, hi, group, total):
    """Move the coefficients of a group within their box until they add up to `total`, in place.

    Free ones move first, then those at a bound, and zeros only when the others cannot do it.
    """
    free = (b > lo) & (b < hi) & (b != 0.0)
    for stage in range(3):
        missing, size = total, 0.0
        for i in range(b.shape[0]):
            missing -= b[i] if group[i] else 0.0
            size += abs(b[i])
        if abs(missing) <= 1e-12 * size:  # rounding must not make a coefficient of a zero
            return
        room, up = np.zeros(b.shape[0]), missing > 0.0
        for i in range(b.shape[0]):
            if group[i] and (stage == 2 or (b[i] != 0.0 and (stage == 1 or free[i]))):
                # the way back to zero is always there; the way on may be endless, and then it is not needed
                back, on = -b[i] if up else b[i], hi[i] - b[i] if up else b[i] - lo[i]
                room[i] = back if back > 0.0 else on if np.isfinite(on) else 0.0
        b += np.sign(missing) * min(abs(missing) / max(room.sum(), 1e-300), 1.0) * room


@compiled
def classification_regimes(margin, b, tol):
    """Regimes by the margin y f: beyond 1 is 0, on 1 is 1, in (0, 1) is 2, on 0 is 3, below 0 is 4."""
    out = np.empty(margin.shape[0], np.intp)
    for i in range(margin.shape[0]):
        m = margin[i]
        if m < 1.0 - tol:
            out[i] = 2 + (m <= tol) + (m < -tol)
        else:
            out[i] = m <= 1.0 + tol and b[i] != 0.0
    return out
