"""Tables in memory: a data frame of pandas, polars, pyarrow, ..., or a dict of columns."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from mercer import items
from mercer.errors import TableError
from mercer.items.symbols import is_frame, is_missing
from mercer.tables.cells import Cell, Cells, fault, require_different, shown

_NAMED_BY_TEXT = (str, datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


def is_in_memory(source: Any) -> bool:
    """Whether a table is in memory, and not in a file."""
    return isinstance(source, Mapping) or is_frame(source)


def cells(source: Any) -> Cells:
    """The table in a frame or a dict of columns; its rows are counted from 0."""
    columns = items.Table.check(source, "read").columns
    names = [str(name) for name in columns]
    require_different(names, "the columns")
    found = {str(name): [_cell(v, f"row {i}, column {shown(name)}") for i, v in enumerate(_listed(column))]
             for name, column in columns.items()}  # fmt: skip
    count = len(next(iter(found.values())))
    if not count:
        raise TableError("expected a table, got no rows. Pass one row for every item.")
    return Cells(found, range(count), "row")


def _listed(column: Any) -> list[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else list(column)


def _cell(value: Any, place: str) -> Cell:
    if is_missing(value):
        return None
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    if isinstance(value, (Real, Decimal)):
        return float(value)
    if isinstance(value, _NAMED_BY_TEXT):
        return str(value)
    if isinstance(value, dict) and "edges" in value:
        return json.dumps(value)
    raise fault(place, "a number, a string, a truth value or a date", shown(value),
                "Give each part a column of its own.")  # fmt: skip
