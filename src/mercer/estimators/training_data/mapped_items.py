"""Rows in a file, compared by a kernel: nothing with a row per item is in memory but what a solver stores itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.estimators.training_data.kernel_items import KernelItems
from mercer.gram import LazyGram
from mercer.items.mapped import MappedRows, block_rows
from mercer.kernels import Kernel
from mercer.kernels.checked_values import diagonal
from mercer.typing import Array, Index


@dataclass(frozen=True, eq=False)
class PreparedOnDemand:
    """Rows in a file as prepared data: a slice is read and prepared when it is asked for."""

    kernel: Kernel
    rows: MappedRows
    frame: Any

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Index) -> Any:
        return self.kernel.prepare_in(self.rows[index], self.frame, {})


class MappedGram(LazyGram):
    """k(rows, rows) of rows in a file."""

    @property
    def bytes_per_row(self) -> int:
        """Bytes of a row in memory, as it was read and as it is prepared."""
        return 3 * 8 * int(self.A.rows.width)

    def diag(self) -> Array:
        """k(x, x), from one reading."""
        rows: MappedRows = self.A.rows
        kernel, frame = self.kernel, self.A.frame
        parts = [diagonal(kernel, kernel.prepare_in(block, frame, {})) for block in rows.blocks()]
        return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class MappedItems(KernelItems):
    """Rows in a file.  A kernel that learns from its data (a scale, a centre) learns from a sample, evenly spread."""

    @classmethod
    def of(cls, kernel: Kernel, X: MappedRows) -> Self:
        """These rows; none is prepared yet but those of the sample."""
        sample = X.sample()
        fitted = kernel.fit(sample)
        frame = fitted.prepare_in(sample, None, {}).frame
        KernelItems.of(fitted, sample[np.arange(1)])  # refuses kernels with complex values
        return cls(fitted, X, PreparedOnDemand(fitted, X, frame), np.dtype(float))

    def gram(self) -> MappedGram:
        return MappedGram.of(self.kernel, self.prepared, dtype=self.dtype)

    def keep(self, index: Array) -> KernelItems:  # type: ignore[override]
        """These rows, in memory."""
        index = np.asarray(index, dtype=np.intp)
        return KernelItems(self.kernel, self.items[index], self.prepared[index], self.dtype)

    take = keep  # type: ignore[assignment]

    def double(self) -> Self:
        return self

    @property
    def rows_at_once(self) -> int:
        return block_rows(self.items.width)  # type: ignore[attr-defined]

    @property
    def linear_rows(self) -> Any:
        return None

    def features(self) -> Any:
        return None

    def _prepared_like(self, items: Any) -> KernelItems:  # type: ignore[override]
        return KernelItems(self.kernel, items, self.kernel.prepare(items, self.prepared.frame), self.dtype)
