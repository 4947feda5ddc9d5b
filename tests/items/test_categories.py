"""Rows of categories: what is accepted, and what is refused with a cure (I1)."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from mercer.items import Categories

ROWS = [["red", 1], ["blue", 2]]
NAMED = {"colour": ["red", "blue"], "size": [1, 2]}


@pytest.mark.parametrize(
    "X",
    [
        ROWS,
        [tuple(row) for row in ROWS],
        np.array(ROWS, dtype=object),
        [np.array(row, dtype=object) for row in ROWS],
        pd.DataFrame(NAMED),
        pd.DataFrame(NAMED).astype("category"),
        pl.DataFrame(NAMED),
        pl.DataFrame(NAMED, schema={"colour": pl.Categorical, "size": pl.Int8}),
        pa.table(NAMED),
    ],
    ids=["lists", "tuples", "array", "arrays", "pandas", "pandas categories", "polars", "polars categories", "pyarrow"],
)
def test_rows_of_every_origin(X):
    items = Categories.check(X, "test")
    assert items.values == [("red", 1), ("blue", 2)]
    assert items.width == 2
    assert items.fingerprint() == Categories.check(ROWS, "test").fingerprint()


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (["red", "blue"], TypeError, r"'red' in row 0.*\[\[value\] for value in X\]"),
        (np.array(["red", "blue"]), TypeError, r"X\.reshape\(-1, 1\)"),
        ([["a", "b"], ["a"]], ValueError, "2 entries in row 0 and 1 in row 1"),
        ([[], []], ValueError, "at least one column"),
        ([["a", "b"], ["a", None]], ValueError, "got None in row 1, column 1"),
        (np.array([[1.0], [np.nan]]), ValueError, "got nan in row 1, column 0"),
        (pd.DataFrame({"c": pd.Categorical(["a", None])}), ValueError, "in row 1, column 0"),
        (pl.DataFrame({"c": ["a", None]}), ValueError, "got None in row 1, column 0"),
        ([[["a"]]], TypeError, "hashable categories; got .*list.* in row 0"),
        (csr_array(np.eye(2)), TypeError, r"shape \(2, 2\)"),
    ],
)
def test_bad_categories(X, error, message):
    with pytest.raises(error, match=message):
        Categories.check(X, "test")


def test_no_rows():
    assert len(Categories.check([], "test")) == 0
