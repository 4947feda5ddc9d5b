"""mercer smooth: a smooth through a table, its curve and its page (E17)."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from mercer.cli.main import FAULT, run


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 6.0, 90)
    path = tmp_path / "t.csv"
    rows = zip(x, np.array(["a", "b"])[np.arange(90) % 2], np.sin(x) + 0.1 * rng.normal(size=90), strict=True)
    path.write_text("x,g,y\n" + "\n".join(f"{a},{b},{c}" for a, b, c in rows))
    return str(path)


def said(capsys, *arguments):
    assert run([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("method", ["local", "nw"])
def test_a_smooth_is_found_and_written(table, tmp_path, capsys, method):
    curve, page = tmp_path / "curve.csv", tmp_path / "page.html"
    found = said(capsys, "smooth", table, "-t", "y", "--by", "x", "-m", method, "--curve", curve, "--report", page)
    assert found["leave-one-out R^2"] > 0.9
    assert 0.0 < found["bandwidth"]["x"] < 2.0
    assert "hold" in found["certificate"]
    with open(curve, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert all(float(row["low"]) < float(row["smooth"]) < float(row["high"]) for row in rows)
    assert page.read_text().count("<svg") == 2


def test_categories_and_settings_are_taken(table, capsys):
    found = said(capsys, "smooth", table, "-t", "y", "--set", "window=epanechnikov")
    assert set(found["bandwidth"]) == {"x", "g"}


@pytest.mark.parametrize(
    ("more", "words"),
    [(["-m", "spline"], "one of local, nw"), (["--by", "g"], "with one of numbers"), (["--set", "C=1"], "a setting"),
     (["--level", "2"], "between 0 and 1")],
    ids=["method", "by", "setting", "level"],
)  # fmt: skip
def test_faults_are_one_sentence(table, capsys, more, words):
    assert run(["smooth", table, "-t", "y", *more]) == FAULT
    assert words in capsys.readouterr().err
