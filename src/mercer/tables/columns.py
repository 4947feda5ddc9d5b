"""From cells to columns: the kind of each column, and its values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.items.column_kinds import KINDS, MAX_CATEGORIES, NUMERIC, kind_of
from mercer.tables.cells import Cell, Cells, fault, has_leading_zeros, is_missing, is_no_number, number, shown
from mercer.typing import Array

_TYPOS = 0.1  # a column of numbers with at most this share of other text is numeric, and the text is an error


def columns_of(cells: Cells, given: Mapping[str, str]) -> tuple[dict[str, Array], dict[str, str]]:
    """(columns, kinds); a kind is `given`, or found from the cells."""
    _require_known(given)
    columns, kinds = {}, {}
    for name, column in cells.columns.items():
        values = [None if is_missing(cell) else cell for cell in column]
        numbers = list(map(number, values)) if given.get(name) in (None, NUMERIC) else []
        kinds[name] = given.get(name) or _kind(values, numbers)
        columns[name] = _numbers(cells, name, values, numbers) if kinds[name] == NUMERIC else _strings(values)
    return columns, kinds


def _require_known(given: Mapping[str, str]) -> None:
    for name, kind in given.items():
        if kind not in KINDS:
            raise bad("read", f"the kind of {name!r}", f"one of {list(KINDS)}", repr(kind), "Choose one of these.")


def _kind(values: list[Cell], numbers: list[float | None]) -> str:
    """The kind of a column by its cells; `numbers` has the number in each, or None."""
    known = [x for x in numbers if x is not None]
    others = [value for value, x in zip(values, numbers, strict=True) if x is None and value is not None]
    wrong = sum(not is_no_number(value) for value in others)
    different = len(set(known)) if wrong else 0
    typos = wrong <= _TYPOS * (len(known) + wrong) and (different > MAX_CATEGORIES or different > len(known) / 2)
    if has_leading_zeros(values) or not (typos if wrong else known or not others):
        return kind_of([_string(value) for value in values if value is not None])
    return NUMERIC  # _numbers reports other text as an error


def _numbers(cells: Cells, name: str, values: list[Cell], numbers: list[float | None]) -> Array:
    found = np.array([math.nan if x is None else x for x in numbers])
    for row in np.flatnonzero(~np.isfinite(found)).tolist():
        if math.isinf(found[row]) or (numbers[row] is None and not is_no_number(values[row])):
            raise fault(f"{cells.place(row)}, column {shown(name)}", "a number", shown(values[row]),
                        "Correct it, leave it empty, or read the column as categorical.")  # fmt: skip
    return found


def _strings(values: list[Cell]) -> Array:
    found = np.empty(len(values), dtype=object)
    found[:] = [None if value is None else _string(value) for value in values]
    return found


def _string(value: Any) -> str:
    """A string as it is; a number as text."""
    return value if isinstance(value, str) else f"{value:.15g}"
