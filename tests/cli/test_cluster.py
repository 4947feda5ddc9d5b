"""mercer cluster: a table in clusters, saved, predicted, proved again and written as a page."""

from __future__ import annotations

import csv
import io
import json
import re

import numpy as np
import pytest

import mercer
from mercer.cli.main import FAULT, run

rng = np.random.default_rng(0)
CODE = np.arange(90) % 3
X = rng.normal(size=(90, 2)) + 8.0 * np.array([[0, 0], [1, 0], [0, 1]])[CODE]
NAME = np.array(["oak", "elm", "<b>ash</b>"])[CODE]


@pytest.fixture
def trees(tmp_path):
    """Two columns of numbers, words that follow the kind, and the kind."""
    path = tmp_path / "trees.csv"
    with open(path, "w", newline="", encoding="utf8") as file:
        writer = csv.writer(file)
        writer.writerow(["height", "width", "bark", "kind"])
        words = [f"{['rough', 'smooth', 'thin'][c]} and {['dark', 'grey', 'pale'][c]} bark" for c in CODE]
        writer.writerows(zip(*X.T, words, NAME, strict=True))
    return str(path)


def said(capsys, *arguments):
    assert run([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_clusters_are_found_saved_predicted_and_proved_again(trees, tmp_path, capsys):
    model, labels, page = (tmp_path / name for name in ("m.mercer", "labels.csv", "page.html"))
    found = said(
        capsys, "cluster", trees, "-k", "auto", "-t", "kind", "-o", model, "--labels", labels, "--report", page
    )
    assert found["clusters"] == 3
    assert found["rows in each"] == [30, 30, 30]
    assert found["agreement with kind (adjusted Rand index)"] == 1.0
    assert max(found["silhouettes"], key=found["silhouettes"].get) == "3"
    assert found["mean medoid silhouette"] == pytest.approx(found["silhouettes"]["3"], abs=1e-6)
    assert "Swap-optimal" in found["certificate"]
    given = labels.read_text().split()
    assert given[0] == "cluster"
    assert len(set(zip(given[1:], NAME, strict=True))) == 3
    assert run(["predict", str(model), trees]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["prediction"] for row in rows] == given[1:]
    proof = said(capsys, "certify", trees, "--model", model)
    assert proof["proved"] is True
    assert proof["loss"] == pytest.approx(found["loss"])
    machine = mercer.load(model)[-1]
    assert (machine.medoid_indices_ + 1).tolist() == found["medoids (rows from 1)"]
    assert sorted(CODE[machine.medoid_indices_]) == [0, 1, 2]


def test_the_page_stands_alone_and_has_the_pictures(trees, tmp_path, capsys):
    page = tmp_path / "page.html"
    assert run(["cluster", trees, "-k", "auto", "--drop", "kind", "--report", str(page)]) == 0
    text = page.read_text()
    assert text.count("<svg") == 3
    assert "rings mark the medoids" in text
    assert "Swap-optimal" in text
    assert not re.search(r'(src|href)="http', text)
    assert run(["cluster", trees, "-k", "1", "--drop", "kind", "--report", str(page)]) == 0
    assert page.read_text().count("<svg") == 1  # one cluster has no silhouettes


@pytest.mark.parametrize("method", ["fasterpam", "pam", "alternate", "clara", "sampled", "auto"])
def test_every_method_and_a_kernel_of_ones_own(trees, capsys, method):
    options = ["--drop", "bark", "--drop", "kind", "--kernel", "RBF(1.5)", "--distance", "plain", "-m", method]
    found = said(capsys, "cluster", trees, "-k", "3", *options)
    assert found["method"] == ("fasterpam" if method == "auto" else method)
    assert found["kernel"] == "RBF(1.5)"
    assert found["rows in each"] == [30, 30, 30]


@pytest.mark.parametrize(("options", "words"), [
    (["-k", "0"], "--clusters: the number must be a whole number of at least 1, or auto; got '0'"),
    (["-k", "many"], "--clusters: the number must be"),
    (["-k", "91"], r"n_clusters must be at most the number of items \(90\); got 91"),
    (["-k", "3", "-m", "kmeans"], "method must be one of"),
    (["-k", "3", "--distance", "cubed"], "distance must be one of"),
    (["-k", "3", "-t", "sort"], "expected one of the columns"),
])  # fmt: skip
def test_faults_are_one_sentence_I5(trees, capsys, options, words):
    assert run(["cluster", trees, *options]) == FAULT
    assert re.search(words, capsys.readouterr().err)


def test_a_table_of_two_rows_has_no_number_to_choose(tmp_path, capsys):
    path = tmp_path / "two.csv"
    path.write_text("a,b\n1,2\n3,5\n")
    assert run(["cluster", str(path)]) == FAULT
    assert "expected three rows or more to choose a number of clusters, got 2" in capsys.readouterr().err
