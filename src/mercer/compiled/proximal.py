"""Proximal Newton: the dual of solvers/dual/problem.py where free coefficients decide and SMO would crawl.

Around a centre c the dual with sigma |b - c|^2 / 2 added is minimised; the centre then moves there, sigma falls, and
the violation, which is at most sigma |b - c|, falls with it.  The dual of one such problem is smooth and has no bounds:

    minimise over x, beta  1/2 x'Kx + beta s + sum_i max_{lo <= p <= hi} [ p t_i - epsilon |p| - sigma (p - c_i)^2 / 2 ]
    t = z - K x - beta,   s = sum of c,   attained at p = P(t) = clip(soft(t + sigma c, epsilon) / sigma, lo, hi)

and x = P(t) at its minimum.  A Newton step holds the p that are at a bound or at 0, and solves for the others at once:
a system as large as the number of free coefficients, whatever the number that change sides.  At a small sigma P throws
nearly all coefficients to their bounds as long as t is not right, so the first step is for those that are free in c.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from mercer.compiled.jit import compiled
from mercer.compiled.rows import add_rows

NEWTON_STEPS = 20  # for one centre
FLAT = 0.1  # share of the first slope at which a line search ends
HALVINGS = 12
EQUAL = 1e-7  # in units of F, at which two coefficients are the same


@compiled
def attained(F, shift, beta, c, sigma, lo, hi, epsilon, p):
    """p = P(t), t = -F - shift - beta."""
    for i in range(p.shape[0]):
        t = sigma * c[i] - F[i] - shift[i] - beta
        t = t - epsilon if t > epsilon else t + epsilon if t < -epsilon else 0.0
        p[i] = min(max(t / sigma, lo[i]), hi[i])


@compiled
def slope_at(tau, x, F, e, change, beta, turn, total, c, sigma, lo, hi, epsilon, p):
    """The derivative of the objective at x + tau e, beta + tau turn; change = K e."""
    attained(F, tau * change, beta + tau * turn, c, sigma, lo, hi, epsilon, p)
    slope, sum_p = 0.0, 0.0
    for i in range(p.shape[0]):
        slope += (x[i] + tau * e[i] - p[i]) * change[i]
        sum_p += p[i]
    return slope - turn * (sum_p - total)


@compiled
def step_length(x, F, e, change, beta, turn, total, c, sigma, lo, hi, epsilon, p):
    """How far to go along a Newton step: 1, or where the objective has ceased to fall; 0 if it does not."""
    first = slope_at(0.0, x, F, e, change, beta, turn, total, c, sigma, lo, hi, epsilon, p)
    if not first < 0.0:
        return 0.0
    tau, low, high = 1.0, 0.0, 1.0
    for _ in range(HALVINGS):
        slope = slope_at(tau, x, F, e, change, beta, turn, total, c, sigma, lo, hi, epsilon, p)
        if abs(slope) <= -FLAT * first or (slope < 0.0 and tau == 1.0):
            break
        low, high = (tau, high) if slope < 0.0 else (low, tau)
        tau = 0.5 * (low + high)
    return tau


@compiled
def factor(K, J, sigma):
    """The lower Cholesky factor of K[J, J] + sigma I; empty if that is not positive definite in these digits."""
    f = J.shape[0]
    M = np.empty((f, f))
    for r in range(f):
        row = K[J[r]]
        for k in range(f):
            M[r, k] = row[J[k]]
        M[r, r] += sigma
    try:
        return np.linalg.cholesky(M)
    except Exception:  # the only kind that compiled code can catch
        return np.empty((0, 0))


@compiled
def solve_factored(L, v):
    """v <- (L L')^-1 v."""
    f = v.shape[0]
    for r in range(f):
        v[r] = (v[r] - L[r, :r] @ v[:r]) / L[r, r]
    for r in range(f - 1, -1, -1):
        v[r] /= L[r, r]
        row, known = L[r], v[r]
        for k in range(r):
            v[k] -= known * row[k]


@compiled
def newton_step(K, F, x, p, beta, J, c, total, sigma, epsilon, e, change):
    """Write the step e to x = p outside of J, and to the minimum over J; change = K e.  The change of beta, or NaN."""
    e[:] = p - x
    e[J] = 0.0
    moved = np.flatnonzero(e)
    change[:] = 0.0
    add_rows(K, moved, e[moved], change)
    L = factor(K, J, sigma)
    if L.shape[0] < J.shape[0]:
        return np.nan
    right, ones = np.empty(J.shape[0]), np.ones(J.shape[0])
    for r in range(J.shape[0]):
        i = J[r]
        sign = epsilon if p[i] > 0.0 else -epsilon
        right[r] = sigma * (c[i] - x[i]) - sign - F[i] - change[i] - beta
    solve_factored(L, right)
    solve_factored(L, ones)
    turn = (right.sum() - total + x.sum() + e.sum()) / ones.sum()
    right -= turn * ones
    e[J] = right
    add_rows(K, J, right, change)
    return turn


@compiled
def first_step(K, F, c, beta, total, lo, hi, epsilon, sigma, p, e, change):
    """The step to the minimum over what is free in c; (change of beta, NaN if it leads astray; size of the system)."""
    J = np.flatnonzero((c > lo) & (c < hi) & (c != 0.0))
    if J.shape[0] == 0:
        return np.nan, 0
    turn = newton_step(K, F, c, c, beta, J, c, total, sigma, epsilon, e, change)
    before = slope_at(0.0, c, F, e, change, beta, turn, total, c, sigma, lo, hi, epsilon, p)
    after = slope_at(1.0, c, F, e, change, beta, turn, total, c, sigma, lo, hi, epsilon, p)
    return turn if after < -before else np.nan, J.shape[0]


@njit(cache=True, nogil=True, error_model="numpy")
def nearest(K, F, c, beta, total, lo, hi, epsilon, sigma):
    """Minimise around the centre c; (whether that was reached, x, F at x, Newton steps, the largest system)."""
    x, F = c.copy(), F.copy()
    p, e, change, zero = np.empty_like(x), np.empty_like(x), np.empty_like(x), np.zeros(x.shape[0])
    tau = 0.0
    turn, largest = first_step(K, F, c, beta, total, lo, hi, epsilon, sigma, p, e, change)
    if not np.isnan(turn):
        x, F, beta, tau = x + e, F + change, beta + turn, 1.0
    for made in range(1, NEWTON_STEPS + 1):
        attained(F, zero, beta, c, sigma, lo, hi, epsilon, p)
        if tau == 1.0 and sigma * np.abs(x - p).max() <= EQUAL:
            e[:] = np.minimum(np.maximum(x, lo), hi) - x  # beyond a bound by rounding
            moved = np.flatnonzero(e)
            add_rows(K, moved, e[moved], F)
            return True, x + e, F, made, largest
        J = np.flatnonzero((p > lo) & (p < hi) & (p != 0.0))
        largest = max(largest, J.shape[0])
        if J.shape[0] == 0 or made == NEWTON_STEPS:
            break
        turn = newton_step(K, F, x, p, beta, J, c, total, sigma, epsilon, e, change)
        if np.isnan(turn):
            break
        tau = step_length(x, F, e, change, beta, turn, total, c, sigma, lo, hi, epsilon, p)
        if not tau > 0.0:
            break
        x += tau * e
        F += tau * change
        beta += tau * turn
    return False, x, F, made, largest
