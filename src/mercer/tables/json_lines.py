"""JSON lines: one object for every row, with numbers, strings, truth values or null by column."""

from __future__ import annotations

import json
import math
from typing import Any

from mercer.errors import TableError
from mercer.tables.cells import Cell, Cells, fault, shown


def cells(text: str) -> Cells:
    """The table in a text; a row without some key has a gap there."""
    rows, lines = [], []
    for line, content in enumerate(text.split("\n"), start=1):
        if content.strip():
            rows.append(_row(content, f"line {line}"))
            lines.append(line)
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        raise TableError("expected a table, got no values. Write one JSON object on every line.")
    return Cells({name: [row.get(name) for row in rows] for name in names}, lines)


def _row(content: str, place: str) -> dict[str, Cell]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise fault(place, "each key once", "one twice", "Rename or remove it.")
        return dict(pairs)

    try:
        row = json.loads(content, object_pairs_hook=unique)
    except TableError:
        raise
    except (ValueError, RecursionError) as error:
        raise fault(place, "a JSON object", f"{shown(content)} ({error})", 'Write {"column": value, ...}.') from None
    if not isinstance(row, dict):
        raise fault(place, "a JSON object", shown(content), 'Write {"column": value, ...}.')
    return {name: _cell(value, f"{place}, column {shown(name)}") for name, value in row.items()}


def _cell(value: Any, place: str) -> Cell:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    raise fault(place, "a number, a string, true, false or null", shown(value), "Give each part a column of its own.")
