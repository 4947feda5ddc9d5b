"""mercer density TABLE."""

from __future__ import annotations

import json

import numpy as np
import pytest

import mercer
from mercer.cli.main import run


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"{a:.4f},{b:.4f},x" for a, b in rng.normal(size=(80, 2))]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["first,second,name", *lines, ",1.0,y"]))
    return path


def test_one_column_is_described_drawn_and_saved(table, tmp_path, capsys):
    page, model = tmp_path / "page.html", tmp_path / "model.mercer"
    assert run(["density", str(table), "--json", "--report", str(page), "--output", str(model)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["columns"] == ["first"]
    assert found["rows"] == 80
    assert found["rows with gaps, left out"] == 1
    assert found["95 % of the values"][0] < found["median"] < found["95 % of the values"][1]
    assert "<svg" in page.read_text()
    assert mercer.load(model)[-1].bandwidth_ == pytest.approx(found["bandwidth"], abs=1e-6)
    assert run(["predict", str(model), str(table)]) == 0
    lines = capsys.readouterr().out.split()
    assert lines[:2] == ["log", "density"]
    assert lines[-1] == "nan"  # the row with a gap has no density
    assert all(-6.0 < float(one) < 0.0 for one in lines[2:-1])


def test_two_columns_have_contours(table, tmp_path, capsys):
    page = tmp_path / "page.html"
    assert run(["density", str(table), "-c", "first", "-c", "second", "-b", "scott", "--report", str(page)]) == 0
    assert "Contours hold shares" in page.read_text()


def test_a_column_without_numbers_is_refused(table, capsys):
    assert run(["density", str(table), "-c", "name"]) == 2
    assert "one or two columns of numbers" in capsys.readouterr().err
