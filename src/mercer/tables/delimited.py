"""CSV and the like: finds the delimiter, the comments and the header, and checks that all rows have the same width.

A line that begins with # is a comment if it comes before the first row, if it has another number of fields than the
rows, or if most rows begin with a number.  The last comment before the first row is the header if it has a name for
every column and the first row is not a header.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from mercer.errors import TableError
from mercer.tables.cells import Cell, Cells, fault, is_missing, is_no_number, number, require_different, shown

DELIMITERS = ",;\t|"
SPACE = " "  # any number of spaces and tabs; tried only if no other delimiter fits all rows
COMMENT = "#"
_FIRST = re.compile(rf"[^{DELIMITERS}\s]*")
_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+([eE][-+]?\d+)?", re.ASCII)
_FIRST_ROWS = 200  # rows by which the delimiter and the header are found
Row = tuple[int, list[str]]  # the line on which it begins, and its fields


def cells(text: str, *, delimiter: str | None, header: bool | None) -> Cells:
    """The table in a text; a delimiter or header that is not given is found from the text."""
    comments, start = _comments_before(text)
    found = delimiter or _delimiter(text, start)
    rows = _without_comments(list(_rows(text, found, start)))
    if not rows:
        raise TableError("expected a table, got an empty file. Write a header and one row for every item.")
    named = _has_header(rows) if header is None else header
    names = _header(rows, found) if named else _header_above(comments, found, len(rows[0][1]))
    body = rows[1:] if named else rows
    require_different(names, f"line {rows[0][0]}")
    if not body:
        raise fault(f"line {rows[0][0]}", "rows below the header", "the header only", "Add one row for every item.")
    _require_one_width(body, len(names), found)
    written = _with_points if found == ";" else str
    columns: dict[str, list[Cell]] = {name: [written(row[j]) for _, row in body] for j, name in enumerate(names)}
    return Cells(columns, [line for line, _ in body])


def _is_comment(line: str) -> bool:
    """Whether a line begins like a comment; #N/A and the like are missing values, not comments."""
    first = _FIRST.match(line.lstrip())
    return first is not None and first[0].startswith(COMMENT) and not is_no_number(first[0])


def _comments_before(text: str) -> tuple[list[str], int]:
    """The comments before the first row, and the position after them."""
    comments: list[str] = []
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        line = text[start:end]
        if _is_comment(line):
            comments.append(line.strip().lstrip(COMMENT).strip())
        elif line.strip():
            break
        start = end
    return comments, start


def _without_comments(rows: list[Row]) -> list[Row]:
    """The rows without comments; the first row never is one, as comments before it are skipped already."""
    if not any(_is_comment(row[0]) for _, row in rows[1:]):
        return rows
    width = len(rows[0][1])
    plain = [row[0] for _, row in rows if not _is_comment(row[0])]
    numbers = 2 * sum(number(cell) is not None for cell in plain) > len(plain)
    return [(line, row) for i, (line, row) in enumerate(rows)
            if not i or not _is_comment(row[0]) or (len(row) == width and not numbers)]  # fmt: skip


def _header_above(comments: list[str], delimiter: str, width: int) -> list[str]:
    """The names in the last comment before the first row, if there are as many as columns; else x0, x1, ..."""
    rows = _first_rows(comments[-1], delimiter, 0) if comments else []
    names = _names(rows[0]) if len(rows) == 1 else []
    fits = len(names) == width and all(number(name) is None for name in names)
    return names if fits else [f"x{j}" for j in range(width)]


def _header(rows: list[Row], delimiter: str) -> list[str]:
    """The names in the first row.  R writes row names without a heading, so with spaces a name may be missing."""
    first = rows[0][1]
    short = delimiter == SPACE and len(rows) > 1 and all(len(row) == len(first) + 1 for _, row in rows[1:])
    return _names(["", *first] if short else first)


def _rows(text: str, delimiter: str, start: int) -> Iterator[Row]:
    """Every row that is not blank, with the line on which it begins."""
    source: Iterable[str] = io.StringIO(text[start:], newline="")
    if delimiter == SPACE:
        source = (line.replace("\t", SPACE).strip(" \r\n") for line in source)
    reader = csv.reader(source, delimiter=delimiter, strict=True, skipinitialspace=delimiter == SPACE)
    before = text.count("\n", 0, start)
    line = before + 1
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
        line = before + reader.line_num + 1


def _delimiter(text: str, start: int) -> str:
    """The delimiter that cuts the most rows into as many fields as the first row."""
    agreement = {delimiter: _agreement(text, delimiter, start) for delimiter in DELIMITERS}
    best = max(DELIMITERS, key=lambda d: agreement[d])
    if agreement[best][0] < 1.0 and _is_spaced(text, start):
        return SPACE
    return best if agreement[best] > (0.0, 0) else ","


def _is_spaced(text: str, start: int) -> bool:
    """Whether spaces cut all rows into equally many fields, and a column has numbers; words of a sentence have none."""
    first, *others = _first_rows(text, SPACE, start) or [[]]
    widths = {len(row) for row in others}
    fits = len(widths) == 1 and max(widths) > 1 and max(widths) - len(first) in (0, 1)
    return fits and any(_numeric(column) for column in zip(*others, strict=True))


def _first_rows(text: str, delimiter: str, start: int) -> list[list[str]]:
    """The rows by which the delimiter is found; none if it does not fit."""
    try:
        found = [row for _, row in islice(_rows(text, delimiter, start), _FIRST_ROWS)]
    except TableError:
        return []
    return found[:1] + [row for row in found[1:] if not _is_comment(row[0])]


def _agreement(text: str, delimiter: str, start: int) -> tuple[float, int]:
    """(share of rows with as many fields as the first, that number); zero for one column."""
    widths = [len(row) for row in _first_rows(text, delimiter, start)]
    if not widths or widths[0] == 1:
        return 0.0, 0
    return widths.count(widths[0]) / len(widths), widths[0]


def _has_header(rows: list[Row]) -> bool:
    """Whether the first row is a header: words above numbers, or words that no other row has."""
    first, body = rows[0][1], [row for _, row in rows[1:_FIRST_ROWS]]
    columns = [[row[j] for row in body if j < len(row)] for j in range(len(first))]
    words = [not is_missing(cell) and number(cell) is None for cell in first]
    if any(word and _numeric(column) for word, column in zip(words, columns, strict=True)):
        return True
    again = any(word and cell in column for word, cell, column in zip(words, first, columns, strict=True))
    return any(words) and not again and all(word or is_missing(cell) for word, cell in zip(words, first, strict=True))


def _numeric(column: Sequence[str]) -> bool:
    given = [cell for cell in column if not is_no_number(cell)]
    return bool(given) and all(number(cell) is not None for cell in given)


def _names(first: list[str]) -> list[str]:
    """The names without spaces around them; a column without a name gets the one that pandas gives."""
    return [cell.strip() or f"Unnamed: {j}" for j, cell in enumerate(first)]


def _with_points(cell: str) -> str:
    """A decimal comma as a point, for files with semicolons between fields."""
    return cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell.strip()) else cell


def _require_one_width(body: list[Row], width: int, delimiter: str) -> None:
    for line, row in body:
        if len(row) != width:
            raise fault(f"line {line}", f"{width} fields between {shown(delimiter)}", f"{len(row)}",
                        "Complete the row; a field that holds the delimiter needs quotes.")  # fmt: skip
