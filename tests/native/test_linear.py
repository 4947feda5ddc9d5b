"""The answers of a linear machine's coefficients to scores, against the same in NumPy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.native.refusals import refuses
from tests.native.shapes import framed, off_alignment, seeds

from mercer.native import linear

sizes = st.sampled_from([0, 1, 3, 7, 8, 9, 17, 33, 255, 256, 257, 600])  # some beyond a block of the loop
widths = st.sampled_from([0.0, 0.1, 1.0])


def answers(s, gain, lo, hi, epsilon):
    """(c, which are free)."""
    soft = np.sign(s) * np.maximum(np.abs(s) - epsilon, 0.0)
    c = np.clip(gain * soft, lo, hi)
    return c, (lo < c) & (c < hi) & (c != 0.0)


@st.composite
def items(draw, digits=16):
    """(q, t, e, gain, lo, hi); some boxes are endless and some empty; with few digits some answers are exactly 0."""
    n, rng = draw(sizes), np.random.default_rng(draw(seeds))
    q, t, e = rng.normal(size=(3, n)).round(digits)
    gain, lo, hi = rng.uniform(0.1, 2.0, n), -rng.uniform(0.0, 1.0, n), rng.uniform(0.0, 1.0, n)
    hi[rng.random(n) < 0.2] = np.inf
    lo[rng.random(n) < 0.2] = 0.0
    return tuple(off_alignment(A, draw(st.integers(0, 3))) for A in (q, t, e, gain, lo, hi))


@given(data=items(digits=1), epsilon=widths)
def test_respond(isa, data, epsilon):
    q, t, _, gain, lo, hi = data
    (c, outside), (free, beyond) = framed(np.zeros(len(q))), framed(np.zeros(len(q), dtype=np.intp))
    count = linear.respond(q, t, gain, lo, hi, epsilon, c, free)
    expected, which = answers(q - t, gain, lo, hi, epsilon)
    assert_allclose(c, expected, rtol=1e-14, atol=1e-15)
    assert_array_equal(free[:count], np.flatnonzero(which))
    outside.check()
    beyond.check()


@given(data=items(), epsilon=widths, step=st.sampled_from([0.0, 0.7, -3.0]))
def test_along(isa, data, epsilon, step):
    q, t, e, gain, lo, hi = data
    slope, curvature = linear.along(q, t, e, step, gain, lo, hi, epsilon)
    c, free = answers(q - t - step * e, gain, lo, hi, epsilon)
    assert_allclose(slope, -(c @ e), atol=1e-12)
    assert_allclose(curvature, (gain * e**2)[free].sum(), atol=1e-12)


def test_wrong_arguments_are_named():
    q, t, e, gain, lo, hi, c = np.ones((7, 4))
    box = {"gain": gain, "lo": lo, "hi": hi, "epsilon": 0.1}
    free = np.zeros(4, dtype=np.intp)
    refuses(linear.respond, {"q": q, "t": t, **box, "c": c, "free": free}, {"c", "free"}, free={"q"})
    refuses(linear.along, {"q": q, "t": t, "e": e, "step": 1.0, **box}, set(), free={"q"})
