"""Sums of rows of a stored matrix against the same in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.native.refusals import refuses
from tests.native.shapes import framed, off_alignment, seeds, sides
from tests.native.tiles import ALL, entries, every, wide

from mercer.native import rows


@given(dtype=every, n=sides, m=sides, count=sides, seed=seeds, by=st.integers(0, 3))
def test_add_rows(isa, dtype, n, m, count, seed, by):
    K, _ = framed(entries(seed, (n, m), dtype))
    J = np.random.default_rng(seed).integers(0, n, count if n else 0)
    v = off_alignment(entries(seed, len(J), wide(K).dtype), by)
    out, outside = framed(np.ones(m, dtype=v.dtype))
    rows.add_rows(K, J, v, out)
    assert_allclose(out, 1.0 + v @ wide(K)[J], rtol=1e-12, atol=1e-13 * (1 + len(J)))
    outside.check()


@pytest.mark.parametrize("dtype", ALL)
def test_columns_may_be_summed_piece_by_piece(isa, dtype):
    K, J = entries(0, (50, 90), dtype), np.arange(2, 41)
    v = entries(1, len(J), wide(K).dtype)
    whole, pieces = np.zeros((2, 90), dtype=v.dtype)
    rows.add_rows(K, J, v, whole)
    for piece in (slice(0, 24), slice(24, 90)):
        rows.add_rows(K[:, piece], J, v, pieces[piece])
    assert_allclose(pieces, whole, rtol=1e-13)


@pytest.mark.parametrize("place", [-1, 3, 2**62])
def test_rows_that_are_not_there_are_refused(place):
    out = np.zeros(4)
    with pytest.raises(ValueError, match=f"^add_rows: J must be indices from 0 to below 3; got {place}"):
        rows.add_rows(np.ones((3, 4)), np.array([0, place, 1]), np.ones(3), out)
    assert_array_equal(out, 0.0)


def test_wrong_arguments_are_named():
    arguments = {"K": np.ones((3, 4)), "J": np.arange(2), "v": np.ones(2), "out": np.zeros(4)}
    refuses(rows.add_rows, arguments, {"out"}, free={"K", "J"}, chooses={"K"})
    with pytest.raises(TypeError, match=r"^add_rows: v must be an array of complex128; got float64"):
        rows.add_rows(np.ones((3, 4), dtype=complex), np.arange(2), np.ones(2), np.zeros(4, dtype=complex))
