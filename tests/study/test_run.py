"""study.run: every method of Table 14.1 on one table, tuned and judged, whatever the table holds (M35, M37)."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import accuracy_score, r2_score

from mercer import study
from mercer.comparison.methods import baselines
from mercer.errors import TableError
from mercer.kernels import RBF, Linear, On
from mercer.study.run import MACHINES
from mercer.study.sample import drawn, sample_of
from mercer.tables import Table

rng = np.random.default_rng(0)
n = 80
X = rng.normal(size=(n, 2))
FAST = ["svm", "ridge"]


def table(columns, **kinds):
    """A table of these columns; arrays of floats are numeric, others categorical unless said otherwise."""
    found = {
        name: np.asarray(c, float) if np.asarray(c).dtype.kind == "f" else np.array(c, object)
        for name, c in columns.items()
    }
    guess = {name: "numeric" if c.dtype.kind == "f" else "categorical" for name, c in found.items()}
    return Table("test", found, guess | kinds)


labels = np.where(X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=n) > 0.0, "yes", "no").astype(object)
numbers = np.sin(X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n)
CLASSES = table({"a": X[:, 0], "b": X[:, 1], "y": labels})
NUMBERS = table({"a": X[:, 0], "b": X[:, 1], "y": numbers})
MIXED = table({"a": X[:, 0], "c": rng.choice(["u", "v", "w"], n), "t": [f"word{i % 3} and more {i}" for i in range(n)],
               "y": labels}, t="text")  # fmt: skip


def without_seconds(found):
    return [replace(row, fit_seconds=None, predict_seconds=None, tune_seconds=None) for row in found.comparison]


@pytest.fixture(scope="module")
def classes():
    return study.run(CLASSES, "y")


@pytest.fixture(scope="module")
def regression():
    return study.run(NUMBERS, "y")


# ---- what comes out


def test_m35_all_rows_of_the_table_and_all_baselines_have_a_result(classes, regression):
    for found, task in ((classes, "classification"), (regression, "regression")):
        assert [row.name for row in found.comparison] == [*MACHINES[task], *baselines(task)]
        assert [row.error for row in found.comparison] == [None] * len(found.comparison)


def test_m35_kernel_machines_see_what_no_line_can(classes):
    scores = {row.name: row.score for row in classes.comparison}
    assert min(scores[name] for name in ("svm", "gp", "rvm", "klr")) > scores["logistic regression"] + 0.15


def test_scores_are_those_of_the_fitted_machines_on_the_rows_held_out(classes, regression):
    for found, score in ((classes, accuracy_score), (regression, r2_score)):
        for name, machine in found.fitted.items():
            expected = score(found.sample.y[found.sample.test], machine.predict(found.held_out(name)))
            assert_allclose(found.comparison[name].score, expected)


def test_the_rows_held_out_have_no_part_in_scaling():
    far = {name: column.copy() for name, column in NUMBERS.columns.items()}
    before = sample_of(NUMBERS, "y", None, None, 0.25, 1000, 0)
    far["a"][before.test] += 1e6
    after = sample_of(replace(NUMBERS, columns=far), "y", None, None, 0.25, 1000, 0)
    assert np.array_equal(after.test, before.test)
    assert np.array_equal(after.X[after.train], before.X[before.train])
    assert after.kernel == before.kernel


def test_the_same_seed_gives_the_same_numbers(classes):
    again = study.run(CLASSES, "y", methods=["rvm", "svm", "qda"])
    assert without_seconds(again) == [row for row in without_seconds(classes) if row.name in ("svm", "rvm", "qda")]
    other = study.run(CLASSES, "y", methods=["svm"], random_state=1)
    assert not np.array_equal(other.sample.test, again.sample.test)


def test_machines_are_searched_and_say_what_they_chose(classes, regression):
    svm = classes.sensitivity("svm")
    assert len(svm.mean) == 25
    assert set(svm.params[0]) == {"lengthscale", "C"}
    assert max(svm.mean) == classes.fitted["svm"].best_score_
    assert "C = " in classes.comparison["svm"].settings
    assert "lengthscale " in classes.comparison["svm"].settings
    assert classes.sensitivity("rvm").score == "minus log loss"
    assert classes.sensitivity("l2vm").score == "log evidence"
    assert len(regression.sensitivity("ridge").mean) == 25
    assert classes.sensitivity("gp") is None
    assert classes.sensitivity("dummy") is None


def test_probabilities_of_platt_belong_to_the_same_machine(classes):
    svm, platt = classes.comparison["svm"], classes.comparison["svm + platt"]
    assert (svm.log_loss, svm.n_kept) == (None, platt.n_kept)
    assert 0.0 < platt.log_loss < 1.0


def test_kept_rows_are_rows_of_training(classes):
    for name in ("svm", "rvm", "l1vm"):
        kept = classes.kept(name)
        assert np.isin(kept, classes.sample.train).all()
        assert len(kept) == classes.comparison[name].n_kept
    assert classes.kept("lda") is None


def test_it_is_json(classes):
    found = json.loads(json.dumps(classes.to_dict()))
    assert found["target"] == "y"
    assert found["columns"] == {"a": "numeric", "b": "numeric"}
    assert {row["name"] for row in found["rows"]} >= {"svm", "rvm", "gp"}


# ---- rows and time


def test_a_large_table_is_drawn_from_with_classes_in_proportion():
    y = np.repeat(["a", "b", "c"], [900, 90, 10])
    some = drawn(y, 100, "classification", np.random.default_rng(0))
    assert dict(zip(*np.unique(y[some], return_counts=True), strict=True)) == {"a": 90, "b": 9, "c": 4}
    assert len(np.unique(some)) == len(some)


def test_fewer_rows_are_said_in_the_notes():
    found = study.run(CLASSES, "y", methods=["svm"], max_rows=40)
    assert len(found.sample.y) == 40
    assert "40 of 80 rows take part, drawn at random" in found.sample.notes
    assert ("rows", "40") in found.asked


def test_a_method_with_fewer_rows_says_so(monkeypatch):
    from mercer.study import tuning

    plans = tuning.PLANS["classification"]
    monkeypatch.setitem(plans, "gp", replace(plans["gp"], most=30))
    row = study.run(CLASSES, "y", methods=["gp"]).comparison["gp"]
    assert (row.n_train, row.note) == (30, "fitted to 30 of 60 rows")


def test_time_that_is_over_leaves_rows_without_a_result():
    found = study.run(CLASSES, "y", methods=["dummy", "svm", "gp"], time_limit=1e-9 + 1.0)
    assert found.comparison["dummy"].error is None
    with pytest.raises(ValueError, match="no time was left"):
        study.run(CLASSES, "y", methods=["svm"], time_limit=1e-9)


def test_progress_is_told():
    told = []
    study.run(CLASSES, "y", methods=["dummy", "lda"], progress=lambda *what: told.append(what))
    assert told == [(0, 2, "dummy"), (1, 2, "lda"), (2, 2, "")]


# ---- tables of all kinds


def test_mixed_columns_with_gaps_and_a_text_run_in_every_method():
    columns = {name: c.copy() for name, c in MIXED.columns.items()}
    columns["a"][:9], columns["c"][5:12], columns["t"][::20] = np.nan, None, None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = study.run(
            replace(MIXED, columns=columns), "y", methods=["rvm", "svm", "gp", *baselines("classification")]
        )
    errors = {row.name: row.error for row in found.comparison if row.error}
    assert set(errors) <= {"qda"}  # as many indicators as rows of a class


def test_a_table_of_one_text_has_baselines_on_its_words():
    words = [
        ("cheap pills now " if label == "yes" else "see you soon ") + f"dear {i % 7}" for i, label in enumerate(labels)
    ]
    found = study.run(
        table({"t": words, "y": labels}, t="text"), "y", methods=["svm", "logistic regression", "naive bayes"]
    )
    assert [row.score for row in found.comparison] == [1.0, 1.0, 1.0]


def test_a_kernel_may_be_given_as_text_or_object():
    by_text = study.run(CLASSES, "y", kernel="On(['b'], RBF(2.0))", methods=["svm"])
    by_object = study.run(CLASSES, "y", kernel=On(["b"], RBF(2.0)), methods=["svm"])
    assert without_seconds(by_text) == without_seconds(by_object)
    assert (
        study.run(CLASSES, "y", kernel=Linear(), methods=["svm"]).comparison["svm"].score
        < by_text.comparison["svm"].score + 0.5
    )


def test_units_of_the_target_do_not_matter():
    found = study.run(NUMBERS, "y", methods=["svm", "ridge", "gp"])
    columns = NUMBERS.columns | {"y": 1e4 * NUMBERS.columns["y"]}
    scaled = study.run(replace(NUMBERS, columns=columns), "y", methods=["svm", "ridge", "gp"])
    assert_allclose([r.score for r in scaled.comparison], [r.score for r in found.comparison], atol=5e-3)


def test_rare_classes_are_left_out_and_named():
    y = labels.copy()
    y[:2] = "once"
    found = study.run(table({"a": X[:, 0], "b": X[:, 1], "y": y}), "y", methods=["svm", "klr"])
    assert "2 rows of classes with fewer than 4 rows were left out: once" in found.sample.notes
    assert len(found.sample.y) == n - 2


def test_three_classes():
    y = np.digitize(X[:, 0], [-0.4, 0.4]).astype(float)
    found = study.run(table({"a": X[:, 0], "b": X[:, 1], "y": y}), "y", methods=["svm", "svm + platt"])
    assert found.sample.task == "classification"
    assert min(row.score for row in found.comparison) > 0.7


def test_one_column_and_an_empty_column():
    found = study.run(table({"a": X[:, 0], "none": np.full(n, np.nan), "y": numbers}), "y", methods=FAST)
    assert [row.error for row in found.comparison] == [None, None]
    alone = study.run(table({"a": X[:, 0], "y": labels}), "y", methods=["svm", "rvm"])
    assert [row.error for row in alone.comparison] == [None, None]


def test_a_failure_is_a_row_with_its_error():
    twice = table({"a": X[:, 0], "b": X[:, 0], "y": labels})
    found = study.run(twice, "y", methods=["qda", "svm"])
    assert "LinAlgError" in found.comparison["qda"].error
    assert found.comparison["svm"].score is not None


# ---- what is refused


@pytest.mark.parametrize(("columns", "fault"), [
    ({"a": X[:, 0], "y": ["same"] * n}, "nothing to learn"),
    ({"a": X[:, 0], "y": np.ones(n)}, "nothing to learn"),
    ({"a": X[:3, 0], "y": ["u", "v", "u"]}, "at least 12 rows"),
    ({"a": X[:, 0], "y": [f"id {i}" for i in range(n)]}, "at least 12 rows"),
])  # fmt: skip
def test_tables_from_which_nothing_can_be_learnt(columns, fault):
    with pytest.raises(ValueError, match=fault):
        study.run(table(columns), "y")


@pytest.mark.parametrize(("options", "fault"), [
    ({"target": "z"}, "got 'z'"),
    ({"kernel": "On(['z'], RBF())"}, "one of"),
    ({"kernel": "import os"}, "parse"),
    ({"methods": ["ridge"]}, "for classification"),
    ({"methods": ["nonsense"]}, "nonsense"),
    ({"methods": []}, "one or more"),
    ({"test_size": 1.0}, "share between 0 and 1"),
    ({"max_rows": 0}, "positive"),
    ({"time_limit": 0.0}, "positive number of seconds"),
])  # fmt: skip
def test_options_that_make_no_sense(options, fault):
    with pytest.raises((ValueError, TableError), match=fault):
        study.run(CLASSES, **({"target": "y"} | options))


def test_hyper_parameters_that_a_process_chose_are_told(classes):
    gp = classes.fitted["gp"]
    told = classes.comparison["gp"].settings
    for name, value in zip(gp.kernel_.theta_names, np.exp(gp.kernel_.theta), strict=True):
        assert f"{name} {value:.3g}" in told


def test_relevance_vectors_are_not_given_a_kernel_so_narrow_that_they_fit_the_noise():
    """By evidence they kept half of the rows and an R^2 of 0.57 where ridge regression had 0.92."""
    own = np.random.default_rng(3)
    Z = own.normal(size=(900, 6))
    smooth = np.exp(0.6 * Z[:, 0]) + 0.5 * np.sin(2.0 * Z[:, 1]) * Z[:, 2] + 0.3 * Z[:, 3]
    columns = dict(zip("abcdef", Z.T, strict=True)) | {"y": smooth + 0.15 * own.normal(size=900)}
    found = study.run(table(columns), "y", methods=["rvm", "ridge"]).comparison
    assert found["rvm"].score > found["ridge"].score - 0.1
