"""Settings that belong to the machine, not to the mathematics: threads, bytes, progress.

    with mercer.configure(threads=1, memory=2**30):
        k(X)

Settings are per context (thread or task), so two users of one process do not disturb each other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from numbers import Integral, Real
from typing import Any

from mercer.errors import bad

Progress = Callable[[int, int], None]


@cache
def total_memory() -> int:
    """Bytes of memory of this machine; 4 GiB where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 4 * 2**30


@cache
def usable_cores() -> int:
    """Cores this process may run on (its affinity mask, not the machine's count)."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


@dataclass(frozen=True)
class Config:
    """threads: workers over tiles; memory: byte budget; progress: called with (tiles done, tiles in all)."""

    threads: int
    memory: int
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.threads, Integral) or self.threads < 1:
            raise bad("configure", "threads", "an integer >= 1", repr(self.threads), "Leave it out to use every core.")
        if not isinstance(self.memory, Real) or not self.memory >= 2**16:
            raise bad("configure", "memory", "at least 65536 bytes", repr(self.memory),
                      "Leave it out for a quarter of RAM.")  # fmt: skip
        if not (self.progress is None or callable(self.progress)):
            raise bad("configure", "progress", "a function of (tiles done, tiles in all)", repr(self.progress),
                      "Leave it out for silence.")  # fmt: skip


_current: ContextVar[Config | None] = ContextVar("mercer_config", default=None)


def config() -> Config:
    """The settings in force here; the default is every core and a quarter of RAM."""
    return _current.get() or Config(threads=usable_cores(), memory=total_memory() // 4)


@contextmanager
def configure(**changes: Any) -> Iterator[Config]:
    """Change `threads`, `memory` or `progress` inside a with-block."""
    token = _current.set(replace(config(), **changes))
    try:
        yield config()
    finally:
        _current.reset(token)
