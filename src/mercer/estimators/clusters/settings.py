"""The arguments of a search for medoids, checked; those that KMedoids and the classifier share."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.solvers.medoids import METHODS, STARTS, Settings
from mercer.typing import Array


def settings_of(machine: Any, method: str, init: Any = None) -> Settings:
    """`method` is the one that "auto" stands for; `init` are positions where they were given."""
    n_init = machine.n_init
    return Settings(
        method=method,
        init=machine.init if init is None else init,
        n_init=0 if isinstance(n_init, str) else int(n_init),
        max_iter=int(machine.max_iter),
        batch_size=0 if machine.batch_size is None else int(machine.batch_size),
    )


def check_settings(machine: Any) -> None:
    """Refuse what is no setting, before any work."""
    owner = type(machine).__name__
    if not isinstance(machine.method, str) or machine.method not in (*METHODS, "auto"):
        raise bad(owner, "method", f"one of {[*METHODS, 'auto']}", repr(machine.method), "'fasterpam' is the default.")
    if isinstance(machine.init, str) and machine.init not in STARTS:
        raise bad(owner, "init", f"one of {STARTS}, or positions of items", repr(machine.init),
                  "'random' is the default.")  # fmt: skip
    count(owner, "max_iter", machine.max_iter)
    if not (isinstance(machine.n_init, str) and machine.n_init == "auto"):
        count(owner, "n_init", machine.n_init)
    if machine.batch_size is not None:
        count(owner, "batch_size", machine.batch_size)


def count(owner: str, name: str, given: Any) -> int:
    """An integer >= 1."""
    if not isinstance(given, Integral) or isinstance(given, bool) or int(given) < 1:
        raise bad(owner, name, "an integer >= 1", repr(given), "See the documentation.")
    return int(given)


def places_of(owner: str, given: Any, k: int, used: Array) -> Array:
    """Positions of k different items to start from, as positions among those of positive weight."""
    places = np.asarray(given)
    if places.shape != (k,) or places.dtype.kind not in "iu" or len(np.unique(places)) != k:
        raise bad(owner, "init", f"the name of a start, or positions of {k} different items", repr(given),
                  "One for every cluster.")  # fmt: skip
    if not np.isin(places, used).all():
        raise bad(owner, "init", "positions of items of positive weight", repr(given), "Count from 0.")
    return np.searchsorted(used, places)
