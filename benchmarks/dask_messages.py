"""A cluster whose scheduler counts its messages: the largest that came in or went out, in bytes.

The scheduler is a process of its own, so that what the client sends to workers directly is not counted.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

sizes: list[int] = []  # of all messages of the scheduler in this process


@contextmanager
def counting_client(workers: int, port: int = 28786) -> Iterator[Any]:
    """A client of such a cluster, with single-thread workers."""
    from distributed import Client

    address = f"tcp://127.0.0.1:{port}"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen([sys.executable, "-m", "benchmarks.dask_messages", str(port)], **quiet)
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard"]
    time.sleep(2.0)
    hands = [subprocess.Popen([*command, "--nworkers", str(workers)], **quiet)]
    try:
        with Client(address, timeout=30) as client:
            client.wait_for_workers(workers, timeout=60)
            yield client
    finally:
        for process in (*hands, server):
            process.terminate()
            process.wait()


def largest(client: Any) -> int:
    """The bytes of the largest message so far; forgets all."""
    return int(client.run_on_scheduler(_largest))


def _largest(dask_scheduler: Any) -> int:
    from benchmarks.dask_messages import sizes as own

    found = max(own, default=0)
    own.clear()
    return found


async def serve(port: int) -> None:
    """Run a scheduler that counts."""
    from distributed import Scheduler
    from distributed.comm import tcp
    from distributed.utils import nbytes

    from benchmarks import dask_messages

    outgoing, incoming = tcp.to_frames, tcp.from_frames

    async def to_frames(*args: Any, **options: Any) -> Any:
        frames = await outgoing(*args, **options)
        dask_messages.sizes.append(sum(map(nbytes, frames)))
        return frames

    async def from_frames(frames: Any, *args: Any, **options: Any) -> Any:
        dask_messages.sizes.append(sum(map(nbytes, frames)) if isinstance(frames, list) else nbytes(frames))
        return await incoming(frames, *args, **options)

    tcp.to_frames, tcp.from_frames = to_frames, from_frames
    scheduler = await Scheduler(port=port, dashboard=False)
    await scheduler.finished()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
