"""Strings and documents: what is accepted, and what is refused with a cure (I1)."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import coo_array, csr_array

from mercer.items import Documents, Strings

TEXTS = ["ab", "", "c d"]


@pytest.mark.parametrize("kind", [Strings, Documents])
@pytest.mark.parametrize("make", [list, tuple, np.array, pd.Series, pl.Series, pa.array, lambda X: np.array(X, object)])
def test_columns_of_every_library_are_lists_of_texts(kind, make):
    items = kind.check(make(TEXTS), "test")
    assert items.values == TEXTS
    assert all(type(text) is str for text in items.values)
    assert items.fingerprint() == kind.check(TEXTS, "test").fingerprint()


@pytest.mark.parametrize("kind", [Strings, Documents])
def test_token_lists_may_be_ragged_I1(kind):
    assert kind.check([["a", "b"], (), np.array(["c"])], "test").values == [("a", "b"), (), ("c",)]


def test_strings_may_be_bytes_or_integers_I1():
    assert Strings.check([b"ab", np.bytes_(b"c")], "test").letters is bytes
    assert Strings.check([[1, 2, 3], [4]], "test").values == [(1, 2, 3), (4,)]
    assert Strings.check([np.array([1, 2])], "test").letters is tuple


@pytest.mark.parametrize("kind", [Strings, Documents])
@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([1.0, 2.0], TypeError, "float in row 0.*Numbers need a vector kernel"),
        (np.array([1, 2]), TypeError, "int in row 0"),
        (["a", 3], TypeError, "int in row 1"),
        ([{"a"}], TypeError, "set in row 0.*no order"),
        (["a", ["b"]], TypeError, "of one form; got str in row 0 and tokens in row 1"),
        ([[0.5, 1.5]], TypeError, "the real number 0.5 in row 0"),
        ([np.array([0.5])], TypeError, "the real number 0.5 in row 0"),
        ([["a"], [["b"]]], TypeError, "hashable tokens; got .*list.* in row 1"),
        (["a", None], ValueError, "text in every row; got None in row 1"),
        (pd.Series(["a", np.nan]), ValueError, "got nan in row 1"),
        ([["a"], ["b", None]], ValueError, "tokens without gaps; got None in row 1"),
        (pd.DataFrame({"t": ["a"]}), TypeError, r"got DataFrame.*On\(column, kernel\)|of shape \(1, 1\).*On"),
        (pa.table({"t": ["a"]}), TypeError, "On\\(column, kernel\\)"),
        (np.array([["a", "b"]]), TypeError, r"shape \(1, 2\)"),
        (np.zeros((2, 2, 2)), TypeError, r"shape \(2, 2, 2\)"),
        ([np.eye(2)], TypeError, "ndarray in row 0"),
        (pl.DataFrame({"t": ["a"]}).lazy(), TypeError, "got LazyFrame"),
    ],
)
def test_bad_text(kind, X, error, message):
    with pytest.raises(error, match=message):
        kind.check(X, "test")


@pytest.mark.parametrize("X", [np.eye(2), csr_array(np.eye(2))])
def test_vectors_are_no_strings_I1(X):
    with pytest.raises(TypeError, match=r"of shape \(2, 2\)\. Numbers need a vector kernel"):
        Strings.check(X, "test")


def test_strings_and_bytes_do_not_mix_I1():
    with pytest.raises(TypeError, match="str in row 0 and bytes in row 1"):
        Strings.check(["a", b"a"], "test")


def test_bytes_are_no_documents():
    with pytest.raises(TypeError, match=r"bytes in row 0.*decode"):
        Documents.check([b"a"], "test")


@pytest.mark.parametrize("make", [np.array, csr_array, coo_array, lambda X: np.array(X, dtype=np.float32)])
def test_counts_come_dense_or_sparse(make):
    counts = [[1, 0], [0, 2]]
    items = Documents.check(make(counts), "test")
    assert items.width == 2
    assert items.fingerprint() == Documents.check(np.array(counts), "test").fingerprint()
    assert items[np.array([1])].values.toarray().tolist() == [[0.0, 2.0]]


def test_how_a_sparse_matrix_is_stored_is_not_part_of_the_counts():
    stored = csr_array(np.array([[1.0, 0.0], [0.0, 2.0]]))
    with_zero = csr_array((np.array([1.0, 0.0, 2.0]), np.array([0, 1, 1]), np.array([0, 2, 3], dtype=np.int64)))
    assert Documents.check(with_zero, "test").fingerprint() == Documents.check(stored, "test").fingerprint()
    assert with_zero.nnz == 3  # and the user's matrix is left alone


def test_rows_of_integers_are_ambiguous():
    with pytest.raises(TypeError, match=r"a list of integers in row 0.*np\.asarray"):
        Documents.check([[2, 0, 1]], "test")


@pytest.mark.parametrize("make", [np.array, csr_array])
def test_negative_counts_are_refused_with_their_row_K17(make):
    with pytest.raises(ValueError, match=r"counts must be >= 0; got -2\.0 in row 1"):
        Documents.check(make([[1.0, 0.0], [3.0, -2.0], [-1.0, 0.0]]), "test")


def test_counts_must_be_finite():
    with pytest.raises(ValueError, match="finite"):
        Documents.check(np.array([[np.nan]]), "test")


def test_a_long_text_costs_no_more_than_itself():
    """A numpy array of texts would be as wide as the longest one."""
    long = "a" * 10**6
    assert Strings.check([long] + ["b"] * 10, "test").values[0] is long
