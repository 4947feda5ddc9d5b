"""What a fit may use: tolerance, steps and seconds for all the problems it is made of, and the byte budget.

Limits          tolerance, steps, seconds, and whether the work has ended early
run_by_size     the problems of a fit on the threads there are, until a limit is reached
room_for        how many items a solver may store the Gram of, within mercer.configure(memory=...)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import isqrt
from typing import Self

from mercer.config import config, here
from mercer.engine.interrupts import interrupted, until_interrupted
from mercer.engine.pool import one_blas_thread, run

ONE_CORE = 4096  # items from which one problem can use several cores
TINY = 1024  # total items up to which a second thread costs more than it saves
SMALLEST = 32  # items whose Gram fits the smallest budget there is
LEAST = 2**16  # bytes, the smallest budget that mercer.configure accepts

Progress = Callable[[int, float, float], None]


@dataclass(eq=False)
class Limits:
    """tol is the tolerance of the solver; max_iter limits the steps of one problem; time_limit is in seconds.

    `progress` is called with (active items, violation, dual).  `ended` says why the work ended early: "time_limit" or
    "interrupted" (Ctrl-C, engine/interrupts.py), "" if it has not.
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
        """Whether the steps of each problem are limited or reported."""
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
        """Limits of one problem when `waiting` problems, one after the other, have to use the time left."""
        left = self.left
        return self if left is None else replace(self, time_limit=left / waiting, started=time.perf_counter())


def run_by_size(task: Callable[[int], None], sizes: Sequence[int], limits: Limits) -> None:
    """task(i) for every i, until a limit is reached: large problems one by one on all threads, small ones in parallel.

    Each small one has one thread and an equal part of the byte budget.
    """
    by_size = sorted(range(len(sizes)), key=lambda i: -sizes[i])
    count = sum(size > ONE_CORE for size in sizes) if len(sizes) > 1 else int(sum(sizes) > TINY)
    large, small = by_size[:count], by_size[count:]
    memory = part_of_budget(min(config().threads, len(small)))

    def on_one_thread(i: int) -> None:
        if not limits.reached():
            with here(threads=1, memory=memory):
                task(i)

    with until_interrupted(), one_blas_thread():
        for i in large:
            if not limits.reached():
                task(i)
        if sum(sizes[i] for i in small) <= TINY:
            for i in small:
                on_one_thread(i)
        else:
            run(on_one_thread, small)
    limits.reached()  # an interrupt that has come is noted in `ended`


def part_of_budget(parts: int) -> int:
    """The bytes for each of several problems that are solved at the same time."""
    return max(int(config().memory) // max(parts, 1), LEAST)


def room_for(most: int, bytes_per_pair: int) -> int:
    """`most` items, or fewer if the byte budget does not hold `bytes_per_pair` for every pair of them.

    `most` is the size that suits the processor; a small budget gives less, down to SMALLEST.
    """
    return min(most, max(SMALLEST, isqrt(int(config().memory) // bytes_per_pair)))
