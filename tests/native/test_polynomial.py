"""Polynomials of the entries of a tile against the same in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from tests.native.refusals import refuses
from tests.native.shapes import framed, seeds, sides
from tests.native.tiles import ALL, entries, eps, every, wide

from mercer.native import polynomial

long_rows = st.one_of(sides, st.sampled_from([255, 256, 257, 600]))  # beyond a piece of a row
all_types = pytest.mark.parametrize("dtype", ALL)


@st.composite
def tiles(draw):
    return entries(draw(seeds), (draw(sides), draw(long_rows)), draw(every))


def close(found, expected, size):
    """Equal up to the rounding of numbers of this size."""
    assert_allclose(found, expected, rtol=40 * eps(found), atol=40 * eps(found) * size + np.finfo(found.dtype).tiny)


@given(G=tiles(), scale=st.floats(-1.5, 1.5), offset=st.floats(-1.0, 1.0), degree=st.integers(1, 7))
def test_affine_power(isa, G, scale, offset, degree):
    tile, outside = framed(G)
    assert polynomial.affine_power(tile, scale, offset, degree)
    base = scale * wide(G) + offset
    close(tile, base**degree, degree * (2 * abs(scale) + abs(offset)) ** degree)
    outside.check()


@given(G=tiles(), coefficients=st.lists(st.floats(-2.0, 2.0), max_size=6))
def test_horner(isa, G, coefficients):
    tile, outside = framed(G)
    assert polynomial.horner(tile, np.array(coefficients))
    close(tile, np.polyval(coefficients, wide(G)) if coefficients else 0.0, 100.0)
    outside.check()


@all_types
@pytest.mark.parametrize("degree", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("place", [0, 16, 299])
@pytest.mark.parametrize("entry", [np.inf, -np.inf, np.nan])
def test_results_that_are_not_finite_are_reported(isa, dtype, degree, place, entry):
    for function, options in (
        (polynomial.affine_power, (1.0, 0.0, degree)),
        (polynomial.horner, (np.ones(degree + 1),)),
    ):
        G = np.zeros((3, 300), dtype=dtype)
        assert function(G.copy(), *options)
        G[1, place] = entry
        with np.errstate(invalid="ignore"):
            assert not function(G, *options)


@all_types
def test_an_overflow_is_reported(isa, dtype):
    big = float(np.finfo(dtype).max) / 4
    assert polynomial.affine_power(np.full((2, 9), big, dtype=dtype), 1.0, 0.0, 1)
    assert not polynomial.affine_power(np.full((2, 9), big, dtype=dtype), 1.0, 0.0, 2)
    assert not polynomial.horner(np.full((2, 9), big, dtype=dtype), np.ones(3))


def test_wrong_arguments_are_named():
    G = np.ones((2, 3))
    power = {"G": G, "scale": 1.0, "offset": 0.0, "degree": 2}
    refuses(polynomial.affine_power, power, {"G"}, free={"G"}, chooses={"G"})
    with pytest.raises(ValueError, match=r"^affine_power: degree must be at least 1; got 0"):
        polynomial.affine_power(G, 1.0, 0.0, 0)
    both = {"G": G, "coefficients": np.ones(2)}
    refuses(polynomial.horner, both, {"G"}, free={"G", "coefficients"}, chooses={"G"})
