"""Rows in blocks: a Dask array or frame, with a task for every block and sums in a fixed order.

    rows = Rows.of("KernelRidge", X, y)              checks every block, counts its rows
    rows.total(work, shared)                         work(block, shared) of all blocks, merged by a tree
    rows.stacked(work, shared)                       the results one under the other, in the order of the rows
    rows.take(positions)                             some rows, here
    rows.chosen(positions), rows.mapped(work)        some rows, and other rows made of these, where they are

Tasks are pure.  Results are merged eight at a time in the order of the blocks, so that the sum has the same bits on
any number of workers, after retries and after a lost worker.  Blocks without rows are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from mercer.distributed.cluster import Parcel, broadcast, completed, is_lost, one_task
from mercer.distributed.collections import is_frame
from mercer.distributed.tree import alone, merging
from mercer.errors import bad
from mercer.typing import Array

Work = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Block:
    """The rows of one block, their targets (None if there are none), and the position of the first among all rows."""

    X: Any
    y: Any
    start: int

    def __len__(self) -> int:
        return len(self.X)

    def own(self, values: Array) -> Array:
        """The part of this block in an array with an entry for each of all rows."""
        return values[self.start : self.start + len(self)]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows `array` with aligned targets; `counts` are the rows of every block, `columns` names and types of a frame."""

    array: Any
    target: Any
    counts: Array
    columns: Any = None  # an empty frame that has the types of all columns; None for an array
    dtype: Any = field(default=np.dtype(np.float64))

    @classmethod
    def of(cls, owner: str, X: Any, y: Any = None) -> Self:
        """The rows of a collection, after checks of every block."""
        from mercer.distributed.checks import checked

        array, target, counts, columns = checked(owner, X, y)
        return cls(array, target, counts, columns, array.dtype)

    def __len__(self) -> int:
        return int(self.counts.sum())

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self), int(self.array.shape[1])

    @property
    def ndim(self) -> int:
        return 2

    # ---- tasks

    def total(self, work: Work, *shared: Any, task: str = "a sum over blocks", needs: int = 0) -> Any:
        """The results of all blocks, merged in their order by `merge`; None if every result is None."""
        return completed(lambda: self.merged(work, *shared), task, needs or self.block_bytes)

    def merged(self, work: Work, *shared: Any) -> Any:
        """The same, before it is computed: an object of Dask."""
        from dask.delayed import Delayed
        from dask.highlevelgraph import HighLevelGraph

        parts = self._parts(work, shared)
        name = f"merged-{parts.name}"
        layer, whole = merging(name, [(parts.name, i) for i in range(parts.numblocks[0])])
        layer[name] = (alone, whole)
        graph = HighLevelGraph.from_collections(name, layer, dependencies=[parts])
        return Delayed(name, graph, layer=name)

    @property
    def block_bytes(self) -> int:
        """The bytes of the largest block; of rows that are not counted yet, 0."""
        rows = np.nanmax([0, *self.array.chunks[0]])
        return int(8 * rows * self.array.shape[1])

    def stacked(self, work: Work, *shared: Any, task: str = "work on a block", needs: int = 0) -> Any:
        """The arrays that blocks give, one under the other."""
        found = self.total(_Stacked.of, work, *shared, task=task, needs=needs)
        return np.concatenate(found.parts)

    def mapped(self, work: Work, *shared: Any, width: int) -> Any:
        """A Dask array with the rows that work(block, *shared) gives for each block, `width` numbers in each."""
        import dask.array as da

        known = [part for value in (work, *shared) for part in (reference(value), None)]
        return da.blockwise(
            _Mapped(self.columns, width), "ik", self.array, "ij", *known, dtype=float, new_axes={"k": width},
            align_arrays=False, concatenate=True, meta=np.empty((0, 0)),
        )  # fmt: skip

    def _parts(self, work: Work, shared: Sequence[Any]) -> Any:
        """A Dask array of one object for each block: what work(block, *shared) gives."""
        import dask.array as da
        from dask.layers import ArrayBlockIdDep

        count = self.array.numblocks[0]
        where = ArrayBlockIdDep(((1,) * count, (1,)))
        given = [] if self.target is None else [self.target, "ik" if self.target.ndim == 2 else "i"]
        known = [part for value in (work, self.starts, *shared) for part in (reference(value), None)]
        return da.blockwise(
            _Task(self.columns, self.target is not None), "i", self.array, "ij", where, "ij", *given, *known,
            dtype=object, adjust_chunks={"i": 1}, align_arrays=False, concatenate=True, meta=np.empty(0, object),
        )  # fmt: skip

    @property
    def starts(self) -> Shared:
        """The position of the first row of every block."""
        found: Shared | None = self.__dict__.get("_starts")
        if found is None:
            found = Shared(np.concatenate([[0], np.cumsum(self.counts)]))
            self.__dict__["_starts"] = found
        return found

    # ---- rows that come here

    def take(self, positions: Array) -> Any:
        """Rows by their positions, in that order, here."""
        positions = np.asarray(positions, dtype=np.intp)
        if not len(positions):
            raise bad("Rows", "positions", "one or more", "none", "Choose some rows.")
        order = np.argsort(positions, kind="stable")
        wanted = np.unique(np.searchsorted(np.cumsum(self.counts), positions, side="right"))
        some = self if len(wanted) == len(self.counts) else self._only(wanted)
        found = some.total(Taken.of, Shared(positions[order]), task="the choice of some rows").joined()
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return found.iloc[back] if hasattr(found, "iloc") else found[back]

    def _only(self, blocks: Array) -> Rows:
        """Some of the blocks, whose rows keep their positions."""
        target = None if self.target is None else self.target.blocks[blocks.tolist()]
        found = Rows(self.array.blocks[blocks.tolist()], target, self.counts[blocks], self.columns, self.dtype)
        found.__dict__["_starts"] = Shared(self.starts.value[:-1][blocks])
        return found

    def chosen(self, positions: Array) -> Rows:
        """Rows by their positions in ascending order, where they are."""
        positions = np.asarray(positions, dtype=np.intp)
        ends = np.searchsorted(positions, np.concatenate([[0], np.cumsum(self.counts)]))
        index = Shared(positions)
        target = None if self.target is None else self._picked(self.target, index)
        return Rows(self._picked(self.array, index), target, np.diff(ends), self.columns, self.dtype)

    def _picked(self, array: Any, index: Shared) -> Any:
        """The chosen rows of an array that is in blocks like these."""
        import dask.array as da
        from dask.layers import ArrayBlockIdDep

        axes = "ij"[: array.ndim]
        where = ArrayBlockIdDep(((1,) * array.numblocks[0], (1,)))
        return da.blockwise(
            _pick, axes, array, axes, where, "ij", reference(self.starts), None, reference(index), None,
            dtype=array.dtype, adjust_chunks={"i": lambda n: np.nan}, align_arrays=False, concatenate=True,
            meta=np.empty((0,) * array.ndim, dtype=array.dtype),
        )  # fmt: skip

    def targets(self) -> Array:
        """All targets, here."""
        return np.asarray(self.stacked(_own_targets))

    def variance(self) -> float:
        """The variance of all numbers."""
        from mercer.distributed.variance import Moments

        return float(self.total(Moments.of).variance)


