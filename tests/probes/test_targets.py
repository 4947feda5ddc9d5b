"""Labels and numbers of every kind: the same partition gives the same machine, and bad targets are refused (I4, I5)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from tests.probes.answers import Refused, answers, fitted, same, sound, watched
from tests.probes.data import CODES, EIGHTHS, NUMBERS, TWO, n
from tests.probes.exceptions import probes
from tests.probes.machines import LARGE, SETTINGS, classifies, regresses

X = EIGHTHS
CLASSIFIERS = {name: machine for name, machine in SETTINGS.items() if classifies(machine)}
REGRESSORS = {name: machine for name, machine in SETTINGS.items() if regresses(machine)}


def _pandas(values: Any, **options: Any) -> Any:
    import pandas as pd

    return pd.Series(values, index=range(n, 0, -1), name="target", **options)


def _polars(values: Any) -> Any:
    import polars as pl

    return pl.Series("target", values)


def _categorical(codes: np.ndarray) -> Any:
    import pandas as pd

    return pd.Series(pd.Categorical([("low", "middle", "top")[c] for c in codes]))


def _strided(y: np.ndarray) -> np.ndarray:
    return np.repeat(y, 3)[::3]


def _frozen(y: np.ndarray) -> np.ndarray:
    y = y.copy()
    y.flags.writeable = False
    return y


# ---- labels: every form keeps the order of the classes

NAMES = np.array(["a", "bb", "ccc"])
LABELS = {
    "list": lambda c: c.tolist(),
    "tuple": lambda c: tuple(c.tolist()),
    "int8": lambda c: c.astype(np.int8),
    "uint8": lambda c: c.astype(np.uint8),
    "big-endian": lambda c: c.astype(">i4"),
    "strided": _strided,
    "read-only": _frozen,
    "gaps": lambda c: np.array([-7, 0, 1000])[c],
    "large": lambda c: np.array([2**40, 2**50, 2**62])[c],
    "whole floats": lambda c: np.array([-1.0, 0.0, 2.0])[c],
    "float32": lambda c: c.astype(np.float32),
    "float16": lambda c: c.astype(np.float16),
    "text": lambda c: NAMES[c],
    "list of text": lambda c: NAMES[c].tolist(),
    "objects": lambda c: NAMES.astype(object)[c],
    "bytes": lambda c: NAMES.astype("S")[c],
    "object numbers": lambda c: c.astype(object),
    "column": lambda c: c[:, None],
    "pandas": lambda c: _pandas(c),
    "pandas text": lambda c: _pandas(NAMES[c]),
    "pandas string type": lambda c: _pandas(NAMES[c], dtype="string"),
    "pandas nullable": lambda c: _pandas(c, dtype="Int64"),
    "pandas categorical": _categorical,
    "polars": lambda c: _polars(c),
    "polars text": lambda c: _polars(NAMES[c].tolist()),
}
if not LARGE:  # one of each kind
    for rare in ("tuple", "int8", "big-endian", "strided", "large", "float32", "list of text", "bytes", "pandas text",
                 "pandas string type", "polars text"):  # fmt: skip
        del LABELS[rare]
REFUSABLE = {
    "bytes",
    "pandas nullable",
    "object numbers",
    "object bool",
}  # by scikit-learn, which does not know them as labels
BOOLS = {
    "bool": lambda t: t.astype(bool),
    "list of bool": lambda t: t.astype(bool).tolist(),
    "minus and plus": lambda t: 2 * t - 1,
    "yes and no": lambda t: np.where(t, "yes", "no"),
    "pandas bool": lambda t: _pandas(t.astype(bool)),
    "object bool": lambda t: t.astype(bool).astype(object),
}


@cache
def plain(setting: str, two: bool) -> dict[str, np.ndarray]:
    with watched():
        m = fitted(SETTINGS[setting], X, TWO if two else CODES)
        return answers(m, X)


@probes(CLASSIFIERS, LABELS | BOOLS)
def test_labels_of_any_kind_name_the_same_classes_I4(setting, form):
    two = form in BOOLS
    y = (LABELS | BOOLS)[form](TWO if two else CODES)
    try:
        with watched():
            m = fitted(SETTINGS[setting], X, y)
            said = answers(m, X)
    except Refused:
        if form not in REFUSABLE:
            raise
        return
    same(said, plain(setting, two), 1e-9)


# ---- numbers

TARGETS = {
    "list": lambda t: t.tolist(),
    "float32": lambda t: t.astype(np.float32),
    "float16": lambda t: t.astype(np.float16),
    "longdouble": lambda t: t.astype(np.longdouble),
    "objects": lambda t: t.astype(object),
    "big-endian": lambda t: t.astype(">f8"),
    "strided": _strided,
    "backwards": lambda t: t[::-1].copy()[::-1],
    "read-only": _frozen,
    "column": lambda t: t[:, None],
    "pandas": lambda t: _pandas(t),
    "pandas nullable": lambda t: _pandas(t, dtype="Float64"),
    "polars": lambda t: _polars(t),
}


@cache
def plain_numbers(setting: str) -> dict[str, np.ndarray]:
    with watched():
        return answers(fitted(SETTINGS[setting], X, NUMBERS), X)


@probes(REGRESSORS, TARGETS)
def test_numbers_of_any_type_are_the_same_targets_I4(setting, form):
    with watched():
        said = answers(fitted(SETTINGS[setting], X, TARGETS[form](NUMBERS)), X)
    expected = plain_numbers(setting)
    if form == "column":  # several outputs, where a machine has them
        said = {name: value.reshape(expected[name].shape) for name, value in said.items()}
    same(said, expected, 1e-9)


# ---- targets at the edge: a sound answer, or a refusal

ODD_LABELS = {
    "one class": np.zeros(n, dtype=int),
    "as many classes as items": np.arange(n),
    "one item of a class": np.r_[1, np.zeros(n - 1, dtype=int)],
    "two items of a class": np.r_[1, 1, np.zeros(n - 2, dtype=int)],
}
BAD_LABELS = {
    "continuous": NUMBERS,
    "nan": np.where(CODES == 0, np.nan, CODES),
    "inf": np.where(CODES == 0, np.inf, CODES),
    "None": np.where(CODES == 0, None, CODES),
    "mixed": np.array(["a", 1, 2.0], dtype=object)[CODES],
    "indicators": np.eye(3, dtype=int)[CODES],
    "too few": CODES[:-1],
    "too many": np.r_[CODES, 0],
    "none at all": CODES[:0],
    "missing": None,
}
ODD_NUMBERS = {
    "constant": np.full(n, 3.0),
    "zero": np.zeros(n),
    "large": 1e8 * NUMBERS,
    "small": 1e-8 * NUMBERS,
    "far away": 1e8 + NUMBERS,
    "bool": TWO.astype(bool),
    "one outlier": NUMBERS + 1e6 * (np.arange(n) == 3),
}
if LARGE:
    ODD_NUMBERS |= {"huge": 1e100 * NUMBERS, "tiny": 1e-100 * NUMBERS}
BAD_NUMBERS = {
    "nan": np.where(CODES == 0, np.nan, NUMBERS),
    "inf": np.where(CODES == 0, np.inf, NUMBERS),
    "text": NAMES[CODES],
    "None": np.where(CODES == 0, None, NUMBERS),
    "complex": NUMBERS + 1j,
    "too few": NUMBERS[:-1],
    "too many": np.r_[NUMBERS, 0.0],
    "none at all": NUMBERS[:0],
    "missing": None,
}


@probes(CLASSIFIERS, ODD_LABELS)
def test_labels_at_the_edge_give_a_sound_machine_or_are_refused_I5(setting, form):
    sound_or_refused(setting, ODD_LABELS[form])


@probes(REGRESSORS, ODD_NUMBERS)
def test_targets_at_the_edge_give_a_sound_machine_or_are_refused_I5(setting, form):
    sound_or_refused(setting, ODD_NUMBERS[form])


def sound_or_refused(setting: str, y: Any) -> None:
    try:
        with watched():
            said = answers(fitted(SETTINGS[setting], X, y), X)
    except Refused:
        return
    sound(said, n)


@probes(CLASSIFIERS, BAD_LABELS)
def test_bad_labels_are_refused_I5(setting, form):
    if setting.startswith("KernelSearchCV") and form in ("nan", "inf"):
        pytest.skip("scikit-learn's check_cv warns of a cast first")
    with pytest.raises(Refused), watched():
        clone(SETTINGS[setting]).fit(X, BAD_LABELS[form])


@probes(REGRESSORS, BAD_NUMBERS)
def test_bad_numbers_are_refused_I5(setting, form):
    with pytest.raises(Refused), watched():
        clone(SETTINGS[setting]).fit(X, BAD_NUMBERS[form])
