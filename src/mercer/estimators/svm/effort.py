"""Effort: how long one fit may work, shared by all the problems it is made of.

A fit may be one problem, one for every pair of classes, or those and the folds of their calibration.  Tolerance, step
limit, clock and Ctrl-C are the same for all of them.  When time is up or the user interrupts, what has not been
solved stays at its start, with its gap, and the machine is usable.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import numpy as np

from mercer.config import config, configure
from mercer.engine.pool import one_blas_thread, run, stopped
from mercer.errors import bad
from mercer.estimators.svm.linear import solve
from mercer.solvers.dual import DualSolution, Problem
from mercer.solvers.dual.certificate import certify
from mercer.typing import Array

SMALL = 4096  # a problem of so many items keeps one core busy, not more
TINY = 1024  # problems of so many items in all are solved before a second thread has woken up


@dataclass(eq=False)
class Effort:
    """Tolerance, steps and seconds of one fit; `ended` says why it ended early."""

    owner: str
    tol: float
    max_iter: int | None = None
    time_limit: float | None = None
    verbose: bool = False
    threads: int = field(default_factory=lambda: config().threads)
    started: float = field(default_factory=time.perf_counter)
    ended: str = ""

    @classmethod
    def of(cls, machine: Any) -> Effort:
        """The limits a machine was given, checked."""
        owner, tol, steps, seconds = type(machine).__name__, machine.tol, machine.max_iter, machine.time_limit
        if not isinstance(tol, Real) or not 0.0 < float(tol) < np.inf:
            raise bad(owner, "tol", "a positive number", repr(tol), "1e-3 is the default.")
        if not isinstance(steps, Integral) or steps < -1:
            raise bad(owner, "max_iter", "an integer >= -1", repr(steps), "-1 means no limit.")
        if seconds is not None and not (isinstance(seconds, Real) and float(seconds) > 0.0):
            raise bad(owner, "time_limit", "a positive number of seconds, or None", repr(seconds), "None: no limit.")
        seconds = None if seconds is None else float(seconds)
        return cls(owner, float(tol), None if steps == -1 else int(steps), seconds, bool(machine.verbose))

    @property
    def left(self) -> float | None:
        """Seconds left; None without a limit."""
        return None if self.time_limit is None else self.time_limit - (time.perf_counter() - self.started)

    @property
    def over(self) -> bool:
        """Whether no more work should begin."""
        left = self.left
        if not self.ended and stopped():
            self.ended = "interrupted"
        elif not self.ended and left is not None and left <= 0.0:
            self.ended = "time_limit"
        return bool(self.ended)

    @property
    def plain(self) -> bool:
        """Whether nothing but the tolerance and the clock has to be looked after."""
        return self.max_iter is None and not self.verbose

    def solve(self, gram: Any, problem: Problem, start: Array | None = None, *, loosest: float = 0.0,
              waiting: int = 1) -> DualSolution:  # fmt: skip
        """The solution of one problem, to a tolerance of at least `loosest`; the time left is for `waiting` of them."""
        if self.over:
            return self._unsolved(gram, problem)
        left = self.left
        found = solve(
            gram, problem, tol=max(self.tol, loosest), max_iter=self.max_iter, start=start,
            time_limit=None if left is None else left / max(1, waiting // self.threads),
            progress=self._tell if self.verbose else None,
        )  # fmt: skip
        if found.reason == "interrupted":
            self.ended = found.reason
        return found

    def _unsolved(self, gram: Any, problem: Problem) -> DualSolution:
        """The feasible point every problem starts from, with its gap."""
        b, J = problem.start.astype(np.float64), np.flatnonzero(problem.start)
        F = -problem.z + problem.ridge_times(b)
        F = F + gram.part(None, J) @ b[J] if len(J) else F
        return certify(b, F, problem, tol=self.tol, n_iter=0, reason=self.ended)

    def _tell(self, active: int, violation: float, dual: float) -> None:
        sys.stdout.write(f"[{self.owner}] {active} active items, violation {violation:.2e}, dual {dual:.8g}\n")

    def share_out(self, task: Callable[[int], None], sizes: Sequence[int]) -> None:
        """task(i) for every i: big problems one by one on all threads, small ones side by side on one thread each."""
        by_size = sorted(range(len(sizes)), key=lambda i: -sizes[i])
        big = sum(size > SMALL for size in sizes) if len(sizes) > 1 else int(sum(sizes) > TINY)

        def alone(i: int) -> None:
            with configure(threads=1):
                task(i)

        try:
            with one_blas_thread():
                for i in by_size[:big]:
                    task(i)
                if sum(sizes[i] for i in by_size[big:]) <= TINY:
                    for i in by_size[big:]:
                        alone(i)
                else:
                    run(alone, by_size[big:])
        except KeyboardInterrupt:
            self.ended = "interrupted"
