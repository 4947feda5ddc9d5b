"""mercer test: two tables, or two groups of rows."""

from __future__ import annotations

import json

import numpy as np
import pytest

import mercer
from mercer.cli.main import run

rng = np.random.default_rng(0)


def table(path, rows, shift=0.0, **more):
    columns = {"age": rng.normal(size=rows) + shift, "town": rng.choice(["a", "b"], rows), **more}
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines))
    return str(path)


def found(capsys, *arguments):
    assert run(["test", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_two_tables_that_differ_and_two_that_do_not(tmp_path, capsys):
    A, B, C = (table(tmp_path / f"{name}.csv", 40, shift) for name, shift in (("a", 0.0), ("b", 2.0), ("c", 0.0)))
    differ, alike = found(capsys, A, B), found(capsys, A, C)
    assert differ["p-value"] == 0.001
    assert "the distributions differ" in differ["finding"]
    assert alike["p-value"] > 0.05
    assert alike["samples"] == [f"{A}: 40 rows", f"{C}: 40 rows"]
    assert found(capsys, A, B, "--null", "gamma")["p-value"] < 0.001
    assert found(capsys, A, B, "--kernel", 'On("age", RBF(0.5))', "--permutations", "99")["p-value"] == 0.01


def test_two_groups_of_one_table_are_what_the_function_tests(tmp_path, capsys):
    group = np.where(np.arange(50) % 2 == 0, "old", "new")
    path = tmp_path / "t.csv"
    x = rng.normal(size=50)
    path.write_text("\n".join(["x,z,group", *(f"{v},{2 * v},{g}" for v, g in zip(x, group, strict=True))]))
    said = found(capsys, str(path), "--by", "group")
    assert said["samples"] == ["group = old: 25 rows", "group = new: 25 rows"]
    V = mercer.TableScaler().fit_transform(np.column_stack([x, 2.0 * x]))
    again = mercer.mmd_test(V[::2], V[1::2], mercer.parse(said["kernel"]))
    assert said["MMD^2"] == pytest.approx(again.statistic)
    assert said["p-value"] == again.pvalue


def test_sparse_tables_and_lines_for_people(tmp_path, capsys):
    for name in ("a", "b"):
        rows = [f"1 {j + 1}:{v:.3f}" for j, v in zip(rng.integers(0, 5, 30), rng.normal(size=30), strict=True)]
        (tmp_path / f"{name}.svm").write_text("\n".join(rows) + "\n")
    assert run(["test", str(tmp_path / "a.svm"), str(tmp_path / "b.svm"), "--format", "svmlight"]) == 0
    out = capsys.readouterr().out
    assert "p-value" in out
    assert "MMD^2 of samples of 30 and 30 items" in out


def test_identifiers_are_left_out_and_told(tmp_path, capsys):
    A, B = (table(tmp_path / f"{name}.csv", 30, id=np.arange(30)) for name in "ab")
    assert run(["test", A, B]) == 0
    out, err = capsys.readouterr()
    assert "column 'id' is left out" in err
    assert "id" not in out.split("kernel")[1].splitlines()[0]


@pytest.mark.parametrize(("arguments", "words"), [
    (["A"], "the samples must be a second table, or --by COLUMN; got neither"),
    (["A", "B", "--by", "town"], "got both"),
    (["A", "--by", "twon"], "Did you mean 'town'?"),
    (["A", "--by", "three"], "expected two groups in column 'three', got 3"),
    (["A", "other"], "expected the columns of"),
    (["A", "B", "--null", "normal"], "null must be one of"),
])  # fmt: skip
def test_faults_are_one_sentence_I5(tmp_path, capsys, arguments, words):
    three = rng.choice(["x", "y", "z"], 30)
    paths = {name: table(tmp_path / f"{name}.csv", 30, three=three) for name in ("A", "B")}
    paths["other"] = table(tmp_path / "other.csv", 30, else_where=three)
    assert run(["test", *(paths.get(a, a) for a in arguments)]) == 2
    assert words in capsys.readouterr().err
