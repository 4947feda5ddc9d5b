"""Sample weights of every kind: equal machines where they mean the same, and bad ones refused (I4, I5)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.probes.answers import Refused, answers, fitted, same, sound, watched
from tests.probes.data import CODES, EIGHTHS, NUMBERS, n
from tests.probes.exceptions import probes
from tests.probes.machines import SETTINGS, classifies, weighs

X = EIGHTHS
WEIGHED = [name for name, machine in SETTINGS.items() if weighs(machine)]
WHOLE = 1.0 + np.arange(n) % 3
SOME = np.where(np.arange(n) % 5 == 0, 0.0, WHOLE)


def _pandas(w: np.ndarray) -> Any:
    import pandas as pd

    return pd.Series(w, index=range(n, 0, -1))


FORMS = {
    "list": lambda w: w.tolist(),
    "int": lambda w: w.astype(int),
    "uint8": lambda w: w.astype(np.uint8),
    "float32": lambda w: w.astype(np.float32),
    "big-endian": lambda w: w.astype(">f8"),
    "strided": lambda w: np.repeat(w, 2)[::2],
    "objects": lambda w: w.astype(object),
    "pandas": _pandas,
}


def machine_of(setting: str) -> Any:
    """With a gamma of its own: "scale" looks at all rows, also at those of weight 0."""
    machine = SETTINGS[setting]
    named = machine.get_params().get("gamma") == "scale"
    return type(machine)(**{**machine.get_params(deep=False), "gamma": 0.5}) if named else machine


def weighed(setting: str, w: Any, rows: Any = slice(None)) -> dict[str, np.ndarray]:
    """What the machine says of all items after a fit to some of them."""
    machine = machine_of(setting)
    y = CODES if classifies(machine) else NUMBERS
    with watched():
        return answers(fitted(machine, X[rows], y[rows], sample_weight=w), X)


@cache
def plain(setting: str) -> dict[str, np.ndarray]:
    return weighed(setting, WHOLE)


@probes(WEIGHED, FORMS)
def test_weights_of_any_type_are_the_same_weights_I4(setting, form):
    same(weighed(setting, FORMS[form](WHOLE)), plain(setting), 1e-9)


@pytest.mark.parametrize("setting", WEIGHED)
def test_weights_of_one_change_nothing_I4(setting):
    same(weighed(setting, np.ones(n)), weighed(setting, None), 1e-9)


@pytest.mark.parametrize("setting", WEIGHED)
def test_weight_zero_is_absence_I4(setting):
    rows = np.flatnonzero(SOME)
    same(weighed(setting, SOME), weighed(setting, SOME[rows], rows), 2e-3)


ODD = {
    "small": 1e-8 * WHOLE,
    "large": 1e8 * WHOLE,
    "of all sizes": np.logspace(-8, 8, n),
    "one item": (np.arange(n) == 0) * 1.0,
    "no item of one class": (CODES > 0) * 1.0,
    "one item of one class": np.where((CODES == 0) & (np.cumsum(CODES == 0) > 1), 0.0, 1.0),
    "negative": WHOLE - 2.0,
}
BAD = {
    "too few": WHOLE[:-1],
    "too many": np.r_[WHOLE, 1.0],
    "nan": np.where(CODES == 0, np.nan, WHOLE),
    "inf": np.where(CODES == 0, np.inf, WHOLE),
    "all zero": np.zeros(n),
    "all negative": -WHOLE,
    "a matrix": np.ones((n, 2)),
    "text": np.array(["a"] * n),
}


@probes(WEIGHED, ODD)
def test_weights_at_the_edge_give_a_sound_machine_or_are_refused_I5(setting, form):
    try:
        said = weighed(setting, ODD[form])
    except Refused:
        return
    sound(said, n)


@probes(WEIGHED, BAD)
def test_bad_weights_are_refused_I5(setting, form):
    with pytest.raises(Refused, match="weight"):
        weighed(setting, BAD[form])
