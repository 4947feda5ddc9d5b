"""The runner: us and the rivals by turns, in one process, on one set of data.

For every case:

1. each contestant runs once at a small size, so that imports are not counted;
2. then ours, rival, floor, ours, rival, floor, ... at full size, so that a noisy minute hurts all alike;
   the best of the rounds counts;
3. in the first round every rival's answer is compared with ours.

On a busy machine look at `cpu_ratio` too: processor time of all threads does not grow while others have the core.

The floor is work that no implementation can do without; `times_floor` says how far from it we are.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.memory import peak_extra

Task = Callable[[Any], Any]

OURS, FLOOR = "ours", "floor"


@dataclass(frozen=True)
class Agreement:
    """Whether two answers are the same, and in words how nearly."""

    same: bool
    detail: str


def close(ours: Any, theirs: Any, tolerance: float) -> Agreement:
    """The same up to `tolerance` times the largest entry of theirs."""
    apart = float(np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs)))
    return Agreement(apart <= tolerance, f"apart {apart:.0e}")


@dataclass(frozen=True)
class Rival:
    """Another way to the same answer; `needs` is the module it cannot do without."""

    task: Task
    needs: str

    @property
    def installed(self) -> bool:
        return find_spec(self.needs) is not None


@dataclass(frozen=True)
class SelfTimed:
    """The answer of a task that knows better than a clock around it how long the work took, or did one part of many."""

    seconds: float
    value: Any
    parts: int = 1  # the processor time of this one is counted so often; 0 where it says nothing
    bound: bool = False  # it was stopped, or gave up, before it had the answer: the seconds are a lower bound
    work: float | None = None  # processor time, where the task knows that better too


@dataclass(frozen=True)
class Case:
    """One question.  `data(size)` makes what every task is given; only the tasks are timed."""

    suite: str
    name: str
    size: int
    small: int
    data: Callable[[int], Any]
    ours: Task
    rivals: Mapping[str, Rival]
    check: Callable[[Any, Any, Any], Agreement]  # (data, our answer, their answer)
    floor: Task | None = None
    memory: bool = False  # measure peak extra bytes too, in one more run
    cold: bool = False  # the first time is what is measured: no warm-up, and no smoke run


@dataclass(frozen=True)
class Row:
    """One line of the results: us against one rival.  None where there is nothing to report."""

    suite: str
    case: str
    size: int
    rival: str
    ours_s: float
    rival_s: float | None
    ratio: float | None  # rival_s / ours_s: how many times faster we are
    cpu_ratio: float | None  # the same in processor time
    same: bool | None
    detail: str
    floor_s: float | None
    times_floor: float | None
    extra_bytes: int | None
    rival_bytes: int | None
    bound: bool  # the rival did not get there in rival_s, so that this and the ratios are lower bounds


@dataclass(frozen=True)
class Race:
    """What came out of the rounds: best seconds of all, the agreement of rivals with us, and who got there at all."""

    wall: dict[str, float]
    cpu: dict[str, float]
    verdicts: dict[str, Agreement]
    arrived: set[str]


def run(case: Case, *, repeat: int = 3, smoke: bool = False) -> list[Row]:
    """Measure one case; a row per rival.  A smoke run is one round at the small size."""
    if not (smoke or case.cold):
        race(case, case.data(case.small), repeat=1)
    size = case.small if smoke else case.size
    data = case.data(size)
    result = race(case, data, 1 if smoke else repeat)
    bytes_of = _memory(case, data) if case.memory and not smoke else {}
    return [_row(case, size, name, result, bytes_of) for name in case.rivals]


def race(case: Case, data: Any, repeat: int) -> Race:
    """`repeat` rounds in which every contestant has one turn."""
    tasks = _contestants(case)
    wall, cpu = dict.fromkeys(tasks, math.inf), dict.fromkeys(tasks, math.inf)
    verdicts, arrived = {}, set()
    for turn in range(repeat):
        mine = None
        for name, task in tasks.items():
            timed, work = _clock(task, data)
            wall[name], cpu[name] = min(wall[name], timed.seconds), min(cpu[name], work)
            if not timed.bound:
                arrived.add(name)
            if turn == 0 and name == OURS:
                mine = timed.value
            elif turn == 0 and name in case.rivals:
                verdicts[name] = case.check(data, mine, timed.value)
            del timed  # before the next contestant needs the memory
    return Race(wall, cpu, verdicts, arrived)


def _contestants(case: Case) -> dict[str, Task]:
    rivals = {name: rival.task for name, rival in case.rivals.items() if rival.installed}
    return {OURS: case.ours} | rivals | ({FLOOR: case.floor} if case.floor else {})


def _clock(task: Task, data: Any) -> tuple[SelfTimed, float]:
    """The answer with its seconds by the clock, and seconds of processor time (all threads and child processes)."""
    work, start = processor_time(), time.perf_counter()
    answer = task(data)
    seconds, work = time.perf_counter() - start, processor_time() - work
    timed = answer if isinstance(answer, SelfTimed) else SelfTimed(seconds, answer)
    return timed, work * timed.parts if timed.work is None else timed.work


def processor_time() -> float:
    """Seconds of processor time so far, of all threads and child processes."""
    used = os.times()  # which counts hundredths of a second: too coarse for this process
    return time.process_time() + used.children_user + used.children_system


def _memory(case: Case, data: Any) -> dict[str, int | None]:
    return {name: peak_extra(partial(task, data)) for name, task in _contestants(case).items() if name != FLOOR}


def _row(case: Case, size: int, rival: str, result: Race, bytes_of: dict[str, int | None]) -> Row:
    ours, theirs, floor = result.wall[OURS], result.wall.get(rival), result.wall.get(FLOOR)
    missing = Agreement(False, f"skipped: {case.rivals[rival].needs} is not installed")
    verdict = result.verdicts.get(rival, missing)
    return Row(
        suite=case.suite,
        case=case.name,
        size=size,
        rival=rival,
        ours_s=ours,
        rival_s=theirs,
        ratio=None if theirs is None else theirs / ours,
        cpu_ratio=None
        if theirs is None or not result.cpu[OURS] * result.cpu[rival]
        else result.cpu[rival] / result.cpu[OURS],
        same=None if theirs is None else verdict.same,
        detail=verdict.detail,
        floor_s=floor,
        times_floor=None if floor is None else ours / floor,
        extra_bytes=bytes_of.get(OURS),
        rival_bytes=bytes_of.get(rival),
        bound=theirs is not None and rival not in result.arrived,
    )
