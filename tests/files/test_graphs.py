"""Graphs of a file are checked before compiled loops follow their indices."""

from __future__ import annotations

import numpy as np
import pytest
from tests.native.graph_sets import graphs

from mercer import ModelFileError
from mercer.files.rebuilt import builder_of
from mercer.items import Graphs
from mercer.items.labels import Labels

FIELDS = ("nodes", "start", "neighbour", "directed", "node_labels", "edge_labels", "node_attributes", "edge_attributes")


def fields():
    X = graphs(1)
    return {name: getattr(X, name) for name in FIELDS}


def changed(name, place, value):
    moved = fields()[name].copy()
    moved[place] = value
    return {name: moved}


WRONG = {
    "a neighbour outside": changed("neighbour", 0, 99),
    "a neighbour before the first": changed("neighbour", 0, -1),
    "offsets that fall": changed("start", 1, 10**9),
    "offsets that begin late": changed("nodes", 0, 1),
    "offsets that end early": changed("nodes", -1, 3),
    "no vector": {"start": np.zeros((2, 2), dtype=np.int64)},
    "numbers of another type": {"neighbour": np.zeros(3)},
    "no array": {"neighbour": [0, 1]},
    "too few labels": {"node_labels": Labels(("a",), np.zeros(2, dtype=np.int64))},
    "no labels": {"edge_labels": np.zeros(3)},
    "attributes of others": {"node_attributes": np.zeros((2, 1))},
    "no truth value": {"directed": 3},
}


def test_graphs_are_made_again():
    assert builder_of(Graphs)(fields()).fingerprint() == graphs(1).fingerprint()


@pytest.mark.parametrize("case", WRONG)
def test_forged_graphs_are_refused(case):
    with pytest.raises(ModelFileError):
        builder_of(Graphs)(fields() | WRONG[case])


@pytest.mark.parametrize("codes", [np.array([2]), np.array([-1]), np.array([0.0]), [0]], ids=["2", "-1", "0.0", "list"])
def test_forged_labels_are_refused(codes):
    with pytest.raises(ModelFileError):
        builder_of(Labels)({"alphabet": ("a", "b"), "codes": codes})
