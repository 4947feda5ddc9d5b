"""Running tasks on threads, so that they can be watched and stopped.

The heavy parts of a tile (BLAS, compiled loops) release the interpreter lock, so plain threads use all cores.
BLAS itself is held to one thread meanwhile: the tiles own the cores.  The calling thread only waits, and a
Ctrl-C reaches it at once: the workers finish their current tile and the interrupt is raised.  A task of many tiles
calls `tick` after each of them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from typing import Any, TypeVar

from mercer.config import config

T = TypeVar("T")

_POLL = 0.05  # seconds between looks at progress; an interrupt is answered within this time and one tile


@cache
def _blas(with_scipy: bool) -> Any:
    """The BLAS of NumPy, and the one that SciPy brings with it once that is loaded."""
    import numpy  # noqa: F401  # a BLAS must be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


_lock = Lock()
_inside: list[Any] = []  # one entry per open context, of any thread


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """A context in which BLAS uses one thread, for work that is already spread over threads.

    The setting belongs to the process: the first context to open makes it and the last to close undoes it, because
    contexts of several threads may overlap.
    """
    with _lock:
        _inside.append(_inside[0] if _inside else _blas("scipy.linalg" in sys.modules).limit(limits=1))
    try:
        yield
    finally:
        with _lock:
            limit = _inside.pop()
            if not _inside:
                limit.restore_original_limits()


class Stopped(Exception):
    """Ends a task from within, after an error or an interrupt elsewhere."""


@dataclass(eq=False)
class _Watch:
    """Shared by the waiting thread and the workers: whether to stop, and the steps done so far."""

    stop: bool = False
    ticks: list[None] = field(default_factory=list)  # appending is atomic


_watch: ContextVar[_Watch | None] = ContextVar("mercer_watch", default=None)


def stopped() -> bool:
    """Whether the run this task belongs to has been stopped, by an error or an interrupt elsewhere."""
    watch = _watch.get()
    return watch is not None and watch.stop


@contextmanager
def finishing() -> Iterator[None]:
    """A context for the last work of a task whose run has been stopped: in it `tick` does not end the task.

    It must be short, because an interrupt waits for it.
    """
    token = _watch.set(None if _watch.get() is None else _Watch())  # inside a task, nested runs stay on this thread
    try:
        yield
    finally:
        _watch.reset(token)


def tick() -> None:
    """Count one step of a task that has many, and end it here if the run has been stopped."""
    watch = _watch.get()
    if watch is not None:
        watch.ticks.append(None)
        if watch.stop:
            raise Stopped


def run(task: Callable[[T], None], jobs: Sequence[T], *, steps: int | None = None) -> None:
    """Do `task(job)` for every job, on the configured number of threads; the order is not specified.

    Progress is counted in jobs; if tasks call `tick`, in those calls, and `steps` is their total number.
    """
    settings = config()
    threads = min(settings.threads, len(jobs))
    if _watch.get() is not None:  # inside a task: all threads are in use
        for job in jobs:
            task(job)
    elif len(jobs) == 1 and settings.progress is None:
        task(jobs[0])
    elif threads <= 1 and settings.progress is None:
        with one_blas_thread():  # as below, so that the last bit does not depend on the number of threads
            for job in jobs:
                task(job)
    else:
        _run_threads(task, jobs, max(threads, 1), steps)


def _run_threads(task: Callable[[T], None], jobs: Sequence[T], threads: int, steps: int | None) -> None:
    todo = iter(range(len(jobs)))  # next() is atomic, so each job goes to one worker
    watch = _Watch()

    def worker() -> None:
        _watch.set(watch)
        with suppress(Stopped):
            for i in todo:
                task(jobs[i])
                if steps is None:
                    tick()

    progress, total = config().progress, len(jobs) if steps is None else steps
    with one_blas_thread():
        pending = {_threads(threads).submit(copy_context().run, worker) for _ in range(threads)}
        try:
            while pending:
                finished, pending = wait(pending, timeout=_POLL, return_when=FIRST_EXCEPTION)
                for future in finished:
                    future.result()
                if progress is not None:
                    progress(len(watch.ticks), total)
        finally:
            watch.stop = True  # on an error or an interrupt the other workers end after their tile
            wait(pending)


@cache
def _threads(count: int) -> ThreadPoolExecutor:
    """Threads that are kept between runs: starting one costs as much as a tile."""
    return ThreadPoolExecutor(count, thread_name_prefix="mercer")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_threads.cache_clear)  # a forked process has none of its parent's threads
