"""Rows that go to groups: one task for each group, on a worker that gets the rows of all blocks it needs.

    routed(rows, groups, work, shared)      work(i, X, positions, shared) for every group of positions, in their order

The rows of a group are brought together by the tree that also adds up sums, so that the graph of a group is as small as
that of a sum, and no row comes here.  Only a few groups are on their way at a time: the workers hold no second copy of
all rows.  Blocks that take long to make should be kept by the workers (X.persist()), for each group asks for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mercer.distributed.cluster import Parcel, all_computed, one_task, tried_again
from mercer.distributed.rows import Block, Rows, Shared, Taken, Work, reference
from mercer.typing import Array


def routed(
    rows: Rows, groups: Sequence[Array], work: Work, *shared: Any, task: str = "a cell", needs: int = 0
) -> list[Any]:
    """What work(number of a group, its rows as they are, their positions, *shared) gives for each group."""
    from dask.delayed import delayed

    if not groups:
        return []
    places = Shared([np.asarray(group, dtype=np.intp) for group in groups])
    order = Shared([np.sort(group) for group in places.value])

    def tasks() -> Iterator[Any]:
        for i in range(len(groups)):
            found = rows.merged(_taken, order, i)
            known = map(reference, shared)
            yield delayed(_worked, pure=True, traverse=False)(work, found, i, places.reference, *known)

    return list(tried_again(lambda: all_computed(tasks(), len(groups), task, needs or rows.block_bytes)))


def _taken(block: Block, order: list[Array], i: int) -> Taken | None:
    return Taken.of(block, order[i])


def _worked(work: Work, found: Taken, i: int, places: Parcel, *shared: Any) -> Any:
    """The work on one group, whose rows are put in their order."""
    group = places.value[i]
    back = np.argsort(np.argsort(group, kind="stable"), kind="stable")
    X = found.joined()
    X = X.iloc[back] if hasattr(X, "iloc") else np.require(X[back], requirements=["C", "A"])
    values = [value.value if isinstance(value, Parcel) else value for value in shared]
    with one_task():
        return work(i, X, group, *values)
