"""Workers: their memory, threads and versions, and whether they agree with this program."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from mercer.distributed.cluster import workers_known
from mercer.errors import bad

PACKAGES = ("mercer", "numpy", "scipy", "scikit-learn", "dask", "distributed")
_PATIENCE = 10  # seconds until a cluster without workers is given up
_known: dict[str, frozenset[str]] = {}  # workers of each client that have been asked already


@dataclass(frozen=True)
class WorkerState:
    """One worker: address, threads, bytes of memory (0: no limit), and the versions it has of PACKAGES and Python."""

    address: str
    threads: int
    memory: int
    versions: dict[str, str]


def versions() -> dict[str, str]:
    """The versions of this process; "none" for what is not installed."""
    found = {"python": ".".join(platform.python_version_tuple()[:2])}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found


def _asked() -> dict[str, str]:
    """What a worker is asked; it imports this package only if it has it."""
    try:
        from mercer.distributed.versions import versions as own
    except ImportError:
        return {"mercer": "none"}
    return own()


def workers_of(client: Any) -> list[WorkerState]:
    """All workers of a client, asked for their versions."""
    info = workers_known(client)
    found = client.run(_asked)
    present = [(address, info[address]) for address in sorted(found) if address in info]
    return [WorkerState(address, int(own["nthreads"]), int(own["memory_limit"] or 0), found[address])
            for address, own in present]  # fmt: skip


def differences(workers: list[WorkerState]) -> list[str]:
    """One sentence for every version in which a worker differs from this program."""
    own = versions()
    return [f"{worker.address} has {name} {worker.versions.get(name, 'none')}, this program {own[name]}"
            for worker in workers for name in own if worker.versions.get(name, "none") != own[name]]  # fmt: skip


def _waited_for(client: Any) -> dict[str, Any]:
    """The workers that come soon, such as those that are started again after they were lost."""
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError:
        return {}
    return workers_known(client)


def require_agreement(client: Any) -> None:
    """Refuse workers whose versions differ, before any work is sent; each set of workers is asked once."""
    present = frozenset(workers_known(client) or _waited_for(client))
    if not present:
        raise bad("mercer", "the cluster", "one worker or more", "none", "Start workers, or wait for them.")
    if present <= _known.get(client.id, frozenset()):
        return
    found = differences(workers_of(client))
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise bad("mercer", "all workers", "of the same versions as this program", found[0] + more,
                  "Use one environment for the client and all workers; `mercer cluster-check` lists them.")  # fmt: skip
    _known[client.id] = present | _known.get(client.id, frozenset())
