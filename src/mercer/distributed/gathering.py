"""Fits that keep all rows: those of a Dask collection come here first, if they fit the memory budget."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from mercer.distributed.collections import is_spread
from mercer.distributed.rows import Rows
from mercer.engine.fill import require_memory

F = TypeVar("F", bound=Callable[..., Any])


def gathers_rows(fit: F) -> F:
    """A `fit` that brings the rows of a Dask collection and their targets here, after checks of every block."""

    @wraps(fit)
    def fitted(self: Any, X: Any, *args: Any, **options: Any) -> Any:
        if not is_spread(X):
            return fit(self, X, *args, **options)
        y = args[0] if args else options.pop("y", None)
        rest = {name: np.asarray(value) if is_spread(value) else value for name, value in options.items()}
        return fit(self, *gathered(type(self).__name__, X, y), *args[1:], **rest)

    return cast(F, fitted)


def gathered(owner: str, X: Any, y: Any) -> tuple[Any, Any]:
    """Rows and targets as arrays of this process, after checks of every block."""
    rows = Rows.of(owner, X, y)
    n, columns = rows.shape
    require_memory(f"{owner} keeps all rows: {n} x {columns} numbers", 8 * n * columns,
                   "Fit a sample of them, or raise the budget.")  # fmt: skip
    return rows.take(np.arange(n)), None if y is None else rows.targets()
