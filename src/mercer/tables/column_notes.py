"""Notes on unusual columns of a table, in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from mercer.items.column_kinds import NUMERIC
from mercer.tables.cells import Cells, has_leading_zeros
from mercer.typing import Array

_NAMED = 5  # columns, or words for a missing value, that one sentence names


def notes_of(cells: Cells, columns: Mapping[str, Array], kinds: Mapping[str, str]) -> tuple[str, ...]:
    """Cells that were read as missing, and columns that are empty, constant or codes."""
    gaps = [note] if (note := _gaps(cells, columns, kinds)) else []
    return (*gaps, *(note for name, column in columns.items() for note in remarks(name, column, kinds[name])))


def _gaps(cells: Cells, columns: Mapping[str, Array], kinds: Mapping[str, str]) -> str | None:
    """Which words among numbers were read as missing; empty cells are not mentioned."""
    marks: Counter[str] = Counter()
    names = []
    for name in (name for name, kind in kinds.items() if kind == NUMERIC):
        gaps = (cells.columns[name][row] for row in np.flatnonzero(np.isnan(columns[name])))
        own = Counter(cell.strip() for cell in gaps if isinstance(cell, str) and cell.strip())
        marks += own
        names += [name] if own else []
    if not marks:
        return None
    total = sum(marks.values())
    said = some_of([mark for mark, _ in marks.most_common()])
    return f"{total} cell{'s' * (total > 1)} {said} among the numbers of {some_of(names)} are read as missing"


def some_of(names: list[str]) -> str:
    """Names in a sentence; of many, the first few."""
    shown = ", ".join(map(repr, names[:_NAMED]))
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} more"


def remarks(name: str, column: Array, kind: str) -> Iterator[str]:
    """What is unusual in the values of one column."""
    given = column[~np.isnan(column)] if kind == NUMERIC else [value for value in column if value is not None]
    if not len(given):
        yield f"column {name!r} is empty"
    elif len(set(given)) == 1 and len(given) == len(column) > 1:
        yield f"column {name!r} is constant"
    if kind != NUMERIC and has_leading_zeros(given):
        yield f"column {name!r} has leading zeros: it is read as text"
