"""Running tasks on threads, so that they can be watched and stopped.

The heavy parts of a tile (BLAS, compiled loops) release the interpreter lock, so plain threads use all cores.
BLAS itself is held to one thread meanwhile: the tiles own the cores.  The calling thread only waits, and a
Ctrl-C reaches it at once: the workers finish the tile in hand and the interrupt is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache
from threading import Lock
from typing import Any, TypeVar

from mercer.config import config

T = TypeVar("T")

_POLL = 0.05  # seconds between looks at progress; an interrupt is answered within this time and one tile


@cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


_lock = Lock()
_inside: list[Any] = []  # one entry per context that is open now, on whatever thread


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """A context in which BLAS uses one thread, for work that is already spread over threads.

    The setting belongs to the process: the first context to open makes it and the last to close undoes it, for
    contexts of several threads need not be nested.
    """
    with _lock:
        _inside.append(_inside[0] if _inside else _blas().limit(limits=1))
    try:
        yield
    finally:
        with _lock:
            limit = _inside.pop()
            if not _inside:
                limit.restore_original_limits()


def run(task: Callable[[T], None], jobs: Sequence[T]) -> None:
    """Do `task(job)` for every job, on the configured number of threads; the order is not specified."""
    settings = config()
    threads = min(settings.threads, len(jobs))
    if len(jobs) == 1 and settings.progress is None:
        task(jobs[0])
    elif threads <= 1 and settings.progress is None:
        with one_blas_thread():  # as below, so that the last bit does not depend on the number of threads
            for job in jobs:
                task(job)
    else:
        _run_threads(task, jobs, max(threads, 1))


def _run_threads(task: Callable[[T], None], jobs: Sequence[T], threads: int) -> None:
    todo = iter(range(len(jobs)))  # next() on it is atomic, so it deals the jobs out
    done: list[int] = []
    stop = False

    def worker() -> None:
        for i in todo:
            if stop:
                return
            task(jobs[i])
            done.append(i)

    progress = config().progress
    with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
        pending = {pool.submit(copy_context().run, worker) for _ in range(threads)}
        try:
            while pending:
                finished, pending = wait(pending, timeout=_POLL, return_when=FIRST_EXCEPTION)
                for future in finished:
                    future.result()
                if progress is not None:
                    progress(len(done), len(jobs))
        finally:
            stop = True  # on an error or an interrupt the other workers end after their tile
