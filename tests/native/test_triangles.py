"""Mirrored triangles against the same in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from tests.native.refusals import refuses
from tests.native.shapes import framed, numbers, seeds, sides
from tests.native.tiles import entries, every

from mercer.native import triangles


@st.composite
def squares(draw, dtypes=every):
    n = draw(sides)
    return entries(draw(seeds), (n, n), draw(dtypes))


@given(A=squares())
def test_mirror_lower(isa, A):
    view, outside = framed(A)
    triangles.mirror_lower(view)
    assert_array_equal(view, np.tril(A) + np.tril(A, -1).conj().T)
    outside.check()


@given(A=squares())
def test_mirror_upper(isa, A):
    view, outside = framed(A)
    triangles.mirror_upper(view)
    assert_array_equal(view, np.triu(A) + np.triu(A, 1).conj().T)
    outside.check()


@given(n=sides, seed=seeds)
def test_largest(isa, n, seed):
    A = numbers(seed, (n, n), float) + 100.0 * np.triu(np.ones((n, n)), 1)
    assert triangles.largest(framed(A)[0]) == np.abs(np.tril(A)).max(initial=0.0)


@pytest.mark.parametrize("name", ["mirror_lower", "mirror_upper", "largest"])
def test_wrong_arguments_are_named(name):
    written, typed = ({"A"}, {"A"}) if name != "largest" else (set(), set())
    refuses(getattr(triangles, name), {"A": np.ones((3, 3))}, written, chooses=typed)
    with pytest.raises(ValueError, match=f"^{name}: A must be square; got 2 rows and 3 columns"):
        getattr(triangles, name)(np.ones((2, 3)))
