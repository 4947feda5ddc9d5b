"""A client of a cluster that is already there, and whether its workers see a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mercer.errors import bad

_PATIENCE = 10  # seconds until a scheduler that does not answer is given up


@contextmanager
def connected(scheduler: str | None) -> Iterator[Any]:
    """A context in which the client of a scheduler is there; with None it does nothing."""
    if scheduler is None:
        yield None
        return
    try:
        from distributed import Client
    except ImportError:
        raise bad("mercer", "Dask", "installed for a scheduler", "none", "pip install 'mercer[dask]'.") from None
    try:
        client = Client(scheduler, timeout=_PATIENCE)
    except (OSError, ValueError) as fault:
        raise bad("cluster", "the scheduler", "the address of one that answers, such as tcp://10.0.0.1:8786", scheduler,
                  f"{fault}".rstrip(".") + ".") from fault  # fmt: skip
    with client:
        yield client


def require_at_workers(client: Any, path: str) -> None:
    """Refuse a file that some worker cannot see; without a client there is nothing to ask."""
    seen = {} if client is None else client.run(os.path.exists, path)
    blind = [worker for worker, there in seen.items() if not there]
    if blind:
        raise bad("cluster", "the table", "at the same place for all workers", f"{blind[0]} has no {path}",
                  "Put it on a file system that all machines share.")  # fmt: skip
