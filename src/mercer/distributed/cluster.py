"""Where tasks run: on the workers of a client, or on Dask's own scheduler if there is no client.

    shared = broadcast(landmarks)        one reference for all tasks, never a constant in their graph
    computed(collection, needs)          the result; Ctrl-C and errors cancel the tasks

A task has one thread: the pool of its worker is the only one, and sums do not depend on the number of cores.  The
memory budget of a task is the share of its worker.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from pickle import loads
from typing import Any

from mercer.config import config, here
from mercer.engine.pool import one_blas_thread
from mercer.errors import MemoryBudgetError

_AT_ONCE = 2  # groups of rows for each thread of the workers that are on their way at a time
_KEPT = 0.25  # share of the memory of all workers that may be kept between passes
_TRIES = 3  # of tasks whose broadcast values were lost with all workers that held them
_RESTART = 60  # seconds until a lost worker must be back
_SMALL = 2**20  # bytes that every worker has room for
_ROOM = 0.5  # share of the memory of a worker that its tasks may plan with; the rest is for blocks and results


class WorkerLost(MemoryBudgetError):
    """Workers were lost again and again under the same task, most often because it needs more memory than they have."""


class BroadcastLost(WorkerLost):
    """All workers that held a broadcast value were lost, and tasks cannot go on without it."""


def client() -> Any:
    """The client of this program, or None; inside of a task there is none, for a task must not wait for others."""
    if "distributed" not in sys.modules or _worker() is not None:
        return None
    from distributed import default_client

    try:
        found = default_client()
    except ValueError:
        return None
    return found if found.status == "running" else None


class Parcel:
    """A value on its way to workers, packed whole.

    Arrays that Dask sends in frames of their own may arrive at odd addresses, which compiled loops do not take.
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    @cached_property
    def packed(self) -> bytes:
        """The value as bytes."""
        from cloudpickle import dumps  # a dependency of Dask; it packs functions of a user too

        return bytes(dumps(self.value))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpacked, (self.packed,)


def _unpacked(packed: bytes) -> Parcel:
    return Parcel(loads(packed))


def broadcast(value: Any) -> Any:
    """A reference to Parcel(value) for tasks: a Future that all workers hold; without a client a node of the graph."""
    at, value = client(), Parcel(value)
    if at is None:
        from dask.delayed import delayed

        return delayed(value, pure=False, traverse=False)
    from mercer.distributed.versions import require_agreement

    require_agreement(at)
    _require_room(at, value)
    try:
        found = at.scatter([value], broadcast=True, hash=False, direct=True)[0]
    except OSError:  # workers that only the scheduler can reach
        found = at.scatter([value], broadcast=True, hash=False, direct=False)[0]
    del value.packed  # the workers have it now
    return found


def _require_room(at: Any, value: Parcel) -> None:
    """Refuse to send every worker more than its tasks may plan with."""
    size = len(value.packed)
    limits = [limit for limit in _limits(at) if limit] if size > _SMALL else []
    room = int(_ROOM * min(limits)) if limits else size
    if size > room:
        raise MemoryBudgetError(
            f"mercer: what every worker needs must fit half of its memory; got {size / 2**20:.0f} MiB, and "
            f"{room / 2**20:.0f} MiB are half of the smallest worker. Use workers with more memory, fewer landmarks or "
            "a sample of the rows; a model that keeps all rows can also predict here, block by block."
        )


def is_lost(reference: Any) -> bool:
    """Whether the workers that held a broadcast value, or its client, are gone."""
    from dask.delayed import Delayed

    return not isinstance(reference, Delayed) and (reference.status != "finished" or reference.client is not client())


def dropped_blocks(array: Any) -> bool:
    """Whether workers have lost blocks of an array that they kept, and cannot make them again themselves."""
    if "distributed" not in sys.modules:
        return False
    from distributed.client import futures_of

    return any(future.status in ("cancelled", "lost") and future.client.status == "running"
               for future in futures_of(array))  # fmt: skip


def kept_on_workers(array: Any, size: int) -> Any:
    """A Dask array that workers make once and keep, where it has room; else it is made whenever it is needed."""
    at = client()
    if at is None:
        return array.persist() if size <= _KEPT * config().memory else array
    limits = _limits(at)
    return at.persist(array) if not all(limits) or size <= _KEPT * sum(limits) else array


def tried_again(question: Callable[[], Any]) -> Any:
    """The answer to a question, asked again if what its tasks need was lost with all workers that held it."""
    for _ in range(_TRIES - 1):
        try:
            return question()
        except BroadcastLost:
            client().wait_for_workers(1, timeout=_RESTART)
    return question()


def completed(make: Callable[[], Any], task: str, needs: int) -> Any:
    """The value of the collection make(), which is made and tried again if what it needs was lost with all workers."""
    return tried_again(lambda: computed(make(), task, needs))


