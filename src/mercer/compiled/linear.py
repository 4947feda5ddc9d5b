"""Loops over the items of a linear machine: how each dual coefficient answers to the score of its item.

With the scores t = Xw + r and the proximal targets q, coefficient i answers with

    c_i = clip(gain_i soft(q_i - t_i, epsilon), lo_i, hi_i),     soft(s, k) = sign(s) max(|s| - k, 0)

and is free where that is neither clipped nor zero.  One pass each, nothing stored but what is asked for.
"""

from __future__ import annotations

from mercer.compiled.jit import compiled, inlined


@inlined
def _answer(s, gain, lo, hi, epsilon):
    if s > epsilon:
        s -= epsilon
    elif s < -epsilon:
        s += epsilon
    else:
        s = 0.0
    return min(max(gain * s, lo), hi)


@compiled
def respond(q, t, gain, lo, hi, epsilon, c, free):
    """Write the answers into c and the indices of the free ones into `free`; returns how many are free."""
    count = 0
    for i in range(q.shape[0]):
        k = _answer(q[i] - t[i], gain[i], lo[i], hi[i], epsilon)
        c[i] = k
        if lo[i] < k < hi[i] and k != 0.0:
            free[count] = i
            count += 1
    return count


@compiled
def along(q, t, e, step, gain, lo, hi, epsilon):
    """(-c'e, sum of gain e^2 over free items) at the scores t + step e: slope and curvature of the loss on a line."""
    slope, curvature = 0.0, 0.0
    for i in range(q.shape[0]):
        k = _answer(q[i] - t[i] - step * e[i], gain[i], lo[i], hi[i], epsilon)
        slope -= k * e[i]
        if lo[i] < k < hi[i] and k != 0.0:
            curvature += gain[i] * e[i] * e[i]
    return slope, curvature