class Shared:
    """A value that every task needs: sent to all workers once, when the first task asks for it."""

    def __init__(self, value: Any) -> None:
        self.value, self._reference = value, None

    @property
    def reference(self) -> Any:
        """What stands for the value in a graph; sent anew if the workers that held it are gone."""
        if self._reference is None or is_lost(self._reference):
            self._reference = broadcast(self.value)
        return self._reference


def reference(value: Any) -> Any:
    """What stands for a value in a graph."""
    return value.reference if isinstance(value, Shared) else value


@dataclass(frozen=True)
class _Task:
    """What a task does: put a block together and work on it, on one thread."""

    columns: Any
    has_target: bool
    __name__ = "block"  # of its tasks on a dashboard

    def __call__(self, X: Any, where: Any, *rest: Any) -> Any:
        y, rest = (rest[0], rest[1:]) if self.has_target else (None, rest)
        work, starts, *shared = (value.value if isinstance(value, Parcel) else value for value in rest)
        out = np.empty(1, dtype=object)
        if len(X):
            with one_task():
                number = int(np.ravel(where[0])[0])
                out[0] = work(Block(as_frame(X, self.columns), y, int(starts[number])), *shared)
        return out


@dataclass(frozen=True)
class _Mapped:
    """Other rows made of those of a block."""

    columns: Any
    width: int
    __name__ = "rows"

    def __call__(self, X: Any, *rest: Any) -> Array:
        if not len(X):
            return np.empty((0, self.width))
        work, *shared = (value.value if isinstance(value, Parcel) else value for value in rest)
        with one_task():
            return np.ascontiguousarray(work(Block(as_frame(X, self.columns), None, 0), *shared), dtype=float)


def _pick(values: Array, where: Any, starts: Parcel, index: Parcel) -> Array:
    """The rows of a block that are among the positions `index`."""
    start = int(starts.value[int(np.ravel(where[0])[0])])
    first, last = np.searchsorted(index.value, [start, start + len(values)])
    return np.asarray(values[index.value[first:last] - start])


def as_frame(values: Any, columns: Any) -> Any:
    """The rows of a block as they were: a frame whose columns have their own types again, or the array itself."""
    if columns is None:
        return np.require(values, requirements=["C", "A"])
    import pandas as pd

    return pd.DataFrame(values, columns=columns.columns).astype(columns.dtypes.to_dict())


@dataclass(eq=False)
class _Stacked:
    """Arrays of consecutive blocks."""

    parts: list[Any]

    @classmethod
    def of(cls, block: Block, work: Work, *shared: Any) -> Self:
        return cls([work(block, *shared)])

    def __deepcopy__(self, memo: Any) -> Self:
        return type(self)(list(self.parts))

    def merge(self, other: _Stacked) -> None:
        self.parts += other.parts


@dataclass(eq=False)
class Taken(_Stacked):
    """Rows of consecutive blocks."""

    @classmethod
    def of(cls, block: Block, positions: Array) -> Self | None:  # type: ignore[override]
        first, last = np.searchsorted(positions, [block.start, block.start + len(block)])
        own = positions[first:last] - block.start
        if not len(own):
            return None
        return cls([block.X.iloc[own] if hasattr(block.X, "iloc") else block.X[own]])

    def joined(self) -> Any:
        """All of them in one array or frame."""
        if not hasattr(self.parts[0], "iloc"):
            return np.concatenate(self.parts)
        import pandas as pd

        return pd.concat(self.parts, ignore_index=True)


def _own_targets(block: Block) -> Any:
    return np.asarray(block.y)


def array_of(X: Any) -> Any:
    """A frame or series as a Dask array, with a block for each partition."""
    return X.to_dask_array() if is_frame(X) else X