def computed(collection: Any, task: str, needs: int) -> Any:
    """The value of a collection; `needs` are the bytes that one task holds at a time, for the error message."""
    return all_computed(iter([collection]), 1, task, needs)[0]


def all_computed(collections: Iterator[Any], count: int, task: str, needs: int) -> list[Any]:
    """The values of `count` collections in their order, of which a few are at work at a time."""
    at = client()
    if at is None:
        return [collection.compute() for collection in collections]
    most = 1 if count == 1 else _AT_ONCE * max(sum(at.nthreads().values()), 1)
    waiting: deque[Any] = deque()
    found: list[Any] = []
    with _cancelled_after_errors(at, waiting, task, needs):
        waiting.extend(at.compute(collection) for collection in islice(collections, most))
        while waiting:
            found.append(_gathered(at, waiting[0]))
            waiting.popleft()
            waiting.extend(at.compute(collection) for collection in islice(collections, 1))
    return found


@contextmanager
def _cancelled_after_errors(at: Any, futures: Iterable[Any], task: str, needs: int) -> Iterator[None]:
    """A context whose errors cancel the futures; lost workers and a closed client become errors of our own."""
    from distributed import CancelledError
    from distributed.scheduler import KilledWorker

    memory = _least_memory(at)  # asked now: workers that are lost cannot be asked
    try:
        yield
    except KilledWorker as lost:
        _cancel(at, futures)
        raise WorkerLost(_lost(task, needs, memory, f"{lost.allowed_failures + 1} of them were")) from lost
    except CancelledError as closed:
        _cancel(at, futures)
        if _without_dependencies(closed) and at.status == "running":
            raise BroadcastLost(_lost(task, needs, memory, "all of them were")) from closed
        raise ConnectionAbortedError(
            f"mercer: the client must stay open until {task} is done; its tasks were cancelled. Fit again with an open "
            "client, and workers that stay."
        ) from closed
    except BaseException:
        _cancel(at, futures)
        raise


def _without_dependencies(fault: Any) -> bool:
    """Whether tasks were cancelled because data they need are gone; Dask tells of one task or of groups of them."""
    told = (fault, *getattr(fault, "error_groups", ()))
    return any(getattr(one, "reason", None) in ("lost dependencies", "already forgotten") for one in told)


def _lost(task: str, needs: int, memory: str, which: str) -> str:
    return (f"mercer: workers must survive {task}; {which} lost in turn. One task holds about "
            f"{max(needs, 2**20) / 2**20:.0f} MiB, and {memory}. Use smaller chunks (X.rechunk), fewer "
            "landmarks, or workers with more memory or fewer threads.")  # fmt: skip


def _gathered(at: Any, future: Any) -> Any:
    from distributed import wait

    wait(future)
    if future.status != "finished":
        return future.result()  # raises what happened in the task
    try:
        return at.gather(future, direct=True)
    except OSError:
        return at.gather(future, direct=False)


def _cancel(at: Any, futures: Iterable[Any]) -> None:
    """End tasks that nobody waits for any more; a client that is closed has done so itself."""
    if at.status == "running":
        at.cancel(list(futures), force=True)


def workers_known(at: Any) -> dict[str, Any]:
    """What the scheduler knows of every worker, by their addresses.

    Asked directly: what Client.scheduler_info returns may have been replaced, by an update without workers, since then.
    """
    return dict(at.sync(at.scheduler.identity, n_workers=-1)["workers"])


def _limits(at: Any) -> list[int]:
    """The bytes of memory of every worker; 0 for one without a limit."""
    return [int(worker["memory_limit"] or 0) for worker in workers_known(at).values()]


def _least_memory(at: Any) -> str:
    known = [limit for limit in _limits(at) if limit]
    return f"the smallest worker has {min(known) / 2**20:.0f} MiB" if known else "no worker has a memory limit"


@contextmanager
def one_task() -> Iterator[None]:
    """The settings of a task on a worker: one thread, and its share of the memory of the worker."""
    import scipy.linalg  # noqa: F401  # its BLAS must be loaded to be held to one thread

    with here(threads=1, memory=_task_memory(), progress=None), one_blas_thread():
        yield


def _task_memory() -> int:
    """Bytes that a task may plan with."""
    worker = _worker() if "distributed" in sys.modules else None
    if worker is None or not worker.memory_manager.memory_limit:
        return config().memory
    return max(int(_ROOM * worker.memory_manager.memory_limit / max(worker.state.nthreads, 1)), 2**20)


def _worker() -> Any:
    """The worker of the task that runs here, or None."""
    from distributed import get_worker

    try:
        return get_worker()
    except ValueError:
        return None
