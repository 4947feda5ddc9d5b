"""exp(-x) for x >= 0, written so that the compiler turns a loop over it into vector instructions.

    exp(-x) = 2^k e^r,   k = round(-x / log 2),   |r| <= log(2) / 2

k comes from adding a big number (the sum keeps only whole bits), e^r from a minimax polynomial, 2^k from
building the bits of the exponent.  There is no branch and no call to the mathematics library.  The relative
error is below 2 units in the last place; where the result is below the smallest normal number it is 0.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import overload

from mercer.compiled.bits import bits32, bits64, float_of_bits32, float_of_bits64

_LOG2E = 1.4426950408889634
_LN2_HI, _LN2_LO = 0.6931471803691238, 1.9082149292705877e-10
_MAGIC = 6755399441055744.0  # 1.5 * 2^52
_SMALL = -708.0

_LOG2E_32 = np.float32(_LOG2E)
_LN2_HI_32, _LN2_LO_32 = np.float32(0.693359375), np.float32(-2.12194440e-4)
_MAGIC_32 = np.float32(12582912.0)  # 1.5 * 2^23
_SMALL_32 = np.float32(-87.0)
_ZERO_32 = np.float32(0.0)

# Highest power first: e^r on |r| <= log(2)/2, relative error 3e-18 (float64) and 2e-9 (float32).
_POLY = (
    2.4994314804695103e-08, 2.763229324465008e-07, 2.7557622499432988e-06, 2.4801486521540782e-05,
    0.0001984126943271505, 0.0013888888951223862, 0.008333333333559253, 0.04166666666649277,
    0.1666666666666617, 0.5000000000000018, 1.0, 1.0,
)  # fmt: skip
_POLY_32 = tuple(
    np.float32(c)
    for c in (
        0.0013836846126504068, 0.008374815786407733, 0.04166822556671505, 0.1666642017017184,
        0.49999992079835665, 1.0, 1.0,
    )
)  # fmt: skip


def exp_minus(x: float) -> float:
    """exp(-x), x >= 0; the compiled versions below replace this one inside compiled functions."""
    return float(np.exp(-x))


@overload(exp_minus, inline="always")
def _exp_minus(x):
    if x == types.float32:
        return _exp_minus_32
    return _exp_minus_64


def _exp_minus_64(x):
    x = -x
    t = x * _LOG2E + _MAGIC
    k = t - _MAGIC
    r = (x - k * _LN2_HI) - k * _LN2_LO
    p = 0.0
    for c in _POLY:
        p = p * r + c
    value = p * float_of_bits64((bits64(t) + 1023) << 52)
    return value if x > _SMALL else 0.0


def _exp_minus_32(x):
    x = -x
    t = x * _LOG2E_32 + _MAGIC_32
    k = t - _MAGIC_32
    r = (x - k * _LN2_HI_32) - k * _LN2_LO_32
    p = _ZERO_32
    for c in _POLY_32:
        p = p * r + c
    value = p * float_of_bits32(np.int32((bits32(t) + np.int32(127)) << np.int32(23)))
    return value if x > _SMALL_32 else _ZERO_32
