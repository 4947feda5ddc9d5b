"""A column of graphs in a table (K38)."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mercer
from mercer.cli.main import run
from mercer.kernels import Normalised, On, WeisfeilerLehman
from mercer.tables import default_kernel, read


def rows(n=40):
    rng = np.random.default_rng(0)
    for i in range(n):
        size = int(rng.integers(4, 8))
        edges = [[j, j + 1] for j in range(size - 1)] + ([[size - 1, 0]] if i % 2 else [])
        graph = {"n": size, "edges": edges, "node_labels": rng.choice(["C", "O"], size=size).tolist()}
        yield {"molecule": graph, "mass": float(size) + rng.normal(), "kind": "ring" if i % 2 else "chain"}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "molecules.jsonl"
    path.write_text("\n".join(map(json.dumps, rows())))
    return path


def test_a_column_of_graphs_is_known_by_its_edges_K38(file):
    table = read(file)
    assert table.kinds == {"molecule": "graph", "mass": "numeric", "kind": "categorical"}
    assert "1 graph" in table.describe()
    features, *_ = table.split_target("kind")
    assert default_kernel(features.drop(["mass"])) == Normalised(WeisfeilerLehman(3))
    assert "On('molecule', Normalised(WeisfeilerLehman(3)))" in repr(default_kernel(features))
    k = On("molecule", WeisfeilerLehman(2))
    assert_array_equal(k(features.items), WeisfeilerLehman(2)([row["molecule"] for row in rows()]))


def test_frames_with_graphs_and_gaps_K38():
    given = [row["molecule"] for row in rows(6)]
    table = read({"molecule": [*given, None], "size": [1.5, 2.0, 3.0, 1.0, 2.0, 5.0, 6.0]})
    assert table.kinds["molecule"] == "graph"
    scaled = mercer.TableScaler(table.kinds).fit_transform(table.items)
    K = On("molecule", WeisfeilerLehman(1))(scaled)
    assert_array_equal(K[-1], 0.0)
    assert_array_equal(K[:-1, :-1], WeisfeilerLehman(1)(given))


def test_the_command_fits_predicts_and_compares_graphs_K38(file, tmp_path, capsys):
    model = tmp_path / "rings.mercer"
    assert run(["fit", str(file), "--target", "kind", "-o", str(model)]) == 0
    assert run(["predict", str(model), str(file)]) == 0
    assert "chain" in capsys.readouterr().out
    page = str(tmp_path / "page.html")
    assert run(["compare", str(file), "--target", "kind", "--methods", "svm,lda", "--report", page]) == 0
    assert "svm" in capsys.readouterr().out


def test_text_with_braces_stays_text_K38():
    assert read({"a": ['{"edges": 3}', "{x}", "y"], "b": [1, 2, 3]}).kinds["a"] == "categorical"
