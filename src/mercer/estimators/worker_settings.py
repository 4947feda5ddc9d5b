"""Settings travel with estimators to worker processes.

`GridSearchCV(..., n_jobs=2)` sends estimators to processes that may have been started before the settings were made.
So what is pickled *for another process* (by joblib's loky, or multiprocessing) takes the settings of `mercer.configure`
along, which hold there as if they had been made there.  Model files and other pickles know nothing of settings.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Mapping
from multiprocessing.reduction import ForkingPickler
from typing import Any

from mercer.config import received, stated

_CARRIED = ("threads", "memory")  # a progress bar is drawn by the process that asked for it


def carry_settings(cls: type) -> None:
    """Have instances of this class take the settings along to other processes."""
    for register in _registers():
        register(cls, _reduced)


def _registers() -> list[Callable[[type, Any], None]]:
    """Where picklers between processes learn how to take an object apart."""
    found: list[Callable[[type, Any], None]] = [ForkingPickler.register]
    try:
        from joblib.externals.loky.backend.reduction import register
    except ImportError:  # a joblib with another loky: its workers then have the settings of their environment
        return found
    return [*found, register]


def _reduced(machine: Any) -> tuple[Any, ...]:
    """The usual parts of an object for pickle, with the settings before them."""
    make, arguments, *rest = machine.__reduce_ex__(4)
    settings = {name: value for name, value in stated().items() if name in _CARRIED}
    return (_arrived, (settings, make, arguments), *rest)


def _arrived(settings: Mapping[str, Any], make: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    if multiprocessing.parent_process() is not None:  # a worker, not the process that gets its results back
        received(settings)
    return make(*arguments)
