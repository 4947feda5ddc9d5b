"""mercer cluster-check tcp://...: the workers of a Dask cluster, and whether they have the versions of this program."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from mercer.cli.options import Json


def cluster_check(
    scheduler: Annotated[str, typer.Argument(help="Address of the scheduler, such as tcp://10.0.0.1:8786.")],
    json: Json = False,
) -> None:
    """List the workers of a Dask cluster with threads, memory and versions; ends with code 1 if versions differ."""
    from mercer.cli.printing import result
    from mercer.distributed.connection import connected
    from mercer.distributed.versions import differences, versions, workers_of

    with connected(scheduler) as client:
        workers = workers_of(client)
    apart = differences(workers)
    found: dict[str, Any] = {
        "workers": len(workers),
        "threads": sum(worker.threads for worker in workers),
        "memory": _size(sum(worker.memory for worker in workers)),
    }
    found |= {worker.address: f"{worker.threads} threads, {_size(worker.memory)}" for worker in workers}
    found["versions here"] = ", ".join(f"{name} {number}" for name, number in versions().items())
    found["versions agree"] = "yes" if workers and not apart else "; ".join(apart) or "there are no workers"
    result(found, json)
    if apart or not workers:
        raise typer.Exit(1)


def _size(count: int) -> str:
    return f"{count / 2**30:.1f} GiB" if count else "no limit"
