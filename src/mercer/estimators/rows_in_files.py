"""`fit` and `predict` of rows in files: memory-mapped arrays, Parquet files by their path, iterators of blocks.

    fit(np.load("rows.npy", mmap_mode="r"), y)
    fit("rows.parquet", "price")              y is the name of a column, or a list of names
    fit(blocks, None)                         an iterator of pairs (X, y); or of X alone, and y holds all targets

On landmarks a machine reads the rows a block at a time.  An exact fit needs them all, and reads them into memory first,
if the budget allows that.  Predictions are made a block at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np

from mercer.engine.fill import require_memory
from mercer.errors import bad
from mercer.items import mapped
from mercer.items.mapped import MappedRows
from mercer.items.vectors import Vectors
from mercer.typing import Array

F = TypeVar("F", bound=Callable[..., Any])
_METHODS = ("predict", "decision_function", "predict_proba", "predict_log_proba", "transform", "score_samples")


def opened(machine: Any, X: Any, y: Any, *, no_target: object = None) -> tuple[Any, Any]:
    """(rows, targets) of a fit: rows in a file, or in memory where the machine needs them there."""
    owner = type(machine).__name__
    if isinstance(X, MappedRows):
        rows = X
    elif mapped.is_map(X):
        rows = mapped.from_map(X, owner)
    elif mapped.is_parquet(X):
        named = isinstance(y, str) or (isinstance(y, (list, tuple)) and all(isinstance(name, str) for name in y))
        if y is None:
            raise bad(owner, "y", "the name of a column of the file, or an array", "None", "Name the target column.")
        rows, found = mapped.from_parquet(X, owner, y if named else None)
        y = found if named else y
    else:
        pairs = y is None
        rows, found = mapped.from_blocks(X, owner, with_targets=pairs)
        y = found if pairs else y
    if y is not no_target:
        _require_targets(owner, rows, y)
    return rows if machine.reads_blocks(len(rows)) else _in_memory(rows), y


def _require_targets(owner: str, rows: MappedRows, y: Any) -> None:
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None.")
    count = y.shape[0] if hasattr(y, "shape") and y.shape else len(y)
    if count != len(rows):
        raise bad(owner, "y", f"{len(rows)} long, as X has rows", f"{count} targets", "Pass one target for each row.")


def _in_memory(rows: MappedRows) -> Array:
    """All rows as an array."""
    size = rows.values.nbytes
    require_memory(f"X of shape {rows.shape} in memory", size, "Use method='nystrom', which reads blocks.")
    return np.array(rows.values)


def remember_columns(machine: Any, rows: MappedRows) -> None:
    """Set n_features_in_ and feature_names_in_, as scikit-learn does for arrays and frames."""
    machine.n_features_in_ = rows.width
    machine.__dict__.pop("feature_names_in_", None)
    if rows.names:
        machine.feature_names_in_ = np.array(rows.names, dtype=object)


def row_count(X: Any, owner: str) -> int:
    """The number of items, without reading them."""
    if mapped.is_parquet(X):
        return mapped.parquet_rows(X, owner)
    if isinstance(X, Iterator):
        raise bad(owner, "X", "items that can be counted", "an iterator", "Pass an array of as many rows.")
    return int(X.shape[0] if hasattr(X, "shape") else len(X))


def predict_by_blocks(cls: type) -> None:
    """Have the methods of a class that take new items read rows in files a block at a time."""
    for name in _METHODS:
        method = vars(cls).get(name)
        if isinstance(method, FunctionType):
            setattr(cls, name, by_blocks(method))


def by_blocks(method: F) -> F:
    """A method of new items X, which are passed on a block at a time where they are in a file.

    A machine that was fitted in cells has each item answered by the cell that it belongs to.
    """

    def of_some(self: Any, X: Any, *args: Any, **options: Any) -> Any:
        cells = vars(self).get("cells_")
        return method(self, X, *args, **options) if cells is None else cells.answer(method.__name__, self._items(X))

    @wraps(method)
    def of_all(self: Any, X: Any, *args: Any, **options: Any) -> Any:
        rows = mapped.is_out_of_memory(X) and hasattr(self, "n_features_in_") and not self._precomputed
        if args or options or not rows:
            return of_some(self, X, *args, **options)
        return np.concatenate([of_some(self, block) for block in _new_blocks(self, X)])

    return cast(F, of_all)


def _new_blocks(machine: Any, X: Any) -> Iterator[Vectors]:
    """New rows in blocks that are checked: of the width of the fit."""
    owner, width = type(machine).__name__, int(machine.n_features_in_)
    blocks: Iterator[Any] = X
    if mapped.is_map(X):
        blocks = (X[r] for r in mapped.slices(*X.shape))
    elif mapped.is_parquet(X):
        blocks = mapped.parquet_blocks(X, owner, list(getattr(machine, "feature_names_in_", [])))
    return (Vectors(block) for block in mapped.checked_blocks(blocks, owner, width))
