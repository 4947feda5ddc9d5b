"""Landmarks for items on the workers of a Dask cluster: both passes are sums over blocks, made by the code of Panels.

The landmarks at the hyper-parameters of an evaluation are sent to all workers; targets and known noise are sent once.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

from mercer.distributed.rows import Block, Shared
from mercer.distributed.sums import Added
from mercer.estimators.gaussian_process.covariance import Covariance, Noise
from mercer.estimators.gaussian_process.methods.inducing import Panels
from mercer.estimators.training_data import KernelItems
from mercer.solvers.inducing import InducingSlopes
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class SpreadPanels(Panels):
    """The items of a process on workers, seen from its landmarks, which are at the positions `index`."""

    index: Array = field(kw_only=True)

    @classmethod
    def of(cls, covariance: Covariance, index: Array, columns: Array, q: int) -> Self:
        data: Any = covariance.data
        return cls(data, data.keep(index).prepared, covariance=covariance, columns=columns, q=q, index=index)

    def first_pass(self) -> list[Any]:
        return list(self._total(_first).parts)

    def second_pass(self, slopes: InducingSlopes) -> tuple[Array, float]:
        items, noise = self._total(_second, Shared(slopes)).parts
        return items, noise

    def _total(self, work: Any, *more: Any) -> Added:
        data: Any = self.data
        marks = Shared(_Marks(data.keep(self.index), self.covariance.noise, self.root, self.q))
        known = data.aligned(self.columns), data.aligned(self.covariance.alpha)
        found: Added = data.rows.total(work, marks, *known, *more, task="the sums of a block",
                                       needs=data.task_bytes(len(self.index)))  # fmt: skip
        return found


@dataclass(frozen=True, eq=False)
class _Marks:
    """What a task needs to know of the landmarks."""

    items: KernelItems
    noise: Noise
    root: Array
    q: int

    def panels(self, block: Block, columns: Array, alpha: Array) -> Panels:
        """The items of one block, seen from the landmarks."""
        items = self.items
        prepared = items.kernel.prepare(block.X, items.prepared.frame)
        own = Covariance(replace(items, items=items.kernel.check(block.X), prepared=prepared), self.noise,
                         block.own(alpha))  # fmt: skip
        found = Panels(own.data, items.prepared, covariance=own, columns=block.own(columns), q=self.q)  # type: ignore[arg-type]
        found.__dict__["root"] = self.root  # the same for all blocks
        return found


def _first(block: Block, marks: _Marks, columns: Array, alpha: Array) -> Added:
    return Added(marks.panels(block, columns, alpha).first_pass())


def _second(block: Block, marks: _Marks, columns: Array, alpha: Array, slopes: InducingSlopes) -> Added:
    return Added(list(marks.panels(block, columns, alpha).second_pass(slopes)))
