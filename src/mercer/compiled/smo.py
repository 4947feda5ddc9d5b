"""Second-order SMO on a stored piece of the Gram, in the signed variables of solvers/dual/problem.py.

F = K b - z is the gradient's smooth part.  With up_i = -epsilon or +epsilon on the side to which b_i would rise
(-BIG at its upper bound) and down_i likewise, raising b_i gains at rate up_i - F_i and lowering it costs at rate
down_i - F_i; the optimum is where no gain exceeds any cost.  A step raises the i of the largest gain and lowers
the j that promises the largest decrease of the objective.

Two vectorised passes per step.  An argmax does not vectorise but an integer maximum does: the bits of a float, made
order-preserving, carry the index in their low bits, so that one maximum yields both.
"""

from __future__ import annotations

import numpy as np
from numba import float32, float64, int32, int64, njit, types
from numba.extending import overload

from mercer.compiled.bits import bits32, bits64, float_of_bits32
from mercer.compiled.jit import compiled, inlined

LARGEST = 4096  # indices that fit into the low bits
BIG = 1e30  # stands for infinity, also in float32
TINY = 1e-12
_LOW, _LOW32 = int64(4095), int32(4095)
_SIGN, _SIGN32 = int64(0x7FFFFFFFFFFFFFFF), int32(0x7FFFFFFF)

# No NaN can occur here, and without that promise the passes would not vectorise.
_vectorised = njit(cache=True, nogil=True, fastmath={"contract", "nnan", "nsz"}, error_model="numpy")


@inlined
def up_offset(b, hi, epsilon):
    """The non-smooth part of the gain when b rises."""
    if b >= hi:
        return -1e30
    return -epsilon if b >= 0.0 else epsilon


@inlined
def down_offset(b, lo, epsilon):
    """The non-smooth part of the cost when b falls."""
    if b <= lo:
        return 1e30
    return -epsilon if b > 0.0 else epsilon


@compiled
def offsets(b, lo, hi, epsilon, up, down):
    """Write both offsets of every variable."""
    for k in range(b.shape[0]):
        up[k] = up_offset(b[k], hi[k], epsilon)
        down[k] = down_offset(b[k], lo[k], epsilon)


@_vectorised
def _step_and_argmax64(F, Ki, Kj, t, up, places):
    """F += t (Ki - Kj), and the argmax of up - F, in one pass."""
    best = -_SIGN
    for k in range(F.shape[0]):
        f = F[k] + t * (Ki[k] - Kj[k])
        F[k] = f
        x = bits64(up[k] - f)
        x = x ^ ((x >> int64(63)) & _SIGN)
        best = max(best, (x & ~_LOW) | int64(places[k]))
    return best & _LOW


@_vectorised
def _step_and_argmax32(F, Ki, Kj, t, up, places):
    """The same in single precision; every cast matters, for numba would widen to int64 and halve the lanes."""
    best, t = -_SIGN32, float32(t)
    for k in range(F.shape[0]):
        f = F[k] + t * float32(Ki[k] - Kj[k])
        F[k] = f
        x = bits32(up[k] - f)
        x = int32(x ^ ((x >> int32(31)) & _SIGN32))
        best = max(best, int32((x & ~_LOW32) | places[k]))
    return int64(best) & _LOW


@_vectorised
def partner(F, down, Ki, diagonal, gain, Kii, places):
    """argmax_k d_k^2 / (K_ii + K_kk - 2 K_ik) with d_k = (gain - cost_k)_+, that maximum, and the largest d_k."""
    best, widest = int32(0), int32(0)
    for k in range(F.shape[0]):
        d = float32((gain + F[k]) - down[k])
        d = d if d > float32(0.0) else float32(0.0)
        widest = max(widest, bits32(d))
        eta = float32((Kii + diagonal[k]) - float32(2.0) * float32(Ki[k]))
        eta = eta if eta > float32(1e-9) else float32(1e-9)
        best = max(best, int32((bits32(d * d / eta) & ~_LOW32) | places[k]))
    return int64(best) & _LOW, float_of_bits32(best & ~_LOW32), float_of_bits32(widest)


