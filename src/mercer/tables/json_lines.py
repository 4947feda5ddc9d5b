"""JSON: one object for every row, each on a line of its own or all in one array.

Values are plain, or graphs: objects with edges, which stay text until a kernel reads them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from mercer.errors import TableError
from mercer.tables.cells import Cell, Cells, fault, shown

_SPACE = re.compile(r"\s*")
_CURE = 'Write {"column": value, ...}.'


def cells(text: str) -> Cells:
    """The table in a text; a key that a row does not have is a missing value."""
    rows, lines = [], []
    for line, row in _array(text) if text.lstrip().startswith("[") else _lines(text):
        rows.append({name: _cell(value, f"line {line}, column {shown(name)}") for name, value in row.items()})
        lines.append(line)
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        raise TableError("expected a table, got no values. Write one JSON object for every row.")
    return Cells({name: [row.get(name) for row in rows] for name in names}, lines)


def _lines(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The object on every line that is not blank."""
    for line, content in enumerate(text.split("\n"), start=1):
        if content.strip():
            yield line, _object(_decoded(content.strip(), 0, line, whole=True)[0], content, line)


def _array(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of one array, each with the line on which it begins."""
    at, line = _after_space(text, text.index("[") + 1), 1
    counted = 0
    closed = text.startswith("]", at)
    while not closed:
        line, counted = line + text.count("\n", counted, at), at
        value, end = _decoded(text, at, line)
        yield line, _object(value, text[at:end], line)
        at = _after_space(text, end)
        closed = text.startswith("]", at)
        if not closed and not text.startswith(",", at):
            raise fault(
                _place(text, at), "a comma or the end of the array", _next(text, at), "Look for a missing comma."
            )
        at = at if closed else _after_space(text, at + 1)
    rest = _after_space(text, at + 1)
    if rest < len(text):
        raise fault(_place(text, rest), "nothing after the array", _next(text, rest), "Put all rows into one array.")


def _decoded(text: str, at: int, line: int, *, whole: bool = False) -> tuple[Any, int]:
    """The value that begins at a position, and where it ends."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise fault(f"line {line}", "each key once", "one twice", "Rename or remove it.")
        return dict(pairs)

    try:
        value, end = json.JSONDecoder(object_pairs_hook=unique).raw_decode(text, at)
    except TableError:
        raise
    except (ValueError, RecursionError) as error:
        raise fault(f"line {line}", "a JSON object", f"{_next(text, at)} ({error})", _CURE) from None
    if whole and end < len(text):
        raise fault(f"line {line}", "a JSON object and no more", _next(text, end), "Begin a new line for every row.")
    return value, end


def _object(value: Any, written: str, line: int) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise fault(f"line {line}", "a JSON object", shown(written), _CURE)
    return value


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _place(text: str, at: int) -> str:
    return f"line {text.count(chr(10), 0, at) + 1}"


def _next(text: str, at: int) -> str:
    return shown(text[at : at + 100]) if at < len(text) else "the end of the file"


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
    if isinstance(value, dict) and "edges" in value:
        return json.dumps(value)
    raise fault(place, "a number, a string, true, false or null, or a graph", shown(value),
                "Write one object for every row (pandas: orient='records'), and a column for every part.")  # fmt: skip
