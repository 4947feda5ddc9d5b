"""The verbs on small tables: what is fitted is saved, predicted and proved again; --json parses."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import mercer
from mercer.cli.main import run

rng = np.random.default_rng(0)
N = 60


def written(path, columns):
    with open(path, "w", newline="", encoding="utf8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return str(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def numbers(folder):
    x, z = rng.normal(size=(2, N))
    return written(folder / "numbers.csv", {"x": x, "z": z, "height": np.sin(x) + z + 0.05 * rng.normal(size=N)})


@pytest.fixture(scope="module")
def mixed(folder):
    """Numbers, categories and text with gaps; the label follows from them."""
    label = np.where(np.arange(N) % 2 == 0, "yes", "no")
    age = [("" if i % 10 == 0 else 30.0 + 20.0 * (w == "yes") + i % 5) for i, w in enumerate(label)]
    job = ["?" if i % 7 == 0 else ("smith" if w == "yes" else "clerk") for i, w in enumerate(label)]
    text = [f"number {i} likes {'long walks' if w == 'yes' else 'loud music'} a lot" for i, w in enumerate(label)]
    return written(folder / "mixed.csv", {"age": age, "job": job, "text": text, "label": label})


def result(capsys, *arguments):
    """The JSON that a verb prints."""
    assert run([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def predictions(capsys, *arguments) -> list[dict[str, str]]:
    assert run(["predict", *map(str, arguments)]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


@pytest.mark.parametrize("method", ["svm", "ridge", "gp", "rvm", "l1vm", "l2vm", "rfm"])
def test_regression_is_fitted_saved_and_predicted(capsys, numbers, tmp_path, method):
    found = result(capsys, "fit", numbers, "--method", method, "-o", tmp_path / "m.mercer")
    assert found["R^2 on training rows"] > 0.5
    assert found["certificate"]
    assert isinstance(mercer.parse(found["kernel"]), mercer.kernels.Kernel)
    rows = predictions(capsys, tmp_path / "m.mercer", numbers)
    expected = mercer.load(tmp_path / "m.mercer").predict(mercer.tables.read(numbers).items)
    assert np.array_equal([float(row["prediction"]) for row in rows], expected)
    assert ("std" in rows[0]) == (method in ("gp", "rvm", "l2vm"))


@pytest.mark.parametrize("method", ["svm", "gp", "rvm", "l1vm", "l2vm", "klr", "knn"])
def test_classification_of_mixed_columns_with_gaps(capsys, mixed, tmp_path, method):
    found = result(capsys, "fit", mixed, "--method", method, "-o", tmp_path / "m.mercer")
    assert found["accuracy on training rows"] > 0.9
    assert run(["predict", str(tmp_path / "m.mercer"), mixed]) == 0
    out, err = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(out)))
    assert "rows with a known 'label'" in err
    assert {row["prediction"] for row in rows} == {"yes", "no"}
    if method != "svm":
        assert all(abs(float(row["p(yes)"]) + float(row["p(no)"]) - 1.0) < 1e-9 for row in rows)


def test_a_machine_that_learns_its_kernel_is_given_none(capsys, numbers):
    assert run(["fit", numbers, "--method", "rfm", "--kernel", "rbf"]) == 2
    assert "left out for rfm, which learns its own" in capsys.readouterr().err


def test_rows_can_be_drawn_and_too_many_are_told_of(capsys, tmp_path):
    x = np.arange(5000.0)
    data = written(tmp_path / "many.csv", {"x": x % 17, "y": np.sin(x % 17)})
    assert run(["fit", data, "-m", "rvm", "--rows", "50", "--json"]) == 0
    out, err = capsys.readouterr()
    assert "50 of 5000 rows are drawn" in err
    assert "may take long" not in err
    assert json.loads(out)["vectors kept"] <= 50
    assert run(["fit", data, "-m", "rvm", "--rows", "1"]) == 2


def test_many_rows_for_a_method_that_is_not_made_for_them(capsys):
    from mercer.cli.labelled_table import LabelledTable
    from mercer.tables import Table

    table = Table("t", {"x": np.arange(20_000.0)}, {"x": "numeric"})
    given = LabelledTable(table, "y", np.arange(20_000.0), "regression")
    given.warn_of("svm")
    assert capsys.readouterr().err == ""
    given.warn_of("gp")
    assert "this table has 20000" in capsys.readouterr().err


def test_a_method_of_the_other_task_is_refused(capsys, numbers, mixed):
    for data, method in ((numbers, "klr"), (mixed, "ridge")):
        assert run(["fit", data, "--method", method]) == 2
        assert f"mercer: {method}: task must be one that the method can do" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["fit", "tune"])
@pytest.mark.parametrize(
    ("method", "cure"),
    [
        ("foo", "Choose one of these."),
        ("SVM", "Did you mean 'svm'?"),
        ("rigde", "Did you mean 'ridge'?"),
        ("qda", "Only mercer compare has methods without a kernel."),
    ],
)
def test_an_unknown_method_names_the_methods_before_the_table_is_read(capsys, verb, method, cure):
    assert run([verb, "nowhere.csv", "-m", method]) == 2
    err = capsys.readouterr().err
    known = "svm, svm + platt, l2vm, l1vm, rvm, gp, klr, klda, knn, rbf network, ridge"
    assert f"--method: the method must be one of {known}" in err
    assert f"got {method!r}. {cure}" in err


def test_settings_and_kernels_are_taken(capsys, numbers, tmp_path):
    expression = "On('x', RBF(0.5)) + On(['height'], Linear())"
    found = result(capsys, "fit", numbers, "-t", "z", "-k", expression, "--set", "C=7", "-o", tmp_path / "m.mercer")
    assert found["kernel"] == expression
    model = mercer.load(tmp_path / "m.mercer")
    assert model[-1].C == 7
    assert (model[0].target, list(model[0].kinds_)) == ("z", ["x", "height"])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--set", "CC=1"], "a setting must be one of C, "),
        (["--set", "C"], "--set: value must be NAME=VALUE"),
        (["--set", "C=abc"], "C"),
        (["--kernel", "RBF(-1)"], "lengthscale"),
        (["--kernel", "TfIdf()"], "TfIdf"),
        (["--target", "hight"], "Did you mean 'height'?"),
        (["--task", "clustering"], "task must be"),
        (["--kind", "x=number"], "must be one of"),
        (["--kind", "xx=text"], "Did you mean 'x'?"),
        (["--drop", "xx"], "Did you mean 'x'?"),
        (["--format", "xls"], "format must be one of"),
    ],
)
def test_faults_of_fit(capsys, numbers, options, expected):
    assert run(["fit", numbers, *options]) == 2
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert last.startswith("mercer: ")
    assert expected in last


def test_predict_names_the_columns_that_are_missing(capsys, numbers, mixed, tmp_path):
    assert run(["fit", numbers, "-o", str(tmp_path / "m.mercer")]) == 0
    assert run(["predict", str(tmp_path / "m.mercer"), mixed]) == 2
    assert "got a table without ['x', 'z']" in capsys.readouterr().err


def test_predict_keeps_the_kinds_of_training(capsys, tmp_path):
    codes = ["1", "2", "3+"] * 10
    data = written(tmp_path / "codes.csv", {"code": codes, "y": ["a" if c == "1" else "b" for c in codes]})
    new = written(tmp_path / "new.csv", {"code": ["1", "2"]})
    assert run(["fit", data, "-o", str(tmp_path / "m.mercer")]) == 0
    capsys.readouterr()
    assert [row["prediction"] for row in predictions(capsys, tmp_path / "m.mercer", new)] == ["a", "b"]


@pytest.fixture(scope="module")
def dated(folder):
    """Columns as pandas writes them, of which one is a feature."""
    x = rng.normal(size=N)
    columns = {
        "": range(N),
        "day": [f"2024-01-{1 + i % 28:02d}" for i in range(N)],
        "x": x,
        "y": np.where(x > 0, "u", "v"),
    }
    return written(folder / "dated.csv", columns)


def test_an_index_and_dates_are_left_out_and_predictions_do_not_need_them(capsys, dated, tmp_path):
    assert run(["fit", dated, "-o", str(tmp_path / "m.mercer")]) == 0
    err = capsys.readouterr().err
    assert "note: column 'Unnamed: 0' is left out: it numbers the rows." in err
    assert "note: column 'day' is left out: it holds dates." in err
    assert "--keep COLUMN" in err
    assert list(mercer.load(tmp_path / "m.mercer")[0].kinds_) == ["x"]
    new = written(tmp_path / "new.csv", {"x": [3.0, -3.0]})
    assert [row["prediction"] for row in predictions(capsys, tmp_path / "m.mercer", new)] == ["u", "v"]


@pytest.mark.parametrize("verb", ["fit", "tune"])
def test_a_column_is_kept_if_asked_for(capsys, dated, tmp_path, verb):
    assert run([verb, dated, "-o", str(tmp_path / "m.mercer"), "--keep", "day", "--keep", "Unnamed: 0"]) == 0
    assert "left out" not in capsys.readouterr().err
    assert list(mercer.load(tmp_path / "m.mercer")[0].kinds_) == ["Unnamed: 0", "day", "x"]
    assert run(["certify", dated, "--model", str(tmp_path / "m.mercer")]) in (0, 1)
    assert run([verb, dated, "--keep", "dya"]) == 2
    assert "Did you mean 'day'?" in capsys.readouterr().err


def test_predict_writes_a_file_or_json(capsys, numbers, tmp_path):
    assert run(["fit", numbers, "-o", str(tmp_path / "m.mercer")]) == 0
    capsys.readouterr()
    found = result(capsys, "predict", tmp_path / "m.mercer", numbers)
    assert run(["predict", str(tmp_path / "m.mercer"), numbers, "-o", str(tmp_path / "p.csv")]) == 0
    table = mercer.tables.read(tmp_path / "p.csv")
    assert table.columns["prediction"].tolist() == [row["prediction"] for row in found]


def test_predict_refuses_other_files(capsys, numbers, tmp_path):
    mercer.save(mercer.kernels.RBF(), tmp_path / "k.mercer")
    assert run(["predict", str(tmp_path / "k.mercer"), numbers]) == 2
    assert "the model must be a pipeline with a TableScaler" in capsys.readouterr().err
    assert run(["predict", numbers, numbers]) == 2
    assert "numbers.csv: the file must be one that mercer.save has written" in capsys.readouterr().err


def test_sparse_rows_go_all_the_way(capsys, tmp_path):
    rows = [f"{1 if i % 2 else -1} {1 + i % 2}:{1 + i % 3} 5:{i % 4}" for i in range(40)]
    (tmp_path / "t.svm").write_text("\n".join(rows))
    (tmp_path / "new.svm").write_text("1 2:1\n-1 1:2\n")
    assert run(["fit", str(tmp_path / "t.svm"), "-o", str(tmp_path / "m.mercer")]) == 0
    capsys.readouterr()
    found = predictions(capsys, tmp_path / "m.mercer", tmp_path / "new.svm")
    assert [row["prediction"] for row in found] == ["1", "-1"]
    assert run(["certify", str(tmp_path / "t.svm"), "--model", str(tmp_path / "m.mercer")]) == 0


def test_tune_finds_and_saves_the_best(capsys, numbers, tmp_path):
    found = result(capsys, "tune", numbers, "-m", "ridge", "--grid", "alpha=[0.01,100]", "--grid",
                   'kernel=["RBF(1.0)","RBF(3.0)"]', "--folds", "3", "--save", tmp_path / "m.mercer")  # fmt: skip
    assert found["best"]["alpha"] == 0.01
    assert len(found["settings"]) == 4
    assert found["settings"][0]["score"] == max(one["score"] for one in found["settings"])
    assert mercer.load(tmp_path / "m.mercer")[-1].alpha == 0.01


def test_tune_has_a_grid_of_its_own_and_tells_the_plan(capsys, mixed):
    assert run(["tune", mixed, "--folds", "2"]) == 0
    out, err = capsys.readouterr()
    assert "25 settings on 2 folds" in err
    assert "accuracy of 2 folds" in out


def test_tune_says_two_lines_beside_its_result(capsys, numbers):
    assert run(["tune", numbers, "--folds", "2"]) == 0
    out, err = capsys.readouterr()
    assert len(err.splitlines()) == 2
    assert "KernelSearchCV" not in out + err


GRID_FAULTS = [
    (["--grid", "CC=[1,2]"], "a name must be one of C, ", "got 'CC'. Did you mean 'C'?"),
    (["--grid", "C=[1,-1]"], "C must be a value that the method takes; got -1. ", "C must be a positive number"),
    (["--grid", "C=[1,10]", "--grid", "epsilon=[0.1,-1]"], "--grid: epsilon must be", "got -1"),
    (["--grid", 'C=[1,"abc"]'], "--grid: C must be", "got 'abc'"),
    (["--grid", "C=[1,abc]"], "--grid: C must be a value or a list of them", "[1,10]"),
    (["--grid", "C=[]"], "--grid: C must be a value or a list of them", "got []"),
    (["--grid", "tol=[null]"], "--grid: tol must be a value that the method takes", "None"),
    (["--grid", "kernel=[RBF(1.0),RBF(2.0)]"], "--grid: kernel must be a value or a list", 'kernel=["RBF(1.0)"'),
    (["--grid", 'kernel=["RBF(1.0)","RBF("]'], "parse: text must be", "RBF("),
    (["--grid", 'kernel=["RBF(1.0)","TfIdf()"]'], "--grid: kernel must be a value that the method takes", "TfIdf()"),
    (["--grid", "kernel__lengthscale=[1,0]"], "kernel__lengthscale must be", "a positive number"),
    (["--grid", "kernel__foo=[1]"], "kernel__foo", "['lengthscale']"),
    (["--set", "C=-1"], "C must be a positive number", "got -1"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "fault", "cure"), GRID_FAULTS, ids=lambda one: str(one)[:50])
def test_faults_of_a_grid_are_found_before_the_folds(capsys, numbers, monkeypatch, options, fault, cure):
    monkeypatch.setattr(mercer.KernelSearchCV, "fit", lambda *given: pytest.fail("the folds have begun"))
    assert run(["tune", numbers, *options]) == 2
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert fault in last
    assert cure in last


def test_a_value_that_only_few_rows_cannot_bear_is_no_fault(capsys, numbers):
    found = result(capsys, "tune", numbers, "-m", "rbf network", "--grid", "prototypes=[5,45]", "--folds", "4")
    assert len(found["settings"]) == 2


def test_tune_over_the_grid_of_libsvm(capsys, numbers):
    assert run(["tune", numbers, "--grid", "libsvm", "--kernel", "RBF()"]) == 2
    assert "libsvm must be for its own Gaussian kernel" in capsys.readouterr().err
    found = result(capsys, "tune", numbers, "--grid", "libsvm", "--folds", "2", "--set", "tol=0.1")
    assert set(found["best"]) == {"C", "gamma"}


def test_certify_tests_a_kernel(capsys, mixed, numbers):
    found = result(capsys, "certify", mixed)
    assert found["positive semi-definite"] is True
    assert found["proof"] == "by construction"
    assert found["rows"] == "60 of 60"
    assert run(["certify", numbers, "--kernel", "RBF(1.0) - 2.0 * Linear()", "--rows", "20"]) == 1
    assert "refuted by a witness" in capsys.readouterr().out


def test_certify_proves_a_model_again_and_sees_other_data(capsys, numbers, tmp_path):
    assert run(["fit", numbers, "-o", str(tmp_path / "m.mercer")]) == 0
    capsys.readouterr()
    found = result(capsys, "certify", numbers, "--model", tmp_path / "m.mercer")
    assert found["proved"] is True
    assert found["relative gap"] < 1e-2
    lines = Path(numbers).read_text().splitlines()
    (tmp_path / "other.csv").write_text("\n".join([lines[0], *reversed(lines[1:])]))
    assert run(["certify", str(tmp_path / "other.csv"), "--model", str(tmp_path / "m.mercer")]) in (1, 2)


def test_explain_kernel(capsys):
    found = result(capsys, "explain-kernel", "Fixed(2)*RBF(1.5) + Polynomial(2)")
    assert found["domain"] == "vectors"
    assert found["positive semi-definite"] == "yes, by proof"
    assert [step["depth"] for step in found["proof"]] == [0, 1, 2, 1]
    assert "Scaled.factor = Fixed(2.0)" in found["hyper-parameters"]
    assert "RBF.lengthscale = 1.5, free" in found["hyper-parameters"]
    assert "no explicit map" in found["features"]
    assert "66 in 10 columns" in result(capsys, "explain-kernel", "Polynomial(2)")["features"]
    assert result(capsys, "explain-kernel", "On('t', TfIdf())")["domain"] == "table"
    assert result(capsys, "explain-kernel", "Sigmoid()")["positive semi-definite"] == "no"


def test_bench_needs_the_sources(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["bench"]) == 2
    assert "a checkout of the sources" in capsys.readouterr().err
