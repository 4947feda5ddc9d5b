"""Parquet, by pyarrow where it is installed: a whole table, or some columns and row groups of a file."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer.errors import TableError
from mercer.tables.cells import Cell, Cells, fault, require_different
from mercer.typing import Array


def cells(content: bytes) -> Cells:
    """The table in the bytes of a Parquet file."""
    pyarrow, parquet = _arrow()
    try:
        frame = parquet.ParquetFile(io.BytesIO(content)).read()
        names = [str(name) for name in frame.column_names]
        columns = [_cells(column, name, pyarrow.types) for column, name in zip(frame.columns, names, strict=True)]
    except (pyarrow.ArrowException, OSError, OverflowError) as error:
        raise TableError(f"expected a Parquet file, got one that cannot be read: {str(error).splitlines()[0]}. "
                         "Write it again.") from None  # fmt: skip
    require_different(names, "the columns")
    if not names or not len(frame):
        raise TableError("expected a table, got no values. Write one row for every item.")
    return Cells(dict(zip(names, columns, strict=True)), range(1, len(frame) + 1), "row")


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise TableError("expected pyarrow to read Parquet, got no such package. "
                         "Install it (pip install pyarrow), or convert the file to CSV.") from None  # fmt: skip
    return pyarrow, parquet


# ---- parts of a table


def part(path: str) -> tuple[dict[str, str], list[int]]:
    """({column: "numbers", "null" or its type}, the rows of every row group) of a file, without reading its rows."""
    pyarrow, parquet = _arrow()
    try:
        with parquet.ParquetFile(path) as file:
            schema, meta = file.schema_arrow, file.metadata
            kinds = {str(field.name): _kind(field.type, pyarrow.types) for field in schema}
            return kinds, [meta.row_group(i).num_rows for i in range(meta.num_row_groups)]
    except (pyarrow.ArrowException, OSError) as error:
        raise TableError(f"{os.path.basename(path)}: expected a Parquet file, got one that cannot be read: "
                         f"{str(error).splitlines()[0]}. Write it again.") from None  # fmt: skip


def numbers(path: str, groups: Sequence[int], name: str) -> Array:
    """A column of numbers in some row groups of a file; NaN where one is missing."""
    column = _column(path, groups, name)
    return np.asarray(column.cast("float64").to_numpy(zero_copy_only=False), dtype=np.float64)


def column_cells(path: str, groups: Sequence[int], name: str) -> list[Cell]:
    """The cells of a column in some row groups of a file."""
    return _cells(_column(path, groups, name), name, _arrow()[0].types)


def _column(path: str, groups: Sequence[int], name: str) -> Any:
    with _arrow()[1].ParquetFile(path) as file:
        return file.read_row_groups(list(groups), columns=[name], use_threads=False).column(0).combine_chunks()


def _kind(kind: Any, types: Any) -> str:
    kind = kind.value_type if types.is_dictionary(kind) else kind
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "numbers"
    if types.is_string(kind) or types.is_large_string(kind):
        return "strings"
    return str(kind)


def _cells(column: Any, name: str, types: Any) -> list[Cell]:
    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    values = column.to_pylist()
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return [None if value is None else float(value) for value in values]
    if types.is_boolean(kind):
        return [None if value is None else str(value).lower() for value in values]
    if types.is_string(kind) or types.is_large_string(kind) or types.is_temporal(kind) or types.is_null(kind):
        return [None if value is None else str(value) for value in values]
    raise fault(f"column {name!r}", "numbers, strings, truth values or dates", str(kind),
                "Give each part a column of its own.")  # fmt: skip
