"""Functions of the squared distance against the same in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.native.shapes import framed, matrices

from mercer.native import radial

both = pytest.mark.parametrize("dtype", [np.float32, np.float64])
squares = st.sampled_from([np.float32, np.float64]).flatmap(lambda dtype: matrices(dtype, 0.0, 30.0))
scales = st.floats(0.01, 3.0)
# the Matern kernels of order 1/2, 3/2, 5/2 and 7/2
polynomials = st.sampled_from([[1.0], [1.0, 1.0], [1 / 3, 1.0, 1.0], [1 / 15, 2 / 5, 1.0, 1.0]])


def close(found, expected):
    """Equal up to the rounding of an argument of at most 90, and to what is taken for 0 below the normal numbers."""
    limits = np.finfo(found.dtype)
    assert_allclose(found, expected, rtol=100 * limits.eps, atol=2 * limits.tiny)


@given(S=squares, c=scales)
def test_exponential(isa, S, c):
    tile, outside = framed(S)
    radial.exponential(tile, c)
    close(tile, np.exp(-c * S.astype(float)))
    outside.check()


@given(S=squares, c=scales, P=polynomials)
def test_polynomial_exponential(isa, S, c, P):
    tile, outside = framed(S)
    radial.polynomial_exponential(tile, c, np.array(P))
    t = np.sqrt(c * S.astype(float))
    close(tile, np.polyval(P, t) * np.exp(-t))
    outside.check()


@given(S=squares, c=scales)
def test_slope_of_the_exponential_kernel(isa, S, c):
    S.flat[:1] = 0.0
    tile, outside = framed(S)
    radial.ornstein_uhlenbeck_slope(tile, c)
    t = np.sqrt(c * S.astype(float))
    expected = np.divide(-0.5 * c * np.exp(-t), t, out=np.zeros_like(t), where=t > 0.0)
    close(tile, expected)
    outside.check()


@given(S=squares)
def test_a_contiguous_tile_is_a_view_of_itself(isa, S):
    expected, outside = framed(S)
    radial.exponential(expected, 0.5)
    radial.exponential(S, 0.5)
    assert_array_equal(S, expected)
    outside.check()


@both
@pytest.mark.parametrize(("s", "value"), [(0.0, 1.0), (1e4, 0.0), (np.inf, 0.0), (np.nan, np.nan)])
def test_ends_of_the_exponential(isa, dtype, s, value):
    tile = np.full((3, 17), s, dtype=dtype)
    radial.exponential(tile, 1.0)
    assert_array_equal(tile, np.full((3, 17), value))


@both
def test_exponential_is_right_over_the_whole_range(isa, dtype):
    x = np.linspace(0.0, 80.0 if dtype is np.float32 else 700.0, 100_001, dtype=dtype)
    tile = x.reshape(1, -1).copy()
    radial.exponential(tile, 1.0)
    exact = np.exp(-x.astype(np.longdouble))
    assert np.abs(tile[0] / exact - 1.0).max() < 2.0 * np.finfo(dtype).eps


@both
def test_all_instruction_sets_are_within_rounding_of_each_other(isa, dtype):
    S = np.linspace(0.0, 20.0, 1001, dtype=dtype).reshape(7, 143)
    tile = S.copy()
    radial.polynomial_exponential(tile, 1.7, np.array([1.0, 1.0]))
    from mercer import native

    native.choose_isa(native.available_isas()[0])
    lowest = S.copy()
    radial.polynomial_exponential(lowest, 1.7, np.array([1.0, 1.0]))
    native.choose_isa(isa)
    assert_allclose(tile, lowest, rtol=8 * np.finfo(dtype).eps)
