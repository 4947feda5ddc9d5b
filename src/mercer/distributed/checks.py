"""What is wrong with the blocks of a collection, found in one quick pass before long work.

Columns must be in one chunk, or become so where that is cheap; blocks of unknown size are counted; blocks without rows
count 0; types must agree; numbers must be finite, and the message names the block and the row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.distributed.collections import is_frame, is_spread
from mercer.distributed.rows import Rows, array_of
from mercer.errors import bad, wrong_kind
from mercer.typing import Array


@dataclass(eq=False)
class _Facts:
    """What consecutive blocks are: for each its number, rows, type, and the first fault ("" if there is none)."""

    found: list[tuple[int, int, int, str, str]]

    @classmethod
    def of(cls, block: Any) -> Self:
        X, y = block.X, block.y
        rows, targets = len(X), len(X) if y is None else len(y)
        return cls([(block.start, rows, targets, str(getattr(X, "dtype", "frame")), _fault(X, "X") or _fault(y, "y"))])

    def merge(self, other: _Facts) -> None:
        self.found += other.found


def _fault(values: Any, name: str) -> str:
    """What is not finite in an array of numbers, or in the columns of a frame that hold numbers, by its row."""
    if hasattr(values, "iloc"):
        found = ((column, _fault(values[column].to_numpy(), name)) for column in values.columns)
        return next((f"{fault}, column {column!r}" for column, fault in found if fault), "")
    if values is None or getattr(values, "dtype", np.dtype(object)).kind != "f":
        return ""
    wrong = ~np.isfinite(values)
    if not wrong.any():
        return ""
    at = np.argwhere(wrong)[0]
    where = f"row {at[0]}" + (f", column {at[1]}" if len(at) > 1 else "")
    return f"{name} has {values[tuple(at)]} in {where}"


def checked(owner: str, X: Any, y: Any) -> tuple[Any, Any, Array, Any]:
    """(array of rows, array of targets or None, rows of every block, an empty frame with the types or None)."""
    columns = _columns(X)
    array = _in_one_piece(owner, array_of(X))
    if columns is None:
        array = _as_numbers(owner, array)
    target = None if y is None else _aligned(owner, array, y)
    _require_as_many(owner, array, target)
    counts = _counted(owner, array, target, columns)
    return array, target, counts, columns


def _columns(X: Any) -> Any:
    """An empty frame with the types of the columns, if they are not all numbers."""
    if not is_frame(X):
        return None
    numbers = all(getattr(kind, "kind", "O") in "fiub" for kind in X.dtypes)
    return None if numbers else X._meta.iloc[:0]


def _in_one_piece(owner: str, array: Any) -> Any:
    """The array with all columns in one chunk."""
    if getattr(array, "ndim", 0) != 2:
        raise bad(owner, "X", "a Dask array of two dimensions, or a frame", f"{getattr(array, 'ndim', 0)} dimensions",
                  "Reshape your data: X.reshape(-1, 1) is one column.")  # fmt: skip
    if not array.shape[1]:
        raise bad(owner, "X", "of one column or more", "0 feature(s)", "Choose columns.")
    if array.numblocks[1] == 1:
        return array
    if np.isnan(array.shape[0]):
        raise bad(owner, "X", "in one chunk along the columns",
                  f"{array.numblocks[1]} chunks, of unknown numbers of rows",
                  "Call X.compute_chunk_sizes() and X.rechunk({1: -1}).")  # fmt: skip
    return array.rechunk({1: -1})


def _as_numbers(owner: str, array: Any) -> Any:
    """The array in double precision."""
    if array.dtype.kind not in "fiub":
        raise wrong_kind(owner, "numbers", f"a Dask array of {array.dtype}", "Convert it: X.astype('float64').")
    return array if array.dtype == np.float64 else array.astype(np.float64)


def _aligned(owner: str, array: Any, y: Any) -> Any:
    """Targets in blocks like those of the rows."""
    if is_spread(y):
        y = array_of(y)
    else:
        import dask.array as da

        if np.isnan(array.shape[0]):
            raise bad(owner, "y", "a Dask collection for chunks of unknown size", type(y).__name__,
                      "Call X.compute_chunk_sizes() first.")  # fmt: skip
        values = np.asarray(y)
        _require_length(owner, array.shape[0], len(values))
        return da.from_array(values, chunks=(array.chunks[0], *((n,) for n in values.shape[1:])))
    if y.ndim not in (1, 2):
        raise bad(owner, "y", "of one or two dimensions", f"{y.ndim}", "Reshape it.")
    if y.ndim == 2 and y.numblocks[1] > 1:
        y = y.rechunk({1: -1})
    known = not (np.isnan(array.shape[0]) or np.isnan(y.shape[0]))
    if known:
        _require_length(owner, array.shape[0], y.shape[0])
        y = y if y.chunks[0] == array.chunks[0] else y.rechunk({0: array.chunks[0]})
    return y


def _require_length(owner: str, rows: int, targets: int) -> None:
    if rows != targets:
        raise bad(owner, "y", f"as long as X ({rows} rows)", f"{targets} targets", "Pass one for each row.")


def _require_as_many(owner: str, array: Any, target: Any) -> None:
    if target is not None and target.numblocks[0] != array.numblocks[0]:
        raise bad(owner, "y", f"in the {array.numblocks[0]} chunks of X where sizes are unknown",
                  f"{target.numblocks[0]} chunks", "Call compute_chunk_sizes() of both.")  # fmt: skip


def _counted(owner: str, array: Any, target: Any, columns: Any) -> Array:
    """The rows of every block, after all blocks have been looked at."""
    each = np.ones(array.numblocks[0], dtype=np.intp)  # as if blocks had one row: a block starts at its own number
    facts = Rows(array, target, each, columns).total(_Facts.of, task="a check of X")
    if facts is None:
        raise bad(owner, "X", "of one row or more", "0 sample(s) in all blocks", "Pass rows to fit.")
    counts = np.zeros(array.numblocks[0], dtype=np.intp)
    for number, rows, targets, kind, fault in facts.found:
        counts[number] = rows
        if fault:
            raise bad(owner, "X and y", "finite", f"block {number}: {fault} of that block",
                      "Input contains NaN or infinity: leave such rows out or fill them in.")  # fmt: skip
        if targets != rows:
            raise bad(owner, "y", f"as long as X in block {number} ({rows} rows)", f"{targets} targets",
                      "Repartition X and y alike.")  # fmt: skip
        if columns is None and kind != str(array.dtype):
            raise bad(owner, "X", f"of one type in all blocks ({array.dtype})", f"{kind} in block {number}",
                      "Convert all blocks: X.astype('float64').")  # fmt: skip
    return counts
