"""Coordinate ascent on the evidence of a few basis functions, one variance tau_i = 1 / alpha_i at a time.

P_ij = phi_i' C^-1 phi_j and Q_i = phi_i' C^-1 t know all there is to know of the data, and S_i = P_ii.  A change of
tau_i by d makes C + d phi_i phi_i', whatever the change is called: adding, re-estimating or deleting i.  All of it is
one update.  `grain` is how much of phi_j the others must leave unexplained for it to count: less is rounding.
"""

from __future__ import annotations

import numpy as np

from mercer.compiled.jit import compiled


@compiled
def worth(tau, s, qq):
    """1/2 (q^2 tau / (1 + tau s) - log(1 + tau s)): what the variance tau adds to the evidence without it."""
    x = tau * s
    return 0.5 * (qq * tau / (1.0 + x) - np.log1p(x))


@compiled
def best(s, qq):
    """The variance that adds most: (q^2 - s) / s^2, or none."""
    return (qq - s) / (s * s) if qq > s else 0.0


@compiled
def singles(S, Q, tau, grain):
    """(gain, new): what the best change of each variance alone gains, and to what."""
    gain, new = np.zeros(len(tau)), tau.copy()
    for j in range(len(tau)):
        rest = 1.0 - tau[j] * S[j]
        if rest > 0.0 and S[j] > grain[j] * rest:
            s, qq = S[j] / rest, (Q[j] / rest) ** 2
            new[j] = best(s, qq)
            gain[j] = worth(new[j], s, qq) - worth(tau[j], s, qq)
    return gain, new


@compiled
def exchanges(PA, A, S, Q, tau, grain):
    """(gain, partner, new): what each j outside gains by coming in for the best i inside; PA[k] is row A[k] of P."""
    gain, partner, new = np.zeros(len(tau)), np.full(len(tau), -1), np.zeros(len(tau))
    for k in range(len(A)):
        i = A[k]
        rest = 1.0 - tau[i] * S[i]
        if not rest > 0.0:
            continue
        c, lost = tau[i] / rest, worth(tau[i], S[i] / rest, (Q[i] / rest) ** 2)
        for j in range(len(tau)):
            if tau[j] == 0.0 and S[j] > grain[j]:
                p = c * PA[k, j]
                s, q = S[j] + p * PA[k, j], Q[j] + p * Q[i]
                t = best(s, q * q)
                if t > 0.0:
                    gained = worth(t, s, q * q) - lost
                    if gained > gain[j]:
                        gain[j], partner[j], new[j] = gained, i, t
    return gain, partner, new


@compiled
def change(P, Q, tau, j, new):
    """Set tau[j], and update P and Q for it."""
    d = new - tau[j]
    c = d / (1.0 + d * P[j, j])
    row = P[j].copy()
    cq = c * Q[j]
    for i in range(len(tau)):
        ci = c * row[i]
        Q[i] -= cq * row[i]
        for k in range(len(tau)):
            P[i, k] -= ci * row[k]
    tau[j] = new


@compiled
def ascend(P, Q, tau, grain, tol, most):
    """Make the best change while it gains more than tol, at most `most` times; returns how many were made.

    Writes P, Q and tau.  Exchanges are looked at only when no single change is left.
    """
    for step in range(most):
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
    return most