@compiled
def move(b, lo, hi, i, j, slope, eta):
    """The best step t along e_i - e_j, stopped at bounds and at the kink b = 0; changes b and returns t."""
    t = slope / max(eta, TINY)
    room_i = -b[i] if b[i] < 0.0 else hi[i] - b[i]
    room_j = b[j] if b[j] > 0.0 else b[j] - lo[j]
    new_i, new_j = b[i] + t, b[j] - t
    if room_i <= t and room_i <= room_j:
        t = room_i
        new_i, new_j = (0.0 if b[i] < 0.0 else hi[i]), b[j] - t
        if room_j == room_i:
            new_j = 0.0 if b[j] > 0.0 else lo[j]
    elif room_j <= t:
        t = room_j
        new_i, new_j = b[i] + t, (0.0 if b[j] > 0.0 else lo[j])
    b[i], b[j] = new_i, new_j
    return t


def step_and_argmax(F, Ki, Kj, t, up, places):
    """One of the two above, by the number type of F."""


@overload(step_and_argmax)
def _step_and_argmax(F, Ki, Kj, t, up, places):
    if F.dtype == types.float32:
        return lambda F, Ki, Kj, t, up, places: _step_and_argmax32(F, Ki, Kj, t, up, places)
    return lambda F, Ki, Kj, t, up, places: _step_and_argmax64(F, Ki, Kj, t, up, places)


@njit(cache=True, nogil=True, error_model="numpy")
def smo(K, diagonal, F, b, lo, hi, epsilon, split, tol, max_iter):
    """Work in place on b and F; variables before and after `split` are the two groups.

    Returns (steps, last violation, whether a step had no end: an unbounded dual).
    """
    q = b.shape[0]
    up, down, places = np.empty(q, F.dtype), np.empty(q, F.dtype), np.arange(q).astype(np.int32)
    offsets(b, lo, hi, epsilon, up, down)
    Ki, Kj, t, steps, violation = K[0], K[0], 0.0, 0, 0.0
    while True:
        first, second, most, violation = -1, -1, -1.0, 0.0
        for group in range(2):
            s, e = (0, split) if group == 0 else (split, q)
            if e <= s:
                continue
            i = s + step_and_argmax(F[s:e], Ki[s:e], Kj[s:e], t, up[s:e], places)
            gain = up[i] - F[i]
            if gain < -1e29:
                continue
            j, promise, widest = partner(F[s:e], down[s:e], K[i, s:e], diagonal[s:e], gain, diagonal[i], places)
            violation = max(violation, widest)
            if widest > tol and promise > most:
                first, second, most = i, s + j, promise
        if first < 0 or steps == max_iter:
            return steps, violation, False
        Ki, Kj = K[first], K[second]
        slope = (up[first] - F[first]) - (down[second] - F[second])
        eta = float64(diagonal[first]) + diagonal[second] - 2.0 * Ki[second]
        t = move(b, lo, hi, first, second, slope, eta)
        if eta < 1e-9 and t > 1e6 and np.isinf(hi[first] - lo[first]) and np.isinf(hi[second] - lo[second]):
            return steps, violation, True
        for k in (first, second):
            up[k], down[k] = up_offset(b[k], hi[k], epsilon), down_offset(b[k], lo[k], epsilon)
        steps += 1


@_vectorised
def coordinate_descent(K, diagonal, F, b, lo, hi, epsilon, tol, max_iter):
    """Without an equality one variable moves at a time, that of the largest decrease; in place on b and F."""
    violation = 0.0
    for step in range(max_iter + 1):
        best, i, violation, slope = 0.0, -1, 0.0, 0.0
        for k in range(b.shape[0]):
            rise = max(up_offset(b[k], hi[k], epsilon) - F[k], 0.0)
            fall = max(F[k] - down_offset(b[k], lo[k], epsilon), 0.0)
            v = max(rise, fall)
            violation = max(violation, v)
            if v * v > best * max(diagonal[k], TINY):
                best, i, slope = v * v / max(diagonal[k], TINY), k, (rise if rise >= fall else -fall)
        if violation <= tol or i < 0:
            return step, violation
        t, old = slope / max(diagonal[i], TINY), b[i]
        if t > 0:
            b[i] = min(old + t, 0.0 if old < 0.0 else hi[i])
        else:
            b[i] = max(old + t, 0.0 if old > 0.0 else lo[i])
        t = b[i] - old
        Ki = K[i]
        for k in range(b.shape[0]):
            F[k] += t * Ki[k]
    return max_iter, violation
