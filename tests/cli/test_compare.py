"""mercer compare: from a file to a table, a page, or JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest

from mercer.cli.main import run

rng = np.random.default_rng(0)
n = 60
X = rng.normal(size=(n, 2))
y = np.where(X[:, 0] * X[:, 1] > 0.0, "yes", "no")
CSV = "a,b,y\n" + "".join(f"{a:.6f},{b:.6f},{c}\n" for (a, b), c in zip(X, y, strict=True))
FEW = ["--methods", "svm,svm + platt,lda,dummy"]


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "some data.csv").write_text(CSV)
    return tmp_path / "some data.csv"


def test_it_ends_with_the_table_and_the_place_of_the_report(data, capsys):
    assert run(["compare", "some data.csv", "--target", "y", *FEW]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == f"report: {data.parent / 'mercer-report.html'}"
    for name in ("svm", "svm + platt", "lda", "dummy"):
        assert any(line.startswith(f"{name} ") for line in out.splitlines())
    assert "gap " in out
    page = (data.parent / "mercer-report.html").read_text(encoding="utf-8")
    assert "mercer compare &#39;some data.csv&#39; --target y" in page


def test_it_can_be_json_and_nothing_else(data, capsys):
    assert run(["compare", str(data), "--json", "--report", "other.html", "--seed", "3", *FEW]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in found["rows"]] == ["svm", "svm + platt", "lda", "dummy"]
    assert found["random_state"] == 3
    assert found["report"] == str(data.parent / "other.html")


def test_options_of_reading_are_in_the_command_to_have_it_again(data, capsys):
    options = ["--drop", "b", "--kind", "a=categorical", "--kernel", "On(['a'], Hamming(1.0))", "--time-limit", "100"]
    assert run(["compare", str(data), *options, "--methods", "svm,dummy"]) == 0
    page = (data.parent / "mercer-report.html").read_text(encoding="utf-8")
    assert "--time-limit 100.0 --kind a=categorical --drop b" in page
    assert "This command repeats" in page


def test_columns_left_out_are_told_and_can_be_kept(data, capsys):
    rows = data.read_text().splitlines()
    data.write_text("\n".join(["id," + rows[0], *(f"{i},{row}" for i, row in enumerate(rows[1:]))]))
    assert run(["compare", str(data), "--methods", "svm"]) == 0
    assert "column 'id' is left out: it numbers the rows" in capsys.readouterr().out
    assert run(["compare", str(data), "--methods", "svm", "--keep", "id"]) == 0
    assert "left out" not in capsys.readouterr().out
    page = (data.parent / "mercer-report.html").read_text(encoding="utf-8")
    assert "--keep id" in page


def test_without_data_it_runs_on_the_built_in_table(data, capsys):
    assert run(["compare", "--methods", "svm, lda", "--rows", "80"]) == 0
    assert "svm has the highest accuracy" in capsys.readouterr().out
    page = (data.parent / "mercer-report.html").read_text(encoding="utf-8")
    assert "<code>mercer compare --methods &#39;svm, lda&#39; --rows 80</code>" in page


def test_it_is_what_the_library_does_and_predicts_once(data, capsys, monkeypatch):
    import mercer

    calls = []
    real = mercer.SVC.predict
    monkeypatch.setattr(mercer.SVC, "predict", lambda self, Z: calls.append(len(Z)) or real(self, Z))
    assert run(["compare", str(data), "--methods", "svm", "--test-size", "0.3", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert calls.count(18) == 1  # the held-out rows
    found = mercer.compare(mercer.tables.read(data), "y", methods=["svm"], test_size=0.3, tune=True).to_dict()
    seconds = {"fit_seconds", "predict_seconds", "tune_seconds"}
    for ours, theirs in zip(found["rows"], shown["rows"], strict=True):
        assert {k: v for k, v in ours.items() if k not in seconds} == {k: theirs[k] for k in ours if k not in seconds}
    assert {key: shown[key] for key in ("kernel", "splits", "tied", "rows_total")} == {
        key: found[key] for key in ("kernel", "splits", "tied", "rows_total")
    }


@pytest.mark.parametrize(("options", "fault"), [
    (["nothing.csv"], "nothing.csv: No such file"),
    (["some data.csv", "--target", "z"], "got 'z'"),
    (["some data.csv", "--kernel", "RBF("], "RBF("),
    (["some data.csv", "--methods", "ridge"], "Methods for classification"),
    (["some data.csv", "--report", "no/such/folder.html"], "a folder that exists"),
    (["some data.csv", "--report", "."], "a folder that exists"),
    (["some data.csv", "--rows", "0"], "--rows"),
    (["some data.csv", "--rows", "5"], "at least 12 rows"),
    (["some data.csv", "--test-size", "2"], "share between 0 and 1"),
    (["some data.csv", "--time-limit", "-1"], "positive number of seconds"),
])  # fmt: skip
def test_faults_are_one_sentence(data, capsys, options, fault):
    assert run(["compare", *options]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert fault in said[-1]
    assert said[-1].startswith("mercer: ")
    assert not (data.parent / "mercer-report.html").exists()
