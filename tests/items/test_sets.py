"""Sets and unions of intervals: what is accepted, and what is refused with a cure (I1)."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.items import Intervals, Sets

pairs = st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted)


def test_lists_lose_their_duplicates():
    assert Sets.check([[1, 1, 2], (3,), {4}, frozenset(), np.array([5, 5])], "test").values == [
        {1, 2},
        {3},
        {4},
        set(),
        {5},
    ]


@pytest.mark.parametrize("make", [list, pd.Series, pl.Series])
def test_columns_of_lists_are_sets(make):
    assert Sets.check(make([["a", "b"], ["c"]]), "test").values == [{"a", "b"}, {"c"}]


def test_the_order_of_elements_is_not_part_of_a_set():
    assert Sets.check([["b", "a", 1]], "test").fingerprint() == Sets.check([[1, "a", "b"]], "test").fingerprint()


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (["abc"], TypeError, r"str in row 0.*set\(text\)"),
        ([{1}, 2], TypeError, "int in row 1"),
        ([[{1}]], TypeError, "hashable elements; got .*set.* in row 0"),
        ([{1}, {np.nan, 2}], ValueError, "without missing elements; got nan in row 1"),
        ([{None}], ValueError, "got None in row 0"),
        ([None], TypeError, "NoneType in row 0"),
        (np.eye(2), TypeError, r"shape \(2, 2\)\. Numbers need a vector kernel"),
    ],
)
def test_bad_sets(X, error, message):
    with pytest.raises(error, match=message):
        Sets.check(X, "test")


@given(st.lists(pairs, max_size=6))
def test_a_union_of_intervals_is_kept_as_disjoint_ones_in_order(union):
    merged = Intervals.check([union], "test").values[0]
    assert (merged[1:, 0] > merged[:-1, 1]).all()
    for point in np.arange(0, 20, 0.5):
        assert any(low <= point <= high for low, high in union) == any(low <= point <= high for low, high in merged)


@given(st.lists(pairs, min_size=1, max_size=5))
def test_equal_unions_have_equal_fingerprints(union):
    low, high = union[0]
    same = [[low, (low + high) / 2], [(low + high) / 2, high], *union[:0:-1]]
    assert Intervals.check([union], "test").fingerprint() == Intervals.check([same], "test").fingerprint()


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([[(0, 1, 2)]], TypeError, r"unions of intervals; got .* in row 0\. Write a list of \(low, high\) pairs"),
        ([(0, 1)], TypeError, "in row 0"),
        ([["ab"]], TypeError, "in row 0"),
        ([[], 3.0], TypeError, "in row 1"),
        ([[(1, 0)]], ValueError, "low <= high"),
        ([[(0, np.nan)]], ValueError, "finite"),
    ],
)
def test_bad_intervals(X, error, message):
    with pytest.raises(error, match=message):
        Intervals.check(X, "test")
