"""The ordinary stretch of the regularisation path of solvers/path.py: one event after another, none at the same time.

Between events everything is linear.  The points F strictly inside their bounds move along

    [0  y'] [d0]     [0]
    [y  Q ] [d ] = - [1]          (over F; N is the inverse of this matrix)

and an event adds one point to F or takes one away, which changes N by one rank.
"""

from __future__ import annotations

import numpy as np

from mercer.compiled.jit import compiled

SINGULAR = 1e-9  # a pivot smaller than this, in units of K_ii, is a dependence between points: not ordinary
ROUGH = 1e-7  # a direction that moves points of F off the margin by more than this per unit of lambda is not exact


@compiled
def _add(N, e, K, y, F, p):
    """Put point p into N (e + 1 rows before); whether its pivot is safe."""
    v, u = np.empty(e + 1), np.zeros(e + 1)
    v[0] = y[p]
    for f in range(e):
        v[f + 1] = y[p] * y[F[f]] * K[p, F[f]]
    pivot = K[p, p]
    for r in range(e + 1):
        for c in range(e + 1):
            u[r] += N[r, c] * v[c]
        pivot -= u[r] * v[r]
    if not pivot > SINGULAR * K[p, p]:
        return False
    for r in range(e + 1):
        w = u[r] / pivot
        for c in range(e + 1):
            N[r, c] += w * u[c]
        N[r, e + 1] = -w
        N[e + 1, r] = -w
    N[e + 1, e + 1] = 1.0 / pivot
    F[e] = p
    return True


@compiled
def _drop(N, e, F, j):
    """Take the j-th point of F out of N; the last takes its place."""
    last, q = e, j + 1
    for r in range(e + 1):
        if r != q:
            w = N[r, q] / N[q, q]
            for c in range(e + 1):
                if c != q:
                    N[r, c] -= w * N[q, c]
    if q != last:
        for r in range(e + 1):
            N[r, q] = N[r, last]
        for c in range(e + 1):
            N[q, c] = N[last, c]
        N[q, q] = N[last, last]
    F[j] = F[e - 1]


@compiled
def _direction(N, e, d):
    """Write d over F; returns d0."""
    d0 = 0.0
    for c in range(1, e + 1):
        d0 -= N[0, c]
    for r in range(1, e + 1):
        total = 0.0
        for c in range(1, e + 1):
            total -= N[r, c]
        d[r - 1] = total
    return d0


@compiled
def _slack_slope(K, y, F, e, d, d0, ds):
    """ds = -1 - y (K[:, F] (y d) + d0); the largest of them over F, which should be 0 and is set so."""
    ds[:] = d0
    for f in range(e):
        w = y[F[f]] * d[f]
        row = K[F[f]]
        for i in range(ds.shape[0]):
            ds[i] += w * row[i]
    rough = 0.0
    for i in range(ds.shape[0]):
        ds[i] = -1.0 - y[i] * ds[i]
    for f in range(e):
        rough = max(rough, abs(ds[F[f]]))
        ds[F[f]] = 0.0
    return rough


@compiled
def _settle(K, y, a, elbow, F, e, N, d, p):
    """Whether p, on the elbow with a_p on a bound, leaves it (-1), joins F (1), or neither for certain (0)."""
    d0 = _direction(N, e, d)
    slope = d0
    for f in range(e):
        slope += y[F[f]] * d[f] * K[p, F[f]]
    slope = -1.0 - y[p] * slope
    outward = slope if a[p] > 0.0 else -slope
    if outward > ROUGH:
        return -1
    if outward > -ROUGH or not _add(N, e, K, y, F, p):
        return 0
    return 1


@compiled
def _next(a, s, elbow, F, e, d, ds):
    """(until, second, point, place in F or -1) of the next event and how far off the one after it is."""
    first, second, point, place = np.inf, np.inf, -1, -1
    for f in range(e):
        i = F[f]
        t = (1.0 - a[i]) / d[f] if d[f] > 0.0 else -a[i] / d[f] if d[f] < 0.0 else np.inf
        if t < first:
            first, second, point, place = t, first, i, f
        elif t < second:
            second = t
    for i in range(a.shape[0]):
        if not elbow[i] and (ds[i] < 0.0 if a[i] == 1.0 else ds[i] > 0.0):
            t = -s[i] / ds[i]
            if t < first:
                first, second, point, place = t, first, i, -1
            elif t < second:
                second = t
    return first, second, point, place


@compiled
def stroll(K, y, a, s, elbow, where, F, e, N, pending, lambda_min, lambdas, alphas, zeros, kinds, points):
    """Follow ordinary events from where = (lambda, a0), writing a, s, elbow and one knot per event.

    N belongs to the e points of F; `pending` is on the elbow with a on a bound, -1 for none.  Kinds are 0 "zero", 1 "one"
    and 2 "enter".  Returns the number of events; it ends early where the next is not ordinary, before taking it.
    """
    d, ds = np.empty(len(a)), np.empty(len(a))
    for count in range(len(lambdas)):
        if pending >= 0:
            verdict = _settle(K, y, a, elbow, F, e, N, d, pending)
            if verdict == 0:
                return count
            e += verdict > 0
            elbow[pending] = verdict > 0
        d0 = _direction(N, e, d)
        rough = _slack_slope(K, y, F, e, d, d0, ds)
        step, second, point, place = _next(a, s, elbow, F, e, d, ds)
        lam = where[0]
        ordinary = rough <= ROUGH and e > 0 and 1e-13 * lam < step < lam - lambda_min and second > step + 1e-11 * lam
        if not ordinary or not (a[point] < 1.0 or place >= 0 or _others(a, elbow, point)):
            if pending >= 0:
                elbow[pending] = True
            return count
        where[0], where[1] = lam - step, where[1] + step * d0
        for f in range(e):
            a[F[f]] += step * d[f]
        for i in range(len(s)):
            s[i] += step * ds[i]
        if place >= 0:
            kinds[count] = d[place] > 0.0
            a[point] = kinds[count]
            _drop(N, e, F, place)
            e -= 1
        else:
            kinds[count] = 2
            elbow[point], s[point] = True, 0.0
        pending, points[count] = point, point
        lambdas[count], zeros[count], alphas[count] = where[0], where[1], a
    return len(lambdas)


@compiled
def _others(a, elbow, point):
    """Whether a point beside this one is at a = 1 off the elbow: without any the path is at its end."""
    for i in range(len(a)):
        if i != point and a[i] == 1.0 and not elbow[i]:
            return True
    return False
