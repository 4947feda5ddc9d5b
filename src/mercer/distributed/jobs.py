"""Jobs of different kinds on the workers of a client, with their results as they come."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from mercer.distributed.cluster import Parcel, broadcast, client, one_task


def finished_jobs(
    work: Callable[..., Any], jobs: Sequence[Any], shared: Any, deadline: float
) -> Iterator[tuple[int, Any]]:
    """(position, work(shared, job)) for every job, in the order in which they end; after the deadline no more.

    Jobs that nobody waits for any more are cancelled: after the deadline, an error or Ctrl-C.
    """
    from distributed import as_completed

    at, value = client(), broadcast(shared)
    futures = [at.submit(_worked, work, value, Parcel(job), pure=False) for job in jobs]
    places = {future.key: i for i, future in enumerate(futures)}
    left = None if deadline == float("inf") else max(deadline - time.perf_counter(), 0.0)
    try:
        for future in as_completed(futures, timeout=left):
            yield places[future.key], future.result()
    except TimeoutError:
        return
    finally:
        if at.status == "running":
            at.cancel(futures, force=True)


def _worked(work: Callable[..., Any], shared: Parcel, job: Parcel) -> Any:
    with one_task():
        return work(shared.value, job.value)
