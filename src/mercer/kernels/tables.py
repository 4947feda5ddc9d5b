"""On: a kernel on the rows of a table through some of its columns.

    On("text", TfIdf()) + On(["age", "bmi"], RBF()) * On("city", Hamming())

Each inner kernel gets its columns as the kind of item it understands: numbers as vectors, one column of texts or
sets as texts or sets, any columns as categories.  Columns are named, or counted from 0; with positions the same
kernel also works on a plain matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.items import Items, Table
from mercer.items.tables import view
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.composite import Through


@kernel
class On(Through):
    """k(x, y) = kernel(x[columns], y[columns])."""

    columns: str | int | tuple[str | int, ...]
    kernel: Kernel

    psd_reason = "a kernel of some columns: its Gram is the inner kernel's Gram of these columns"

    def __post_init__(self) -> None:
        if isinstance(self.columns, (list, range, np.ndarray)):
            object.__setattr__(self, "columns", tuple(np.asarray(self.columns, dtype=object).tolist()))
        chosen = self._chosen
        if not chosen or not all(isinstance(c, (str, int)) and not isinstance(c, bool) for c in chosen):
            raise bad("On", "columns", "a name, a position, or a list of them", repr(self.columns),
                      "Write e.g. On('age', RBF()) or On([0, 2], RBF()).")  # fmt: skip
        if not isinstance(self.kernel, Kernel):
            raise bad("On", "kernel", "a kernel", repr(self.kernel), "Write e.g. On('age', RBF()).")

    @property
    def _chosen(self) -> tuple[Any, ...]:
        return self.columns if isinstance(self.columns, tuple) else (self.columns,)

    @property
    def items(self) -> type[Items]:  # type: ignore[override]
        return Table

    @property
    def isotropic(self) -> bool:  # type: ignore[override]
        return False  # k does not change along the columns that are left out

    @property
    def psd(self) -> bool | None:  # type: ignore[override]
        return self.kernel.psd

    def _inner(self, X: Any) -> Items:
        return view(X, self._chosen, self.kernel.items, repr(self))

    def prepare_in(self, X: Any, frame: Any, pool: Pool) -> Any:
        key = ("columns", id(X), self._chosen, self.kernel.items)
        if key not in pool:
            pool[key] = self._inner(X)  # also keeps it alive: inner kernels use its id as a key
        return self.kernel.prepare_in(self.kernel.check(pool[key]), frame, pool)

    def feature_map(self, X: Any) -> Any:
        return self.kernel.feature_map(self._inner(self.check(X)))

    def dimension(self, D: int) -> int | None:
        return self.kernel.dimension(len(self._chosen))

    def __repr__(self) -> str:
        columns = list(self.columns) if isinstance(self.columns, tuple) else self.columns
        return f"On({columns!r}, {self.kernel!r})"
