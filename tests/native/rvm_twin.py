"""native/loops/rvm.cpp in plain NumPy, as the formulas read.

With s and q the numbers of a function that is left out, the variance tau adds

    L(tau) = 1/2 (q^2 tau / (1 + tau s) - log(1 + tau s)),      best at tau = (q^2 - s) / s^2, or 0 if q^2 <= s
"""

from __future__ import annotations

import numpy as np


def worth(tau, s, q):
    """L(tau)."""
    return 0.5 * (q**2 * tau / (1.0 + tau * s) - np.log1p(tau * s))


def best(s, q):
    return np.maximum(q**2 - s, 0.0) / s**2


def singles(S, Q, tau, grain):
    """(gain, new): what the best change of each variance alone adds, and to what."""
    gain, new = np.zeros(len(tau)), tau.copy()
    rest = 1.0 - tau * S
    ok = (rest > 0.0) & (grain * rest < S)
    s, q = S[ok] / rest[ok], Q[ok] / rest[ok]
    new[ok] = best(s, q)
    gain[ok] = worth(new[ok], s, q) - worth(tau[ok], s, q)
    return gain, new


def exchanges(PA, A, S, Q, tau, grain):
    """(gain, partner, new): what each j outside adds by replacing the best i inside; PA[k] is row A[k] of P."""
    gain, partner, new = np.zeros(len(tau)), np.full(len(tau), -1), np.zeros(len(tau))
    for row, i in zip(PA, A, strict=True):
        rest = 1.0 - tau[i] * S[i]
        if not rest > 0.0:
            continue
        s, q = S + tau[i] / rest * row**2, Q + tau[i] / rest * row * Q[i]
        value = best(s, q)
        gained = worth(value, s, q) - worth(tau[i], S[i] / rest, Q[i] / rest)
        better = (tau == 0.0) & (grain < S) & (value > 0.0) & (gained > gain)
        gain[better], partner[better], new[better] = gained[better], i, value[better]
    return gain, partner, new


def change(P, Q, tau, j, new):
    """tau_j <- new; C changes by d phi_j phi_j', and P and Q by one rank."""
    d = new - tau[j]
    c, row = d / (1.0 + d * P[j, j]), P[j].copy()
    Q -= c * Q[j] * row
    P -= c * np.outer(row, row)
    tau[j] = new


def ascend(P, Q, tau, grain, tol, most):
    """Make the best change while it adds more than tol; exchanges only when no single change is left."""
    for step in range(most if len(tau) else 0):
        S = np.diag(P).copy()
        gain, new = singles(S, Q, tau, grain)
        j = np.argmax(gain)
        if gain[j] > tol:
            change(P, Q, tau, j, new[j])
            continue
        A = np.flatnonzero(tau)
        gain, partner, new = exchanges(P[A], A, S, Q, tau, grain)
        j = np.argmax(gain)
        if not gain[j] > tol:
            return step
        change(P, Q, tau, partner[j], 0.0)
        change(P, Q, tau, j, new[j])
    return most if len(tau) else 0
