"""Scaled parts of a symmetric matrix in single precision, against the same in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.native.refusals import refuses
from tests.native.shapes import framed, numbers, seeds, sides
from tests.native.tiles import real

from mercer.native import halves


@given(dtype=real, n=sides, share=st.sampled_from([0.0, 0.5, 1.0]), least=st.sampled_from([0.0, 0.2, 5.0]), seed=seeds)
def test_scaled_half(isa, dtype, n, share, least, seed):
    K, s = numbers(seed, (n, n), dtype), numbers(seed + 1, n, float)
    items = np.flatnonzero(np.random.default_rng(seed).random(n) < share)
    A, outside = framed(np.full((len(items), len(items)), 99.0, dtype=np.float32))
    halves.scaled_half(framed(K)[0], items, s, least, A)
    exact = (s[:, None] * s * K.astype(float))[np.ix_(items, items)]
    lower = np.tril_indices(len(items))
    expected = np.where(np.abs(exact) >= least, exact, 0.0)
    sure = (
        np.abs(np.abs(exact[lower]) - least) > 1e-14
    )  # entries whose size is `least` up to rounding may go either way
    assert_allclose(A[lower][sure], expected[lower][sure], rtol=1e-6)
    assert_array_equal(A[np.triu_indices(len(items), 1)], 99.0)
    outside.check()


@pytest.mark.parametrize("place", [-1, 4])
def test_items_that_are_not_there_are_refused(place):
    A = np.zeros((2, 2), dtype=np.float32)
    with pytest.raises(ValueError, match=f"^scaled_half: items must be indices from 0 to below 4; got {place}"):
        halves.scaled_half(np.ones((4, 4)), np.array([0, place]), np.ones(4), 0.0, A)


def test_wrong_arguments_are_named():
    K, items, s, A = np.ones((4, 4)), np.array([0, 2, 3]), np.ones(4), np.zeros((3, 3))
    arguments = {"K": K, "items": items, "s": s, "least": 0.0, "A": A.astype(np.float32)}
    refuses(halves.scaled_half, arguments, {"A"}, free={"K", "items"}, chooses={"K", "A"})
    with pytest.raises(TypeError, match=r"^scaled_half: A must be an array of float32; got float64"):
        halves.scaled_half(K, items, s, 0.0, A)
