"""How long a fit may work: tolerance, steps and seconds, shared by all the problems it is made of."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Self

from mercer.engine.interrupts import interrupted

Progress = Callable[[int, float, float], None]


@dataclass(eq=False)
class Limits:
    """tol bounds what the solver says it bounds; max_iter counts the steps of one problem; time_limit is in seconds.

    `progress` is called with (active items, violation, dual).  `ended` says why the work ended early: "time_limit" or
    "interrupted" (Ctrl-C, engine/interrupts.py), "" while it goes on.
    """

    tol: float = 1e-3
    max_iter: int | None = None
    time_limit: float | None = None
    progress: Progress | None = None
    started: float = field(default_factory=time.perf_counter)
    ended: str = ""

    @property
    def left(self) -> float | None:
        """Seconds left; None without a limit."""
        return None if self.time_limit is None else self.time_limit - (time.perf_counter() - self.started)

    @property
    def counts_steps(self) -> bool:
        """Whether somebody limits or watches the steps of each problem."""
        return self.max_iter is not None or self.progress is not None

    def reached(self, steps: int = 0) -> str:
        """Which limit has been reached after so many steps of one problem; "" if none."""
        if not self.ended and interrupted():
            self.ended = "interrupted"
        left = self.left
        if not self.ended and left is not None and left <= 0.0:
            self.ended = "time_limit"
        if not self.ended and self.max_iter is not None and steps >= self.max_iter:
            return "max_iter"
        return self.ended

    def share(self, waiting: int) -> Self:
        """Limits of one problem when the time left is for `waiting` of them, one after the other."""
        left = self.left
        return self if left is None else replace(self, time_limit=left / waiting, started=time.perf_counter())
