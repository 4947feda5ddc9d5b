"""Parquet, by pyarrow where it is installed."""

from __future__ import annotations

import io
from typing import Any

from mercer.errors import TableError
from mercer.tables.cells import Cell, Cells, fault, require_different


def cells(content: bytes) -> Cells:
    """The table in the bytes of a Parquet file."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise TableError("expected pyarrow to read Parquet, got no such package. "
                         "Install it (pip install pyarrow), or convert the file to CSV.") from None  # fmt: skip
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
