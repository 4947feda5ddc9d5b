"""Sums over all pairs of a block of places and a block of rows: for every place, a total over all rows.

    answers(places, rows, work, finish, one, *shared)       a Dask array with a block for each block of places

work(places, block, *shared) is what one block of rows adds at some places.  These are merged in the order of the blocks
of rows, as in `Rows.total`, and finish(total, *shared) is the answer for the places.  Places may be the rows
themselves: then they have the `start` of their block, and else -1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from mercer.distributed.cluster import Parcel, completed, one_task
from mercer.distributed.collections import is_frame
from mercer.distributed.rows import Block, Rows, array_of, as_frame, reference
from mercer.distributed.tree import alone, merging
from mercer.typing import Array

Work = Callable[..., Any]
Finish = Callable[..., Array]


@dataclass(frozen=True, eq=False)
class Places:
    """Rows at which something is computed: a Dask array, and an empty frame with the types of its columns, or None.

    own   whether these are the rows of the sums; then an answer may have any number of rows
    """

    array: Any
    columns: Any = None
    own: bool = False

    @classmethod
    def of(cls, X: Any) -> Places:
        """The rows of a collection, with all columns in one chunk."""
        columns = X._meta.iloc[:0] if is_frame(X) else None
        array = array_of(X)
        return cls(array.rechunk({1: -1}) if array.ndim == 2 and array.numblocks[1] > 1 else array, columns)


def answers(places: Places, rows: Rows, work: Work, finish: Finish, one: Array, *shared: Any) -> Any:
    """The answers at all places, as a Dask array; `one` is an answer of the right type and width."""
    import dask.array as da
    from dask.base import tokenize
    from dask.highlevelgraph import HighLevelGraph

    parts, values = _pairs(places, rows, work, shared), [reference(value) for value in shared]
    across, down = parts.numblocks
    lazy = [value for value in values if hasattr(value, "__dask_graph__")]  # without a client: nodes of the graph
    sent = [value.key if hasattr(value, "__dask_graph__") else value for value in values]
    name, layer = f"places-{tokenize(parts.name, finish)}", {}
    for i in range(across):
        own, whole = merging(f"merged-{parts.name}", [(parts.name, i, j) for j in range(down)], i)
        layer.update(own)
        layer[(name, i, *(0,) * (one.ndim - 1))] = (_finished, finish, one[:0], whole, *sent)
    sizes = (np.nan,) * across if places.own else places.array.chunks[0]
    chunks = (sizes, *((n,) for n in one.shape[1:]))
    graph = HighLevelGraph.from_collections(name, layer, dependencies=[parts, *lazy])
    return da.Array(graph, name, chunks, meta=one[:0])


def own_answers(rows: Rows, work: Work, finish: Finish, one: Array, *shared: Any, task: str, needs: int = 0) -> Array:
    """The answers at the rows themselves, here."""
    places = Places(rows.array, rows.columns, own=True)
    make = partial(answers, places, rows, work, finish, one, *shared)
    return np.asarray(completed(make, task, needs or rows.block_bytes))


def _pairs(places: Places, rows: Rows, work: Work, shared: Sequence[Any]) -> Any:
    """A Dask array of one object for each pair of blocks."""
    import dask.array as da
    from dask.layers import ArrayBlockIdDep

    across, down = places.array.numblocks[0], rows.array.numblocks[0]
    here, there = ArrayBlockIdDep(((1,) * across,)), ArrayBlockIdDep(((1,) * down,))
    given = [] if rows.target is None else [rows.target, "jm" if rows.target.ndim == 2 else "j"]
    known = [part for value in (work, rows.starts, *shared) for part in (reference(value), None)]
    return da.blockwise(
        _Pair(places.columns, rows.columns, rows.target is not None, places.own), "ij", places.array, "ik", here, "i",
        rows.array, "jl", there, "j", *given, *known, dtype=object, adjust_chunks={"i": 1, "j": 1},
        align_arrays=False, concatenate=True, meta=np.empty((0, 0), object),
    )  # fmt: skip


@dataclass(frozen=True)
class _Pair:
    """What a task does: put places and rows together and work on them, on one thread."""

    columns: Any
    row_columns: Any
    has_target: bool
    own: bool
    __name__ = "pair"  # of its tasks on a dashboard

    def __call__(self, at: Any, here: Any, X: Any, there: Any, *rest: Any) -> Any:
        y, rest = (rest[0], rest[1:]) if self.has_target else (None, rest)
        work, starts, *shared = (value.value if isinstance(value, Parcel) else value for value in rest)
        out = np.empty((1, 1), dtype=object)
        if len(at) and len(X):
            places = Block(as_frame(at, self.columns), None, int(starts[_number(here)]) if self.own else -1)
            block = Block(as_frame(X, self.row_columns), y, int(starts[_number(there)]))
            with one_task():
                out[0, 0] = work(places, block, *shared)
        return out


def _number(where: Any) -> int:
    """The number of a block, as Dask tells it to a task."""
    return int(np.ravel(where[0])[0])


def _finished(finish: Finish, empty: Array, total: Any, *shared: Any) -> Array:
    found = alone(total)
    if found is None:
        return empty
    with one_task():
        return finish(found, *(value.value if isinstance(value, Parcel) else value for value in shared))
