"""Items that are spread over workers: the same protocol, with a task for every block of rows.

k(all items, some items) is made by workers: features, sums for ridge regression, distances from medoids.  On a worker
a block is `KernelItems` like any other, and the code that runs there is the one that runs on a single machine.  A few
items (landmarks, support vectors) come here by `keep`.  What needs all rows in one place brings them here, if they fit
the memory budget.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from mercer.distributed.matrix import SpreadMatrix
from mercer.distributed.rows import Block, Rows, Shared
from mercer.engine.fill import require_memory
from mercer.errors import bad
from mercer.estimators.training_data.data import Cross, Data
from mercer.estimators.training_data.kernel_items import KernelItems
from mercer.estimators.training_data.low_rank import LandmarkBlocks, LowRankItems
from mercer.gram import tall
from mercer.gram.distances import Distances, given_dissimilarities, kernel_distances
from mercer.gram.features import FeatureGram
from mercer.gram.row_squares import is_elsewhere
from mercer.gram.tall import brought, in_memory
from mercer.kernels import Kernel
from mercer.solvers.nystroem import PanelSums
from mercer.solvers.ridge.blocks import RowBlock, S
from mercer.typing import Array

_REMEMBERED = 2  # sets of rows that came here, and are kept for the next question
_FIRST = 4096  # rows that stand for all in a look at their kernel values
_PANEL_BYTES = 2**27  # of k(rows, landmarks) that a task holds at a time, in double precision


@dataclass(frozen=True, eq=False)
class SpreadItems(Data):
    """Rows on workers, compared by a kernel that has learned from them what it has to learn."""

    kernel: Kernel = field()
    rows: Rows = field()
    known: dict[Any, Any] = field(default_factory=dict, repr=False)  # what came here or was sent, for any kernel

    @classmethod
    def of(cls, owner: str, kernel: Kernel, rows: Rows) -> Self:
        """These rows under a kernel; one that learns from all items (words, a mean) sees them here once."""
        if not kernel.learned:
            return cls(kernel, rows)
        n, columns = rows.shape
        require_memory(f"{owner} with {kernel!r}, which learns from all {n} items,", 8 * n * columns,
                       "Use a kernel without such a step, or raise the budget.")  # fmt: skip
        return cls(kernel.fit(rows.take(np.arange(n))), rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def psd(self) -> bool | None:
        return self.kernel.psd

    @property
    def landmark_form(self) -> type[LowRankItems]:
        return SpreadLowRank

    @property
    def spread(self) -> bool:
        return True

    # ---- items that come here

    def keep(self, index: Array) -> KernelItems:
        """These items, here."""
        size = 8 * len(index) * self.rows.shape[1]
        require_memory(f"{len(index)} of the rows", size, "Choose method='nystrom' and a machine with fewer support "
                       "vectors, or raise the budget.")  # fmt: skip
        return KernelItems.known(self.kernel, self._taken(np.asarray(index, dtype=np.intp)))

    def take(self, index: Array) -> Data:
        """These items, here if they are few; many in ascending order stay where they are."""
        index = np.asarray(index, dtype=np.intp)
        if 8 * len(index) * self.rows.shape[1] <= tall.FEW or not (np.diff(index) > 0).all():
            return self.keep(index)
        return replace(self, rows=self.rows.chosen(index), known={})

    def _taken(self, index: Array) -> Any:
        """These rows, of which those of the last few questions are still here: a search asks for the same again."""
        key = index.tobytes()
        if key not in self.known:
            for old in [key for key in self.known if isinstance(key, bytes)][: 1 - _REMEMBERED]:
                del self.known[old]
            self.known[key] = self.rows.take(index)
        return self.known[key]

    def at(self, theta: Array) -> Self:
        return replace(self, kernel=self.kernel.with_theta(theta))

    def aligned(self, values: Array) -> Shared:
        """Numbers for every row as tasks see them; the same array is sent once, whatever the kernel."""
        found: tuple[Array, Shared] | None = self.known.get(id(values))
        if found is None or found[0] is not values:
            found = self.known[id(values)] = values, Shared(values)
        return found[1]

    @cached_property
    def local(self) -> KernelItems:
        """All items, here."""
        return self.keep(np.arange(len(self)))

    def as_passed(self) -> Any:
        return self.rows.array

    @cached_property
    def items(self) -> Any:
        return self.local.items

    def keys(self) -> Sequence[Hashable]:
        return self.local.keys()

    def prototypes(self, owner: str, items: Any) -> tuple[Data, Array]:
        """Any items that the kernel can compare with these."""
        return self.keep(np.zeros(1, dtype=np.intp)).prototypes(owner, items)

    # ---- values

    def gram(self) -> SpreadGram:  # type: ignore[override]
        return SpreadGram(self)

    def cross(self, X: Any) -> Cross:
        raise bad("mercer", "the items of a fit", "in memory for prediction", "a Dask collection", "Keep some of them.")

    def values(self, centres: Data) -> Array:
        """k(all items, centres), made by workers."""
        n, m = len(self), len(centres)
        require_memory(f"{n} x {m} kernel values", 8 * n * m, "Choose fewer landmarks, or raise the budget.")
        return np.asarray(self.rows.stacked(_values, Shared(centres), task="kernel values of a block",
                                            needs=self.task_bytes(m)))  # fmt: skip

    def task_bytes(self, m: int) -> int:
        """About how many bytes a task with m landmarks holds: its rows, a panel of values, and sums of m x m."""
        rows = int(self.rows.counts.max())
        return 8 * rows * self.rows.shape[1] + min(_PANEL_BYTES, 8 * rows * m) + 16 * m * m

    def distances(self, squared: bool | None) -> Distances:
        """Distances of all items, of which those from a few are made by workers."""
        n = len(self)

        def tile(r: Any, c: Any) -> Array:
            return _distances_of(self.local.gram(), squared).tile(r, c)

        return SpreadDistances(tile, (n, n), np.dtype(float), True, None, self, squared)


def _values(block: Block, centres: Data) -> Array:
    return np.asarray(centres.cross(block.X).rows(np.arange(len(block))), dtype=float)


@dataclass(frozen=True, eq=False)
class SpreadGram:
    """The Gram of spread items: of some items it is made here, between all and some by workers."""

    data: SpreadItems

    def __len__(self) -> int:
        return len(self.data)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.data), len(self.data)

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(float)

    def diag(self) -> Array:
        """k(x, x), made by workers."""
        return np.asarray(self.data.rows.stacked(_diagonal, Shared(self.data.kernel), task="k(x, x) of a block"))

    def sub(self, index: Array) -> Any:
        """Of some items, which come here."""
        return self.data.keep(index).gram()

    def values(self, I: Array, J: Array) -> Array:
        """Between some items and some others."""
        index, where = np.unique(np.concatenate([I, J]), return_inverse=True)
        return np.asarray(self.sub(index).values(where[: len(I)], where[len(I) :]))

    def panel_sums(self, index: Array) -> PanelSums:
        """Sums over k(all items, items `index`)."""
        return _SpreadPanels(self.data, Shared(self.data.keep(index)), len(index))

    # ---- what needs all rows in one place

    def rows(self, index: Array) -> Array:
        """k(some items, all), with all rows here."""
        return np.asarray(self.data.local.gram().rows(index))

    def single(self) -> Any:
        """In single precision, with all rows here."""
        return self.data.local.gram().single()

    def part(self, I: Array | None, J: Array | None) -> Any:
        """Rows and columns, with all rows here."""
        return self.data.local.gram().part(I, J)

    def dense(self) -> Array:
        """Every entry."""
        return self.data.local.gram().dense()

    def __matmul__(self, V: Array) -> Array:
        return np.asarray(self.data.local.gram() @ V)


def _diagonal(block: Block, kernel: Kernel) -> Array:
    return np.asarray(KernelItems.known(kernel, block.X).gram().diag(), dtype=float)


@dataclass(frozen=True, eq=False)
class _SpreadPanels:
    """Sums over k(all items, landmarks) by workers (solvers/nystroem.py)."""

    data: SpreadItems
    centres: Shared
    width: int

    def moments(self, R: Array) -> Any:
        return self.data.rows.total(_moments, self.centres, Shared(R), task="sums of features",
                                    needs=self.data.task_bytes(self.width))  # fmt: skip

    def times(self, C: Array) -> Array:
        return np.asarray(self.data.rows.stacked(_times, self.centres, Shared(C), task="products of a block",
                                                 needs=self.data.task_bytes(self.width)))  # fmt: skip


def _moments(block: Block, centres: Data, R: Array) -> Any:
    from mercer.solvers.nystroem import InMemory

    cross = centres.cross(block.X)
    return InMemory(lambda r: cross.rows(np.arange(r.start, r.stop)), len(block)).moments(R)


def _times(block: Block, centres: Data, C: Array) -> Array:
    return np.asarray(centres.cross(block.X) @ C)


@dataclass(frozen=True, eq=False)
class SpreadDistances(Distances):
    """Distances of which those from a few items are made by workers."""

    data: SpreadItems = field(default=None)  # type: ignore[assignment]
    squared: bool | None = True

    def part(self, I: Array, J: Array | None = None) -> Distances:
        if J is None:
            return super().part(I)
        index, where = np.unique(np.concatenate([I, J]), return_inverse=True)
        near = _distances_of(self.data.keep(index).gram(), self.squared)
        rows = where[: len(I)]
        return near.part(rows, rows if J is I else where[len(I) :])

    def columns(self, index: Array) -> Array:
        found = self.data.rows.stacked(_from_some, *self._few(index), task="distances of a block",
                                       needs=self.data.task_bytes(len(index)))  # fmt: skip
        found[index, np.arange(len(index))] = 0.0
        return np.asarray(found)

    def nearest(self, index: Array) -> tuple[Array, Array]:
        D = self.columns(np.asarray(index, dtype=np.intp))
        label = D.argmin(axis=1)
        return label, D[np.arange(len(D)), label]

    def _few(self, index: Array) -> tuple[Shared, bool | None]:
        return Shared(self.data.keep(index)), self.squared


def _from_some(block: Block, centres: Data, squared: bool | None) -> Array:
    return _distances_of(centres.cross(block.X), squared).dense()


def _distances_of(gram: Any, squared: bool | None) -> Distances:
    return given_dissimilarities(gram) if squared is None else kernel_distances(gram, squared=squared)


class SpreadLowRank(LowRankItems):
    """Spread items behind landmarks; features and sums are made by workers."""

    @cached_property
    def shared(self) -> Shared:
        """The landmarks, for tasks."""
        return Shared(self.on(self.marks))

    @property
    def _spread(self) -> SpreadItems:
        assert isinstance(self.inner, SpreadItems)
        return self.inner

    @cached_property
    def _features(self) -> Any:
        """Rows of features on workers, or here if they are few."""
        return brought(SpreadMatrix.of(self._spread.rows, _features, self.shared, width=self.rank))

    def features(self) -> Any:
        return super().features() if isinstance(self.inner, SpreadItems) or self.Phi is not None else self._own()

    def _own(self) -> Array:
        """Features of the items that were kept, which are here."""
        return self.on(self.inner).features()

    def on(self, inner: Data) -> LowRankItems:
        """Other items behind the same landmarks, in memory."""
        marks = self.marks
        return LowRankItems(inner, marks, np.arange(self.rank), marks, self.factor, self.rule, self.positions,
                            kernel=self.kernel)  # fmt: skip

    def keep(self, index: Array) -> LowRankItems:  # type: ignore[override]
        kept = self.on(self.inner.keep(np.asarray(index, dtype=np.intp)))
        return replace(kept, measured=self.approximation)

    def missed_square(self, index: Array, B: Array) -> float:
        """The bound by the diagonal, which takes no kernel values between all items."""
        return self._missed_at_most(np.asarray(index, dtype=np.intp), B.reshape(len(index), -1))

    def landmarks_only(self, measured: Any) -> LowRankItems:  # type: ignore[override]
        return replace(self.on(self.marks), measured=measured)

    def take(self, index: Array) -> LowRankItems:  # type: ignore[override]
        return replace(self.on(self.inner.take(index)), Phi=in_memory(FeatureGram(self.features()[index])).Z)

    def plus_one(self) -> LowRankItems:  # type: ignore[override]
        if not is_elsewhere(self.features()):
            return super().plus_one()
        made = SpreadMatrix.of(self._spread.rows, _features_and_one, self.shared, width=self.rank + 1)
        return replace(self, Phi=made)

    def blocks(self, Y: Array, weight: Array) -> SpreadBlocks:  # type: ignore[override]
        return SpreadBlocks(self, Y, weight, np.flatnonzero(weight))


def _features(block: Block, low: LowRankItems) -> Array:
    return low.map(block.X)


def _features_and_one(block: Block, low: LowRankItems) -> Array:
    return np.column_stack([low.map(block.X), np.ones(len(block))])


@dataclass(frozen=True, eq=False)
class SpreadBlocks(LandmarkBlocks):
    """Blocks of rows (solvers/ridge/blocks.py) on workers; targets are those of the collection, already there."""

    data: SpreadLowRank

    @cached_property
    def _weights(self) -> Shared | None:
        """Weights for tasks, unless all are 1."""
        return None if (self.weight == 1.0).all() else Shared(self.weight)

    def some(self, most: int) -> RowBlock:
        first = self.used[: min(most, _FIRST)]
        low = self.data.on(self.data.inner.keep(first))
        return low.blocks(self.Y[first], self.weight[first]).some(most)

    def added(self, make: Callable[[], S], *, single: bool = False, every: int = 1, enough: float = np.inf) -> S:
        items = self.data._spread
        found: S | None = items.rows.total(
            _added, self.data.shared, Shared(make), self._weights, single, self._sampled(every),
            task="the sums of a block", needs=items.task_bytes(self.width),
        )  # fmt: skip
        return make() if found is None else found

    def _sampled(self, every: int) -> Shared | None:
        """The first rows of the blocks that make a sample of one in `every`; None for all."""
        if every <= 1:
            return None
        starts = np.cumsum(self.data._spread.rows.counts) - self.data._spread.rows.counts
        return Shared(set(starts[self.data._spread.rows.counts > 0][::every].tolist()))


def _added(
    block: Block,
    low: LowRankItems,
    make: Callable[[], Any],
    weight: Array | None,
    single: bool,
    sample: set[int] | None,
) -> Any:
    """The sum of one block, by the code for items in memory."""
    if sample is not None and block.start not in sample:
        return None
    Y = np.asarray(block.y, dtype=np.float64).reshape(len(block), -1)
    w = np.ones(len(block)) if weight is None else weight[block.start : block.start + len(block)]
    if not w.any():
        return None
    assert low.marks.kernel is not None
    inner = KernelItems.known(low.marks.kernel, block.X)
    return replace(low, inner=inner).blocks(Y, w).added(make, single=single)
