"""The ordinary stretch of the regularisation path of solvers/path.py: one event after another, none at the same time.

Between events everything is linear.  The points F strictly inside their bounds move along

    [0  y'] [d0]     [0]
    [y  Q ] [d ] = - [1]          (over F; N is the inverse of this matrix)

and an event adds one point to F or takes one away, which changes N by one rank.  Points that rest on the elbow with a_i
on a bound (copies of points of F, say) are watched: as soon as one of them has to move, the stretch is over.
"""

from __future__ import annotations

import numpy as np

from mercer.compiled.jit import compiled

SINGULAR = 1e-9  # a pivot smaller than this, in units of K_ii, is a dependence between points: not ordinary
ROUGH = 1e-7  # slopes of slacks, per unit of lambda, that count as zero
ZERO, ONE, ENTER = 0, 1, 2


@compiled
def _add(N, e, K, y, F, p):
    """Put point p into N, which has e + 1 rows so far; whether its pivot is safe."""
    v, u = np.empty(e + 1), np.zeros(e + 1)
    v[0] = y[p]
    for f in range(e):
        v[f + 1] = y[p] * y[F[f]] * K[p, F[f]]
    for c in range(e + 1):
        row, w = N[c], v[c]
        for r in range(e + 1):
            u[r] += w * row[r]
    pivot = K[p, p]
    for r in range(e + 1):
        pivot -= u[r] * v[r]
    if not pivot > SINGULAR * K[p, p]:
        return False
    for r in range(e + 1):
        row, w = N[r], u[r] / pivot
        for c in range(e + 1):
            row[c] += w * u[c]
        N[r, e + 1] = -w
        N[e + 1, r] = -w
    N[e + 1, e + 1] = 1.0 / pivot
    F[e] = p
    return True


@compiled
def _drop(N, e, F, j):
    """Take the j-th point of F out of N; the last takes its place."""
    gone = N[j + 1, : e + 1].copy()
    for r in range(e + 1):
        row, w = N[r], gone[r] / gone[j + 1]
        for c in range(e + 1):
            row[c] -= w * gone[c]
    if j + 1 != e:
        N[: e + 1, j + 1] = N[: e + 1, e]
        N[j + 1, : e + 1] = N[e, : e + 1]
        N[j + 1, j + 1] = N[e, e]
    F[j] = F[e - 1]


@compiled
def _direction(N, e, K, y, F, d, ds):
    """Write d over F and ds = -1 - y (K[:, F] (y d) + d0), 0 on F; returns d0 and how far from 0 ds was there."""
    d[: e + 1] = 0.0
    for c in range(1, e + 1):
        row = N[c]
        for r in range(e + 1):
            d[r] -= row[r]
    ds[:] = d[0]
    for f in range(e):
        w, row = y[F[f]] * d[f + 1], K[F[f]]
        for i in range(ds.shape[0]):
            ds[i] += w * row[i]
    for i in range(ds.shape[0]):
        ds[i] = -1.0 - y[i] * ds[i]
    rough = 0.0
    for f in range(e):
        rough = max(rough, abs(ds[F[f]]))
        ds[F[f]] = 0.0
    return d[0], rough


@compiled
def _joiner(a, elbow, ds):
    """The point that rests on the elbow and has to move inwards: -1 for none, -2 for several."""
    found = -1
    for i in range(len(a)):
        if elbow[i] and (a[i] == 0.0 or a[i] == 1.0) and (ds[i] if a[i] > 0.0 else -ds[i]) < -ROUGH:
            found = i if found == -1 else -2
    return found


@compiled
def _next(a, s, elbow, F, e, d, ds):
    """(how far, how far the one after it, which point, its place in F or -1) of the next event."""
    first, second, point, place = np.inf, np.inf, -1, -1
    for f in range(e):
        i, slope = F[f], d[f + 1]
        t = (1.0 - a[i]) / slope if slope > 0.0 else -a[i] / slope if slope < 0.0 else np.inf
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
def _step(a, s, elbow, F, e, d, ds, step):
    """Move by `step`; points at rest on the elbow that are driven outwards leave it."""
    for i in range(len(a)):
        if elbow[i] and (a[i] == 0.0 or a[i] == 1.0):
            if abs(ds[i]) <= ROUGH:
                ds[i] = 0.0
            else:
                elbow[i] = False
        s[i] += step * ds[i]
    for f in range(e):
        a[F[f]] += step * d[f + 1]


@compiled
def _bounded(a, elbow):
    """How many points are at a = 1 off the elbow; with none the path is at its end."""
    count = 0
    for i in range(len(a)):
        count += a[i] == 1.0 and not elbow[i]
    return count


@compiled
def _turn(N, e, K, y, a, elbow, F, d, ds, entered):
    """The direction after `entered` has come to the elbow (-1: none), written to d and ds; returns (e, d0).

    e is -1 where that is not simply a matter of adding a point or two to F.
    """
    joining, d0, rough = entered, 0.0, 0.0
    for _ in range(3):
        if joining >= 0:
            if not _add(N, e, K, y, F, joining):
                return -1, d0
            e += 1
        d0, rough = _direction(N, e, K, y, F, d, ds)
        if joining >= 0 and not (d[e] < 0.0 if a[joining] == 1.0 else d[e] > 0.0):
            return -1, d0
        joining = _joiner(a, elbow, ds)
        if joining < 0:
            break
    return e if joining == -1 and rough <= ROUGH and e > 0 else -1, d0


@compiled
def stroll(K, y, a, s, elbow, where, F, e, N, lambda_min, lambdas, alphas, zeros, kinds, points):
    """Follow ordinary events from where = (lambda, a0), writing a, s, elbow and one knot per event.

    N belongs to the e points of F.  Returns the number of events; it ends where the next is not ordinary, before it.
    """
    d, ds, entered = np.empty(len(a) + 1), np.empty(len(a)), -1
    for count in range(len(lambdas)):
        e, d0 = _turn(N, e, K, y, a, elbow, F, d, ds, entered)
        if e < 0:
            return count
        lam = where[0]
        step, second, point, place = _next(a, s, elbow, F, e, d, ds)
        if not (1e-13 * lam < step < lam - lambda_min and second > step + 1e-11 * lam):
            return count
        where[0], where[1] = lam - step, where[1] + step * d0
        _step(a, s, elbow, F, e, d, ds, step)
        if place < 0:
            kinds[count], elbow[point], s[point], entered = ENTER, True, 0.0, point
        else:
            kinds[count], entered = ONE if d[place + 1] > 0.0 else ZERO, -1
            a[point] = kinds[count]
            _drop(N, e, F, place)
            e -= 1
        points[count], lambdas[count], zeros[count], alphas[count] = point, where[0], where[1], a
        if not _bounded(a, elbow):
            return count + 1
    return len(lambdas)
