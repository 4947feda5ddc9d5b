"""TableScaler: what it learns, what it fills, and that it works wherever scikit-learn puts it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import SVC, SVR, KernelSearchCV, TableScaler
from mercer.items import Table
from mercer.kernels import RBF, Hamming, On, TfIdf

rng = np.random.default_rng(0)
X = rng.normal(3.0, 2.0, size=(40, 3))
WORDS = ["good cat runs home", "bad dog sleeps here", "old fox eats well", "new owl sees all"]


def people(n=40):
    """Columns of every kind, with gaps."""
    age = rng.normal(40.0, 10.0, n)
    age[::7] = np.nan
    job = [None if i % 9 == 0 else "clerk" if i % 2 else "smith" for i in range(n)]
    note = [None if i % 11 == 0 else f"{WORDS[i % 4]} {i}" for i in range(n)]
    return {"age": age, "job": job, "note": note}


@parametrize_with_checks([TableScaler()])
def test_contract(estimator, check):
    check(estimator)


def test_a_matrix_is_standardised_as_by_scikit_learn():
    assert_allclose(TableScaler().fit(X).transform(X + 1.0), StandardScaler().fit(X).transform(X + 1.0), atol=1e-12)


def test_gaps_become_the_median_of_training_a_category_or_nothing():
    scaler = TableScaler().fit({"x": [1.0, 2.0, 9.0, np.nan], "c": ["u", None, "v", "u"]})
    out = scaler.transform({"x": [np.nan, 2.0], "c": [None, "v"]})
    assert_allclose(out.columns["x"][0], out.columns["x"][1])  # the median is 2
    assert out.columns["c"] == ["missing", "v"]
    texts = TableScaler({"t": "text"}).fit_transform({"t": ["one two three", None]})
    assert texts == ["one two three", ""]


@pytest.mark.parametrize("column", [[5.0, 5.0, 5.0], [np.nan] * 3, [1e300, 1e300, 1e300], [0.1 + 0.2, 0.3, 0.3]])
def test_constant_and_empty_columns_become_zero(column):
    assert_allclose(TableScaler().fit_transform({"x": column}), np.zeros((3, 1)), atol=1e-12)


def test_huge_numbers_do_not_overflow():
    out = TableScaler().fit_transform({"x": [1e308, -1e308, 1e308, 0.0]})
    assert np.isfinite(out).all()
    assert_allclose(out.std(), 1.0)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, lambda t: Table.check(t, "test"), dict])
def test_frames_of_every_library_agree(frame):
    table = people()
    expected = TableScaler().fit_transform(table)
    found = TableScaler().fit_transform(frame(table))
    assert_array_equal(found.columns["age"], expected.columns["age"])
    assert found.columns["job"] == expected.columns["job"]
    assert found.columns["note"] == expected.columns["note"]


def test_columns_go_by_name_and_missing_ones_are_named():
    scaler = TableScaler().fit({"a": [1.0, 2.0], "b": [3.0, 5.0]})
    assert_allclose(scaler.transform({"z": [0.0], "b": [5.0], "a": [1.0]}), [[-1.0, 1.0]])
    with pytest.raises(ValueError, match=r"one without \['b'\]"):
        scaler.transform({"a": [1.0]})
    with pytest.raises(TypeError, match="numbers in column 'b'"):
        scaler.transform({"a": [1.0], "b": ["x"]})
    with pytest.raises(ValueError, match="finite numbers"):
        scaler.transform({"a": [1.0], "b": [np.inf]})


def test_wrong_options_are_refused():
    with pytest.raises(ValueError, match="output must be one of"):
        TableScaler(output="list").fit(X)
    with pytest.raises(ValueError, match="kinds must be of"):
        TableScaler({"a": "number"}).fit({"a": [1.0]})


def test_a_table_can_be_asked_for():
    out = TableScaler(output="table").fit_transform({"a": [1.0, 2.0], "b": [3.0, 5.0]})
    assert On("a", RBF())(out).shape == (2, 2)


def test_sparse_rows_stay_and_are_padded():
    V = csr_array([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]])
    scaler = TableScaler().fit(V)
    assert_array_equal(scaler.transform(V).toarray(), V.toarray())
    assert scaler.transform(csr_array([[1.0]])).toarray().tolist() == [[1.0, 0.0, 0.0]]
    with pytest.raises(ValueError, match="features"):
        scaler.transform(csr_array(np.ones((1, 4))))


KERNEL = On("age", RBF(1.0)) + On("job", Hamming()) + On("note", TfIdf())


def test_a_search_fits_it_within_each_fold_and_agrees_with_scikit_learn():
    table, y = Table.check(people(), "test"), np.arange(40) % 2
    model = Pipeline([("scale", TableScaler()), ("machine", SVC(kernel=KERNEL))])
    grid = {"machine__C": [0.1, 1.0, 10.0]}
    ours, theirs = KernelSearchCV(model, grid, cv=4).fit(table, y), GridSearchCV(model, grid, cv=4).fit(table, y)
    assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    assert cross_val_score(model, table, y, cv=4).mean() == theirs.cv_results_["mean_test_score"][1]


def test_a_search_whose_machines_need_the_items_themselves():
    table, y = Table.check(people(), "test"), np.arange(40) % 2
    network = mercer.RBFNetworkClassifier(kernel=KERNEL, prototypes=3, init="medoids", random_state=0)
    model = Pipeline([("scale", TableScaler()), ("machine", network)])
    assert KernelSearchCV(model, {"machine__alpha": [0.1, 1.0]}, cv=2).fit(table, y).best_score_ > 0.0


@pytest.mark.parametrize(
    ("kernel", "kind"), [(KERNEL, "mixed"), (RBF(1.0), "numbers"), (TfIdf(), "text"), (On("x", RBF(1.0)), "named")]
)
def test_a_pipeline_with_it_survives_a_file(tmp_path, kernel, kind):
    table = people()
    data = {"mixed": table, "numbers": {"x": X[:, 0], "z": X[:, 1]}, "text": {"note": table["note"]},
            "named": {"x": X[:, 0]}}[kind]  # fmt: skip
    scaler = TableScaler(output="table" if kind == "named" else "auto", target="income")
    model = Pipeline([("scale", scaler), ("machine", SVR(kernel=kernel))]).fit(data, X[:, 2])
    mercer.save(model, tmp_path / "model.mercer")
    loaded = mercer.load(tmp_path / "model.mercer")
    assert_array_equal(loaded.predict(data), model.predict(data))
    assert loaded[0].target == "income"
    assert loaded[0].kinds_ == model[0].kinds_
    assert list(loaded[0].feature_names_in_) == list(data)
    clone(loaded)
