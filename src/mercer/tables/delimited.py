"""CSV and TSV: which delimiter, whether there is a header, and rows of one width."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice

from mercer.errors import TableError
from mercer.tables.cells import Cell, Cells, fault, is_missing, number, require_different, shown

DELIMITERS = ",;\t"
_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+([eE][-+]?\d+)?", re.ASCII)
_LOOK = 200  # rows that show the delimiter and the header
Row = tuple[int, list[str]]  # the line on which it begins, and its fields


def cells(text: str, *, delimiter: str | None, header: bool | None) -> Cells:
    """The table in a text; what is not given is found out."""
    found = delimiter or _delimiter(text)
    rows = list(_rows(text, found))
    if not rows:
        raise TableError("expected a table, got an empty file. Write a header and one row for every item.")
    line, first = rows[0]
    named = _has_header(rows) if header is None else header
    names = _names(first) if named else [f"x{j}" for j in range(len(first))]
    require_different(names, f"line {line}")
    body = rows[1:] if named else rows
    if not body:
        raise fault(f"line {line}", "rows below the header", "the header only", "Add one row for every item.")
    _require_one_width(body, len(names), found)
    written = _with_points if found == ";" else str
    columns: dict[str, list[Cell]] = {name: [written(row[j]) for _, row in body] for j, name in enumerate(names)}
    return Cells(columns, [line for line, _ in body])


def _rows(text: str, delimiter: str) -> Iterator[Row]:
    """Every row that is not blank, with the line on which it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise fault(f"line {line}", "a row of fields", f"one that cannot be read: {error}",
                        "Look for a quote that is not closed or stands alone.") from None  # fmt: skip
        if row is None:
            return
        if row:
            yield line, row
        line = reader.line_num + 1


def _delimiter(text: str) -> str:
    """The delimiter that cuts the first row, and the most of the others into as many fields."""
    agreement = {delimiter: _agreement(text, delimiter) for delimiter in DELIMITERS}
    best = max(DELIMITERS, key=lambda d: agreement[d])
    return best if agreement[best] > (0.0, 0) else ","


def _agreement(text: str, delimiter: str) -> tuple[float, int]:
    """(share of rows as wide as the first, its width); zero for one column."""
    widths: list[int] = []
    try:
        widths.extend(len(row) for _, row in islice(_rows(text, delimiter), _LOOK))
    except TableError:
        return 0.0, 0
    if not widths or widths[0] == 1:
        return 0.0, 0
    return widths.count(widths[0]) / len(widths), widths[0]


def _has_header(rows: list[Row]) -> bool:
    """Whether the first row is unlike the others: words above numbers, or words that never come again."""
    first, body = rows[0][1], [row for _, row in rows[1:_LOOK]]
    columns = [[row[j] for row in body if j < len(row)] for j in range(len(first))]
    words = [not is_missing(cell) and number(cell) is None for cell in first]
    if any(word and _numeric(column) for word, column in zip(words, columns, strict=True)):
        return True
    again = any(word and cell in column for word, cell, column in zip(words, first, columns, strict=True))
    return any(words) and not again and all(word or is_missing(cell) for word, cell in zip(words, first, strict=True))


def _numeric(column: list[str]) -> bool:
    given = [cell for cell in column if not is_missing(cell)]
    return bool(given) and all(number(cell) is not None for cell in given)


def _names(first: list[str]) -> list[str]:
    """The header without spaces around; a column without a name is called as pandas calls it."""
    return [cell.strip() or f"Unnamed: {j}" for j, cell in enumerate(first)]


def _with_points(cell: str) -> str:
    """A decimal comma as a point: where the comma is one, files use the semicolon between fields."""
    return cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell.strip()) else cell


def _require_one_width(body: list[Row], width: int, delimiter: str) -> None:
    for line, row in body:
        if len(row) != width:
            raise fault(f"line {line}", f"{width} fields between {shown(delimiter)}", f"{len(row)}",
                        "Complete the row; a field that holds the delimiter needs quotes.")  # fmt: skip
