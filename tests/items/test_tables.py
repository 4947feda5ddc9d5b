"""Tables: one content, one fingerprint, whatever library holds it."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from mercer.items import Anything, Categories, Documents, Objects, Table, Vectors
from mercer.items.tables import view

COLUMNS = {"x": [1.5, 2.0, 3.0], "n": [1, 2, 3], "t": ["a b", "c", ""], "flag": [True, False, True]}
MAKERS = [dict, pd.DataFrame, pl.DataFrame, pa.table]


@pytest.mark.parametrize("make", MAKERS)
def test_one_fingerprint_in_every_library(make):
    table = Table.check(make(COLUMNS), "test")
    assert table.fingerprint() == Table.check(COLUMNS, "test").fingerprint()
    assert table.keys() == Table.check(COLUMNS, "test").keys()
    assert table[1:].fingerprint() == Table.check({k: v[1:] for k, v in COLUMNS.items()}, "test").fingerprint()


def test_number_types_do_not_change_the_fingerprint():
    narrow = {"x": np.array(COLUMNS["x"], dtype=np.float32), "n": np.array([1, 2, 3], dtype=np.int8)}
    wide = {"x": COLUMNS["x"], "n": [1.0, 2.0, 3.0]}
    assert Table.check(narrow, "test").fingerprint() == Table.check(wide, "test").fingerprint()


def test_names_and_order_of_columns_are_part_of_a_table():
    prints = [{"a": [1], "b": [2]}, {"b": [2], "a": [1]}, {"a": [2], "b": [1]}, {"a": [1], "c": [2]}]
    assert len({Table.check(X, "test").fingerprint() for X in prints}) == 4


@pytest.mark.parametrize("make", MAKERS)
def test_rows_are_dicts_for_functions_of_a_whole_row(make):
    assert Table.check(make(COLUMNS), "test").values[1] == {"x": 2.0, "n": 2, "t": "c", "flag": False}


@pytest.mark.parametrize("make", MAKERS[1:])
@pytest.mark.parametrize("kind", [Objects, Anything])
def test_a_frame_of_objects_is_its_rows_not_its_columns(make, kind):
    assert len(kind.check(make(COLUMNS), "test")) == 3
    assert len(kind.check(make({"x": []}), "test")) == 0


def test_a_matrix_stays_vectors():
    assert isinstance(Table.check(np.eye(3), "test"), Vectors)
    assert isinstance(Table.check([[1.0, 2.0]], "test"), Vectors)


def test_single_precision_columns_stay_single():
    X = Table.check({"x": np.ones(2, dtype=np.float32), "y": np.ones(2, dtype=np.float32)}, "test")
    assert view(X, ("x", "y"), Vectors, "test").dtype == np.float32


def test_views_are_of_the_kind_asked_for():
    X = Table.check(COLUMNS, "test")
    assert view(X, ("x", "n"), Vectors, "test").values.tolist() == [[1.5, 1.0], [2.0, 2.0], [3.0, 3.0]]
    assert view(X, ("flag",), Vectors, "test").values.tolist() == [[1.0], [0.0], [1.0]]
    assert view(X, ("t",), Documents, "test").values == COLUMNS["t"]
    assert view(X, ("n", "t"), Categories, "test").values == [(1, "a b"), (2, "c"), (3, "")]
    assert list(view(X, ("t", "x"), Table, "test").columns) == ["t", "x"]
    assert view(X, ("x", "x"), Vectors, "test").width == 2


def test_categories_keep_integers_that_floats_cannot_hold():
    X = Table.check({"id": [2**60, 2**60 + 1], "x": [0.5, 0.5]}, "test")
    rows = view(X, ("id", "x"), Categories, "test").values
    assert rows[0] != rows[1]


def test_object_columns_of_numbers_are_numbers():
    frame = pd.DataFrame({"x": pd.Series([1, 2.5], dtype=object)})
    assert view(Table.check(frame, "test"), ("x",), Vectors, "test").values.tolist() == [[1.0], [2.5]]


def test_names_of_columns_may_be_numbers_in_pandas():
    X = Table.check(pd.DataFrame(np.arange(6.0).reshape(3, 2)), "test")
    assert view(X, (1,), Vectors, "test").values.ravel().tolist() == [1.0, 3.0, 5.0]


def test_a_long_text_in_a_column_costs_no_more_than_itself():
    long = "a" * 10**6
    assert Table.check({"t": [long] + ["b"] * 10}, "test").columns["t"][0] is long


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ({}, ValueError, "at least one column"),
        ({"a": [1, 2], "b": [1]}, ValueError, r"columns of one length; got \{'a': 2, 'b': 1\}"),
        ({"a": "text"}, TypeError, "str in column 'a'"),
        ({"a": 3}, TypeError, "int in column 'a'"),
        ("text", TypeError, "a data frame, a dict of columns or a matrix; got str"),
        (pl.DataFrame(COLUMNS).lazy(), TypeError, r"X\.collect\(\)"),
    ],
)
def test_bad_tables(X, error, message):
    with pytest.raises(error, match=message):
        Table.check(X, "test")
