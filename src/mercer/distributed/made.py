"""Collections whose blocks are made or held by workers: no row passes through the scheduler.

array = made_array(read, jobs, counts, like)       block i is read(jobs[i]), made when it is needed
frame = made_frame(read, jobs, meta)               the same for data frames
array, held = spread_out(values, sizes)            rows that are here, sent to workers a block at a time
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mercer.distributed.cluster import Parcel, client
from mercer.distributed.rows import Shared, reference
from mercer.typing import Array

Read = Callable[[Any], Any]


def made_array(read: Read, jobs: Sequence[Any], counts: Sequence[int], like: Array) -> Any:
    """A Dask array of the arrays read(job), which have so many rows; `like` is an array of their type and width."""
    import dask.array as da

    wide = like.ndim > 1
    return da.blockwise(
        _made, "ij" if wide else "i", da.arange(len(jobs), chunks=1), "i", reference(Shared((read, list(jobs)))), None,
        dtype=like.dtype, adjust_chunks={"i": tuple(counts)}, meta=like[:0],
        **({"new_axes": {"j": like.shape[1]}} if wide else {}),
    )  # fmt: skip


def _made(number: Any, shared: Any) -> Any:
    read, jobs = shared.value if isinstance(shared, Parcel) else shared
    return read(jobs[int(number[0])])


def made_frame(read: Read, jobs: Sequence[Any], meta: Any) -> Any:
    """A Dask frame of the frames read(job), which have the columns and types of `meta`."""
    from dask.dataframe import from_map

    return from_map(read, list(jobs), meta=meta)


def spread_out(values: Any, sizes: Sequence[int]) -> tuple[Any, Any]:
    """(collection, blocks): an array or a data frame as a Dask collection, with blocks of these sizes on workers.

    Workers hold the blocks as long as the second value is kept.
    """
    if hasattr(values, "iloc"):
        from dask.dataframe import from_dask_array

        array, held = spread_out(values.to_numpy(dtype=object), sizes)
        return from_dask_array(array, columns=list(values.columns)).astype(values.dtypes.to_dict()), held
    import dask.array as da
    from dask.base import tokenize
    from dask.highlevelgraph import HighLevelGraph

    at, ends = client(), np.cumsum(sizes)
    parts = [values[end - size : end] for size, end in zip(sizes, ends, strict=True)]
    held = parts if at is None else at.scatter(parts, hash=False, direct=True)
    name, others = f"held-{tokenize(held)}", values.shape[1:]
    layer = {(name, i, *(0,) * len(others)): (_itself, part) for i, part in enumerate(held)}
    graph = HighLevelGraph.from_collections(name, layer)
    return da.Array(graph, name, (tuple(sizes), *((n,) for n in others)), meta=np.asarray(values[:0])), held


def _itself(part: Any) -> Any:
    return part
