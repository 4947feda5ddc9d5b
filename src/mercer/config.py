"""Settings that belong to the machine, not to the mathematics: threads, bytes, progress.

    mercer.configure(threads=1)                 from here on, in every thread
    with mercer.configure(memory=2**30):        until the end of the block
        k(X)

Environment variables MERCER_THREADS and MERCER_MEMORY (bytes) set what holds where nothing else is said.

A block belongs to the context (thread or task) that opened it: two threads with a block each do not disturb each
other.  A thread without one sees the latest block of the others, so that settings reach threads that a block starts;
estimators/worker_settings.py takes them to worker processes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from itertools import count
from numbers import Integral, Real
from threading import Lock
from typing import Any

from mercer.errors import bad

Progress = Callable[[int, int], None]
_UNCHANGED: Any = object()


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
        check_threads("configure", self.threads)
        check_memory("configure", self.memory)
        if not (self.progress is None or callable(self.progress)):
            raise bad("configure", "progress", "a function of (tiles done, tiles in all)", repr(self.progress),
                      "None is silence.")  # fmt: skip


def check_threads(owner: str, given: Any) -> None:
    """Refuse what is not a number of threads."""
    if not isinstance(given, Integral) or isinstance(given, bool) or given < 1:
        raise bad(owner, "threads", "an integer >= 1", repr(given), "None is every core.")


def check_memory(owner: str, given: Any) -> None:
    """Refuse what is not a byte budget."""
    if not isinstance(given, Real) or isinstance(given, bool) or not 2**16 <= float(given) < float("inf"):
        raise bad(owner, "memory", "at least 65536 bytes", repr(given), "None is a quarter of RAM.")


# ---- what is in force


@dataclass(eq=False)
class _Layer:
    """Some settings, and when they were made; `block` if they end with a with-block, `over` if they have ended."""

    changes: Mapping[str, Any]
    block: bool = False
    over: bool = False
    born: int = field(default_factory=count().__next__)


_lock = Lock()
_everywhere: list[_Layer] = []  # of all threads
_own: ContextVar[tuple[_Layer, ...]] = ContextVar("mercer_config", default=())  # blocks of this context


def config() -> Config:
    """The settings in force here; the default is every core and a quarter of RAM."""
    own = _own.get()
    if not own and not _everywhere:
        return _default()
    return _merged(own, tuple(_everywhere))


@lru_cache(maxsize=64)  # asked before every run of tiles
def _merged(own: tuple[_Layer, ...], everywhere: tuple[_Layer, ...]) -> Config:
    return Config(**_plain(_default()) | _changes(own, everywhere))


def stated() -> dict[str, Any]:
    """The settings in force here that were made by `configure`."""
    return _changes(_own.get(), tuple(_everywhere))


def _changes(own: tuple[_Layer, ...], everywhere: tuple[_Layer, ...]) -> dict[str, Any]:
    """What these settings come to: the latest ones hold."""

    def rank(layer: _Layer) -> tuple[bool, int]:
        """Blocks of other threads give way where there is one of our own; else the later settings hold."""
        gives_way = bool(own) and layer.block and layer not in own
        return not gives_way, layer.born

    changes: dict[str, Any] = {}
    for layer in sorted({*own, *everywhere}, key=rank):
        changes.update(layer.changes)
    return changes


def _plain(settings: Config) -> dict[str, Any]:
    return {f.name: getattr(settings, f.name) for f in fields(settings)}


@cache
def _default() -> Config:
    """The environment's settings, or every core and a quarter of RAM."""
    return Config(
        threads=int(_from_environment("MERCER_THREADS", check_threads, usable_cores())),
        memory=int(_from_environment("MERCER_MEMORY", check_memory, total_memory() // 4)),
    )


def _from_environment(name: str, check: Callable[[str, Any], None], default: int) -> float:
    """The number in an environment variable, or the default where it is not set."""
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    given: Any = text
    try:
        given = float(text)
        given = int(given) if given.is_integer() else given
    except ValueError:  # the check refuses the text
        pass
    check(f"the environment variable {name}", given)
    return float(given)


# ---- how it is changed


class configure:  # noqa: N801  # a verb for users, and a class only so that it works with and without `with`
    """Change `threads`, `memory` (bytes) or `progress`: at once and in every thread, or for a with-block.

    None is the default: every core, a quarter of RAM, silence.  Of settings that are made twice the later ones hold.
    """

    def __init__(self, *, threads: Any = _UNCHANGED, memory: Any = _UNCHANGED, progress: Any = _UNCHANGED) -> None:
        self._layer = _Layer(_checked({"threads": threads, "memory": memory, "progress": progress}))
        names = self._layer.changes.keys()
        self._hidden = [layer for layer in _everywhere if not layer.block and layer.changes.keys() <= names]
        self._blocks: list[_Layer] = []
        _swap(self._hidden, [self._layer])

    def __enter__(self) -> Config:
        block = _Layer(self._layer.changes, block=True)
        _swap([self._layer], [block, *(layer for layer in self._hidden if not layer.over)])
        self._layer.over, self._hidden = True, []
        self._blocks.append(block)
        _own.set((*_own.get(), block))
        return config()

    def __exit__(self, *error: object) -> None:
        block = self._blocks.pop()
        _swap([block], [])
        _own.set(tuple(layer for layer in _own.get() if layer is not block))

    def __repr__(self) -> str:
        return repr(config())


@contextmanager
def here(**changes: Any) -> Iterator[None]:
    """Settings of this context alone, for work that divides the threads among its own tasks."""
    token = _own.set((*_own.get(), _Layer(changes, block=True)))
    try:
        yield
    finally:
        _own.reset(token)


def received(changes: Mapping[str, Any]) -> None:
    """Take over the settings of the process that this one works for, in place of those that came before."""
    before = [layer for layer in _everywhere if isinstance(layer, _Received)]
    _swap(before, [_Received(_checked(changes))] if changes else [])


class _Received(_Layer):
    """Settings of another process."""


def _checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are changed, with defaults for None; refuses those that make no sense."""
    default = _plain(_default())
    changes = {name: value for name, value in given.items() if value is not _UNCHANGED}
    changes |= {name: default[name] for name, value in changes.items() if value is None}
    Config(**default | changes)
    return changes


def _swap(old: Sequence[_Layer], new: Sequence[_Layer]) -> None:
    """Take some layers away and add others."""
    with _lock:
        _everywhere[:] = [layer for layer in _everywhere if layer not in old] + [*new]
