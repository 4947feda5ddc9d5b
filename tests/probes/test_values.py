"""Numbers at the edge, few items, copies and constants: a sound machine or a refusal, never a foreign error (I5)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from tests.probes.answers import Refused, answers, fitted, sound, watched
from tests.probes.data import BITS, CODES, EIGHTHS, NUMBERS, TWO, n
from tests.probes.exceptions import probes
from tests.probes.machines import SETTINGS, classifies, takes_sparse

X = EIGHTHS
ASKED = 6  # new items: GPLVM looks for the place of each
ODD = {
    "1e-8": 1e-8 * X,
    "1e8": 1e8 * X,
    "1e-150": 1e-150 * X,
    "1e150": 1e150 * X,
    "1e300": 1e300 * X,
    "columns of all sizes": X * [1e-8, 1.0, 1e8],
    "columns of extreme sizes": X * [1e-150, 1.0, 1e150],
    "denormal": 5e-324 * np.round(X),
    "far away": 1e8 + X,
    "one outlier": X + 1e6 * (np.arange(n) == 3)[:, None],
    "float32 at its limit": (1e38 * X / 4.0).astype(np.float32),
    "one constant column": X * [1.0, 0.0, 1.0] + [0.0, 5.0, 0.0],
    "all constant": np.full((n, 3), 2.5),
    "all zero": np.zeros((n, 3)),
    "zero rows": X * (CODES > 0)[:, None],
    "every row twice": np.repeat(X[::2], 2, axis=0),
    "two different rows": X[np.arange(n) % 2],
    "one column": X[:, :1],
    "more columns than rows": np.tile(X, 20),
    "equal columns": np.repeat(X[:, :1], 3, axis=1),
    "minus zero": np.where(X == 0.0, -0.0, X),
    "bits": BITS,
}
FEW = {f"{rows} rows, {kind}": (rows, kind) for rows in (1, 2, 3, 4) for kind in ("apart", "equal")}
BAD = {
    "nan": np.where(X[3, 1] == X, np.nan, X),
    "inf": np.where(X[3, 1] == X, np.inf, X),
    "no rows": X[:0],
    "no columns": X[:, :0],
    "one dimension": X[:, 0],
    "three dimensions": X[:, :, None],
    "a number": 3.0,
    "text": np.array([["a", "b", "c"]] * n),
    "complex": X + 1j,
    "ragged": [[1.0, 2.0], [3.0]] * (n // 2),
    "None": None,
}


def labels(machine: Any, rows: Any = slice(None)) -> np.ndarray:
    return CODES[rows] if classifies(machine) else NUMBERS[rows]


def sound_or_refused(machine: Any, X: Any, y: Any) -> None:
    try:
        with watched():
            said = answers(fitted(machine, X, y), X)
    except Refused:
        return
    sound(said, len(X))


@probes(SETTINGS, ODD)
def test_numbers_at_the_edge_give_a_sound_machine_or_are_refused_I5(setting, form):
    sound_or_refused(SETTINGS[setting], ODD[form], labels(SETTINGS[setting]))


@probes(SETTINGS, ODD)
def test_new_items_at_the_edge_get_a_sound_answer_or_are_refused_I5(setting, form):
    machine, Z = SETTINGS[setting], ODD[form][:ASKED]
    if Z.shape[1] != 3:
        pytest.skip("other columns than in training")
    with watched():
        m = fitted(machine, X, labels(machine))
    try:
        with watched():
            said = answers(m, Z)
    except Refused:
        return
    sound(said, ASKED)


@probes(SETTINGS, FEW)
def test_few_items_give_a_sound_machine_or_are_refused_I5(setting, form):
    (rows, kind), machine = FEW[form], SETTINGS[setting]
    few = X[:rows] if kind == "apart" else X[[0] * rows]
    sound_or_refused(machine, few, np.arange(rows) % 2 if classifies(machine) else NUMBERS[:rows])


@probes(SETTINGS, BAD)
def test_data_that_are_no_rows_of_numbers_are_refused_I5(setting, form):
    machine = SETTINGS[setting]
    if setting == "TableScaler" and form in ("nan", "text"):
        pytest.skip("gaps and texts are what it is for")
    with pytest.raises(Refused), watched():
        fitted(machine, BAD[form], labels(machine, slice(0 if form == "no rows" else n)))


@pytest.mark.parametrize("setting", SETTINGS)
def test_new_items_of_another_width_are_refused_I5(setting):
    machine = SETTINGS[setting]
    with watched():
        m = fitted(machine, X, labels(machine))
    ask = next(getattr(m, name) for name in ("predict", "transform", "score_samples") if hasattr(m, name))
    for Z in [X[:, :2], np.tile(X, 2), *([sparse.lil_array(X[:, :2])] if takes_sparse(machine) else [])]:
        with pytest.raises(Refused), watched():
            ask(Z)


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_fit_leaves_its_data_alone_I4(setting):
    machine = SETTINGS[setting]
    Z, y = X.copy(), labels(machine).copy()
    with watched():
        answers(fitted(machine, Z, y), Z)
    np.testing.assert_array_equal(Z, X)
    np.testing.assert_array_equal(y, labels(machine))


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_fit_is_the_same_every_time_I4(setting):
    machine = SETTINGS[setting]
    y = TWO if classifies(machine) else NUMBERS
    with watched():
        one, other = (answers(fitted(machine, X, y), X) for _ in range(2))
    for name in one:
        np.testing.assert_array_equal(one[name], other[name])
