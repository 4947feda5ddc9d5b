"""mercer embed: coordinates, a page, and a model that predict reads (SPEC M13, M14)."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer.cli.main import run

rng = np.random.default_rng(0)
N = 50


@pytest.fixture
def table(tmp_path):
    """Numbers, a category with its label, and gaps."""
    label = np.where(np.arange(N) % 2 == 0, "yes", "no")
    columns = {"x": rng.normal(size=N), "y": rng.normal(size=N) + 3.0 * (label == "yes"), "job": label, "label": label}
    path = tmp_path / "rows.csv"
    with open(path, "w", newline="", encoding="utf8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def numbers(text):
    return np.array(list(csv.reader(io.StringIO(text)))[1:], dtype=float)


@pytest.mark.parametrize("method", ["pca", "mds"])
def test_coordinates_model_and_page(table, tmp_path, capsys, method):
    model, scores, page = (tmp_path / name for name in ("m.mercer", "scores.csv", "page.html"))
    arguments = ["embed", str(table), "-t", "label", "-m", method, "-n", "3", "-o", str(model), "--scores", str(scores),
                 "--report", str(page), "--json"]  # fmt: skip
    assert run(arguments) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["shares of the variance"]) == 3
    assert 0.0 < sum(found["shares of the variance"]) <= 1.0
    written = numbers(scores.read_text())
    assert written.shape == (N, 3)
    assert run(["predict", str(model), str(table)]) == 0
    assert_allclose(numbers(capsys.readouterr().out), written, atol=1e-9)
    machine = mercer.load(model)[-1]
    assert_allclose(np.sum(written**2, axis=0), machine.eigenvalues_, rtol=1e-8)
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == 2
    assert "http://" not in text.replace("http://www.w3.org", "")
    assert found["certificate"].split(".")[0] in text


def test_without_a_target_all_columns_are_embedded(table, capsys):
    assert run(["embed", str(table), "--json"]) == 0
    assert "On(['job', 'label']" in json.loads(capsys.readouterr().out)["kernel"]
    assert run(["embed", str(table), "-k", "RBF(1.0)", "--drop", "job", "--drop", "label", "--rows", "20"]) == 0
    said = capsys.readouterr()
    assert "RBF(1.0)" in said.out
    assert "20 of 50 rows" in said.err


def test_faults_are_one_sentence(table, capsys):
    for arguments, words in (
        (["-m", "tsne"], "the method must be one of pca, mds"),
        (["--set", "colour=3"], "a setting must be one of"),
        (["-t", "nothing"], "nothing"),
        (["-n", "0"], "--components"),
    ):
        assert run(["embed", str(table), *arguments]) == 2
        assert words in capsys.readouterr().err
