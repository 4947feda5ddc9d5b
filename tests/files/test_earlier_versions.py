"""Model files written by version 0.1.0 are read, and predict what they predicted then."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

import mercer

FILES = Path(__file__).parent / "of_0_1_0"
VALUES = json.loads((FILES / "values.json").read_text())
iris, species = (part[::5] for part in load_iris(return_X_y=True))
ROWS = {"all": iris, "three columns": iris[:, :3], "two classes": iris[species < 2]}


@pytest.mark.parametrize("name", VALUES)
def test_a_model_of_0_1_0_predicts_as_it_did(name):
    model, X = mercer.load(FILES / f"{name}.mercer"), ROWS[VALUES[name]["X"]]
    found = model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)
    assert_allclose(found, np.array(VALUES[name]["f"]), rtol=1e-7, atol=1e-9)
