"""Chains of small problems on one stored Gram: the same items, box after box, without a return to the interpreter."""

from __future__ import annotations

import numpy as np
from numba import njit

from mercer.compiled.finish import solve_whole
from mercer.compiled.jit import compiled
from mercer.compiled.parts import gather, own_gradient, width
from mercer.compiled.proof import prove


@compiled
def inside(b, lo, hi):
    """Whether no coefficient is at a bound but 0: the box does not matter then, nor does a larger one."""
    bounded = 0
    for i in range(b.shape[0]):
        bounded += b[i] != 0.0 and not lo[i] < b[i] < hi[i]
    return bounded == 0


@compiled
def carry_on(b, F, z, lo, hi, epsilon, before, bounded):
    """Start from the solution of a problem on the same items with another box: from the best feasible multiple of it.

    The objective is a parabola in that multiple, a sum of 0 stays 0, and F, that of `before`, follows without K.  Says
    whether it is the solution of this problem too: no coefficient was `bounded`, and none is beyond the new box.
    """
    linear, curved, most = 0.0, 0.0, np.inf
    for i in range(b.shape[0]):
        v = before[i]
        linear += z[i] * v - epsilon * abs(v)
        curved += v * (F[i] + z[i])
        if v != 0.0:
            most = min(most, (hi[i] if v > 0.0 else lo[i]) / v)
    best = linear / curved if curved > 0.0 else 0.0
    s = max(0.0, min(best if bounded else 1.0, most))
    for i in range(b.shape[0]):
        b[i] = min(max(s * before[i], lo[i]), hi[i])
        F[i] = s * (F[i] + z[i]) - z[i] if s != 1.0 else F[i]
    return not bounded and s == 1.0


@compiled
def gram_of(K, part, room):
    """K[part, part] in single precision, in `room` if it is not K itself."""
    q = part.shape[0]
    if q == K.shape[0] and np.array_equal(part, np.arange(q)):
        return K
    own = room[: q * q].reshape(q, q)
    gather(K, part, part, own)
    return own


@njit(cache=True, nogil=True, error_model="numpy")
def solve_chain(own, z, lo, hi, bounds, epsilon, coef, bias, gap, steps, tol, max_steps, first, spent, last):
    """The problems of one chain from `first` on; (how many are done then, the steps that were made)."""
    diagonal, F, made = np.diag(own).copy(), np.empty(z.shape[0]), 0
    low, high = lo, hi
    for m in range(first, bounds.shape[0]):
        b, lower, upper = coef[m], lo * bounds[m], hi * bounds[m]
        known, before = False, 0
        if m > first:
            bounded = epsilon[m] != epsilon[m - 1] or not inside(coef[m - 1], low, high)
            known = carry_on(b, F, z, lower, upper, epsilon[m], coef[m - 1], bounded)
        else:
            own_gradient(own, b, z, F)
            before = spent
        low, high, took = lower, upper, 0
        if not known:
            took, violation, _ = solve_whole(own, diagonal, F, b, low, high, epsilon[m], tol, max_steps, before)
            made += took
            if violation > tol and not (last and m == first):
                return m, made
        bias[m], _, primal, dual = prove(b, F, z, low, high, epsilon[m])
        gap[m], steps[m] = (primal - dual) / max(abs(primal), abs(dual), 1e-300), took
    return bounds.shape[0], made


@njit(cache=True, nogil=True, error_model="numpy")
def solve_chains(K, index, ends, z, lo, hi, bounds, epsilon, coef, bias, gap, steps, tol, max_steps, done, spent, last):
    """Problems of all chains, counted chain after chain, from the one at `done` on; returns how many are done then.

    Chain p is on the items index[ends[p] : ends[p + 1]] of K; its problem m has the box [bounds[m] lo, bounds[m] hi],
    and its solutions, one after the other, have as many places in `coef`.  The first problem starts from what is there,
    after `spent` steps, and if this is the `last` try it is done in any case.  A problem that wants more than
    `max_steps` is the end, and so is a chain after which so many have been made.
    """
    count, room, made = bounds.shape[0], np.empty(width(ends) ** 2, np.float32), 0
    while done < count * (ends.shape[0] - 1) and made < max_steps:
        p, first = done // count, done % count
        s, e = ends[p], ends[p + 1]
        part, own = index[s:e], np.empty((count, e - s))
        gather(bounds, np.arange(count), part, own)
        reached, took = solve_chain(
            gram_of(K, part, room), z[s:e], lo[s:e], hi[s:e], own, epsilon,
            coef[count * s : count * e].reshape(count, e - s), bias[p], gap[p], steps[p],
            tol, max_steps, first, spent, last,
        )  # fmt: skip
        made += took
        done += reached - first
        if reached < count:
            break
        spent, last = 0, False
    return done
