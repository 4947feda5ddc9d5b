"""Every public estimator gives the same answer whatever form the same numbers come in (I4, I5)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.probes import machines
from tests.probes.answers import Refused, answers, fitted, same, watched
from tests.probes.data import CODES, NUMBERS, PLAIN
from tests.probes.exceptions import probes
from tests.probes.forms import DENSE, FRAMES, SINGLE, SPARSE, Form
from tests.probes.machines import SETTINGS, classifies, takes_sparse

FORMS = DENSE | FRAMES | SPARSE


def target(machine: Any) -> np.ndarray:
    return CODES if classifies(machine) else NUMBERS


@cache
def plain_answers(setting: str, which: str) -> tuple[Any, dict[str, np.ndarray]]:
    """The machine fitted on plain numbers, and what it says of them."""
    machine, X = SETTINGS[setting], PLAIN[which]
    with watched():
        m = fitted(machine, X, target(machine))
        return m, answers(m, X)


@probes(SETTINGS, FORMS)
def test_the_form_of_the_numbers_does_not_change_the_answer_I4(setting, form):
    machine, how = SETTINGS[setting], FORMS[form]
    if setting == "TableScaler" and form in SPARSE:
        pytest.skip("sparse rows stay as they are")
    refusable = how.refusable or (form in SPARSE and not takes_sparse(machine))
    before, expected = plain_answers(setting, how.plain)
    X = how.make(PLAIN[how.plain])
    try:
        with watched():
            m = fitted(machine, X, target(machine))
            said = answers(m, X)
    except Refused:
        if not refusable:
            raise
        return
    same(said, expected, tolerance(setting, how))
    if not hasattr(m, "feature_names_in_") and form not in SPARSE:
        with watched():
            same(answers(before, X), expected, tolerance(setting, how))


def tolerance(setting: str, how: Form) -> float:
    """That of the form; searches of hyper-parameters magnify what single precision leaves open."""
    return 5e-2 if how.tolerance == SINGLE and setting.split()[0] in machines.TUNED else how.tolerance


def test_every_public_estimator_is_probed():
    assert {name.split()[0] for name in SETTINGS} == machines.public()
