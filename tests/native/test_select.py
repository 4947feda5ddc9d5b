"""The smallest entries of streamed rows against sorting them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from tests.native.refusals import refuses
from tests.native.shapes import framed, numbers, seeds, sides
from tests.native.tiles import real

from mercer.native import select

counts = st.sampled_from([1, 2, 3, 5, 17])


def streamed(A, count, cuts):
    """(index, value) of the smallest entries, from pieces between the cuts."""
    (index, around), (best, beyond) = (framed(np.full((len(A), count), fill)) for fill in (0, np.inf))
    for a, b in zip([0, *cuts], [*cuts, A.shape[1]], strict=True):
        select.smallest(framed(A[:, a:b])[0], a, index, best)
    around.check()
    beyond.check()
    return index, best


@given(dtype=real, n=sides, m=st.sampled_from([17, 31, 64, 65, 200, 300]), count=counts, seed=seeds, data=st.data())
def test_smallest(isa, dtype, n, m, count, seed, data):
    A = numbers(seed, (n, m), dtype)
    if data.draw(st.booleans()):
        A = np.rint(3 * A)  # ties, which go by position
    cuts = sorted(data.draw(st.lists(st.integers(0, m), max_size=3)))
    index, best = streamed(A, count, cuts)
    order = np.argsort(A, axis=1, kind="stable")[:, :count]
    assert_array_equal(index, order)
    assert_array_equal(best, np.take_along_axis(A, order, axis=1))


def test_numbers_that_are_none_are_never_among_the_smallest(isa):
    A = np.full((2, 40), np.nan)
    A[0, 17], A[1, 39] = 2.0, -1.0
    index, best = streamed(A, 2, [])
    assert_array_equal(index[:, 0], [17, 39])
    assert_array_equal(best, [[2.0, np.inf], [-1.0, np.inf]])


def test_bounds_between_two_numbers_of_single_precision_are_kept(isa):
    A, best = np.full((1, 40), 1.0, dtype=np.float32), np.full((1, 1), 1.0 + 1e-12)
    index = np.zeros((1, 1), dtype=np.intp)
    select.smallest(A, 5, index, best)
    assert (index, best) == (5, 1.0)


def test_wrong_arguments_are_named():
    arguments = {"A": np.ones((2, 5)), "start": 0, "index": np.zeros((2, 3), dtype=np.intp), "best": np.ones((2, 3))}
    refuses(select.smallest, arguments, {"index", "best"}, free={"A", "best"}, chooses={"A"})
    with pytest.raises(ValueError, match=r"^smallest: best must be at least one column wide"):
        select.smallest(np.ones((2, 5)), 0, np.zeros((2, 0), dtype=np.intp), np.zeros((2, 0)))
    with pytest.raises(ValueError, match=r"^smallest: best must be of shape"):
        select.smallest(np.ones((2, 5)), 0, np.zeros((2, 3), dtype=np.intp), np.zeros((3, 3)))
