"""A given Gram matrix gives the same answer in whatever form it comes (I4)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from tests.probes.answers import Refused, answers, fitted, same, watched
from tests.probes.data import CODES, EIGHTHS, NUMBERS
from tests.probes.exceptions import probes
from tests.probes.forms import DENSE, FRAMES
from tests.probes.machines import LARGE, SETTINGS, SMALL_SETTINGS, classifies

GRAM = EIGHTHS @ EIGHTHS.T + 16.0 * np.eye(len(EIGHTHS))  # 64ths below 64, exact in half precision
FORMS = {name: form for name, form in (DENSE | FRAMES).items() if form.plain == "eighths"}
NO_GRAM = ("FeatureGLM", "GPLVM", "GaussianProcessClassifier", "KernelSearchCV", "KernelRidgeCV", "TableScaler")
DIAGONAL = ("KMedoids", "KernelKMeans")  # distances of new items need k(x, x) beside their kernel values
ALL = [name for name in SMALL_SETTINGS if not name.startswith((*NO_GRAM, *DIAGONAL))]
MACHINES = ALL if LARGE else ["SVC", "KernelRidge", "L1VMRegressor", "GaussianProcessRegressor"]


def machine_of(setting: str) -> Any:
    machine = SETTINGS[setting]
    return type(machine)(**{**machine.get_params(deep=False), "kernel": "precomputed"})


def said_of(setting: str, K: Any) -> dict[str, np.ndarray]:
    machine = machine_of(setting)
    with watched():
        return answers(fitted(machine, K, CODES if classifies(machine) else NUMBERS), K)


@cache
def plain(setting: str) -> dict[str, np.ndarray]:
    return said_of(setting, GRAM)


@probes(MACHINES, FORMS)
def test_the_form_of_a_gram_does_not_change_the_answer_I4(setting, form):
    how = FORMS[form]
    try:
        said = said_of(setting, how.make(GRAM))
    except Refused:
        if not how.refusable:
            raise
        return
    same(said, plain(setting), how.tolerance)
