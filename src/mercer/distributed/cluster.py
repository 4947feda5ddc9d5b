"""Where tasks run: on the workers of a client, or on Dask's own scheduler if there is no client.

    shared = broadcast(landmarks)        one reference for all tasks, never a constant in their graph
    computed(collection, needs)          the result; Ctrl-C and errors cancel the tasks

A task has one thread: the pool of its worker is the only one, and sums do not depend on the number of cores.  The
memory budget of a task is the share of its worker.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pickle import loads
from typing import Any

from mercer.config import config, here
from mercer.engine.pool import one_blas_thread
from mercer.errors import MemoryBudgetError

_TRIES = 3  # of tasks whose broadcast values were lost with all workers that held them
_RESTART = 60  # seconds until a lost worker must be back
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

    def __reduce__(self) -> tuple[Any, ...]:
        from cloudpickle import dumps  # a dependency of Dask; it packs functions of a user too

        return _unpacked, (dumps(self.value),)


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
    try:
        return at.scatter([value], broadcast=True, hash=False, direct=True)[0]
    except OSError:  # workers that only the scheduler can reach
        return at.scatter([value], broadcast=True, hash=False, direct=False)[0]


def is_lost(reference: Any) -> bool:
    """Whether the workers that held a broadcast value, or its client, are gone."""
    from dask.delayed import Delayed

    return not isinstance(reference, Delayed) and (reference.status != "finished" or reference.client is not client())


def completed(make: Callable[[], Any], task: str, needs: int) -> Any:
    """The value of the collection make(), which is made and tried again if what it needs was lost with all workers."""
    for _ in range(_TRIES - 1):
        try:
            return computed(make(), task, needs)
        except BroadcastLost:
            client().wait_for_workers(1, timeout=_RESTART)
    return computed(make(), task, needs)


def computed(collection: Any, task: str, needs: int) -> Any:
    """The value of a collection; `needs` are the bytes that one task holds at a time, for the error message."""
    at = client()
    if at is None:
        return collection.compute()
    from distributed import CancelledError
    from distributed.scheduler import KilledWorker

    memory = _least_memory(at)  # asked now: workers that are lost cannot be asked
    future = at.compute(collection)
    try:
        return _gathered(at, future)
    except KilledWorker as lost:
        raise WorkerLost(_lost(task, needs, memory, f"{lost.allowed_failures + 1} of them were")) from lost
    except CancelledError as closed:
        if _without_dependencies(closed) and at.status == "running":
            raise BroadcastLost(_lost(task, needs, memory, "all of them were")) from closed
        raise ConnectionAbortedError(
            f"mercer: the client must stay open until {task} is done; its tasks were cancelled. Fit again with an open "
            "client, and workers that stay."
        ) from closed
    except BaseException:
        _cancel(at, future)
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


def _cancel(at: Any, future: Any) -> None:
    """End tasks that nobody waits for any more; a client that is closed has done so itself."""
    if at.status == "running":
        at.cancel([future], force=True)


def _least_memory(at: Any) -> str:
    from mercer.distributed.versions import present_workers

    limits = [worker["memory_limit"] for worker in present_workers(at).values()]
    known = [limit for limit in limits if limit]
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
