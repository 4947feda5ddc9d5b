"""Bytes of hashable values: equal values, equal bytes."""

import datetime
import enum

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.items.symbols import in_order, is_missing, symbol_bytes

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
symbols = st.recursive(scalars, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=6)


@given(symbols, symbols)
def test_bytes_are_equal_exactly_where_values_are(a, b):
    assert (symbol_bytes(a) == symbol_bytes(b)) == (a == b)


@given(st.lists(st.text(max_size=3), max_size=3), st.lists(st.text(max_size=3), max_size=3))
def test_joined_bytes_do_not_run_into_each_other(a, b):
    assert (b"".join(map(symbol_bytes, a)) == b"".join(map(symbol_bytes, b))) == (a == b)


class Size(enum.StrEnum):
    small = "S"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, 1.0),
        (True, 1),
        (np.int8(3), 3),
        (np.str_("a"), "a"),
        (-0.0, 0),
        (np.float32(0.5), 0.5),
        (Size.small, "S"),
        (pd.Timestamp("2020-01-02"), datetime.datetime(2020, 1, 2)),
        (np.array([1, 2]), (1, 2)),
    ],
)
def test_equal_values_of_different_types(a, b):
    assert symbol_bytes(a) == symbol_bytes(b)


def test_an_object_that_prints_its_address_has_no_fingerprint():
    with pytest.raises(TypeError, match=r"print their content.*Give object a __repr__"):
        symbol_bytes(object())


@pytest.mark.parametrize("gap", [None, np.nan, float("nan"), pd.NA, pd.NaT, np.float32("nan")])
def test_gaps(gap):
    assert is_missing(gap)


@pytest.mark.parametrize("value", ["", 0, False, b"", (), "nan", np.float64(0.0), np.str_("x")])
def test_no_gaps(value):
    assert not is_missing(value)


def test_order_does_not_depend_on_the_order_given():
    assert in_order({3, 1, 2}) == [1, 2, 3]
    mixed = ["a", 1, ("b",), b"x"]
    assert in_order(mixed) == in_order(mixed[::-1])
