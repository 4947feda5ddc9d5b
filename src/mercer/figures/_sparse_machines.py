"""Sparse machines for E3 and E4: several machines on several data sets, and how many items each keeps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from mercer.typing import Array


@dataclass(frozen=True)
class Result:
    """The first data set with the machines fitted to it; items kept, test errors and seconds of every data set."""

    X: Array
    y: Array
    machines: dict[str, Any]
    kept: dict[str, list[int]]
    error: dict[str, list[float]]
    seconds: dict[str, list[float]]


def tried(
    machines: Callable[[], dict[str, Any]],
    problems: Iterable[tuple[Array, Array, Array, Array]],
    error: Callable[[Array, Array], float],
) -> Result:
    """New machines for every problem (X, y to fit, Z, t to test); of a search, its best machine is taken."""
    found: list[tuple[Array, Array, dict[str, Any]]] = []
    kept: dict[str, list[int]] = {}
    errors: dict[str, list[float]] = {}
    seconds: dict[str, list[float]] = {}
    for X, y, Z, t in problems:
        fitted = {}
        for name, machine in machines().items():
            start = time.perf_counter()
            machine.fit(X, y)
            seconds.setdefault(name, []).append(time.perf_counter() - start)
            fitted[name] = getattr(machine, "best_estimator_", machine)
            kept.setdefault(name, []).append(len(fitted[name].support_))
            errors.setdefault(name, []).append(float(error(fitted[name].predict(Z), t)))
        found.append((X, y, fitted))
    return Result(*found[0], kept, errors, seconds)
