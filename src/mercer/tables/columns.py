"""From cells to columns: what kind each is, and its values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.items.kinds import KINDS, MAX_CATEGORIES, NUMERIC, kind_of
from mercer.tables.cells import Cell, Cells, fault, has_leading_zeros, is_missing, is_no_number, number, shown
from mercer.typing import Array

_SLIPS = 0.1  # at most this share of a column of numbers may be slips of the pen, else it is a column of strings


def columns_of(cells: Cells, given: Mapping[str, str]) -> tuple[dict[str, Array], dict[str, str]]:
    """(columns, kinds); kinds that are `given` are not found out."""
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
    """The kind of a column by its cells, and the numbers that they are."""
    known = [x for x in numbers if x is not None]
    others = [value for value, x in zip(values, numbers, strict=True) if x is None and value is not None]
    wrong = sum(not is_no_number(value) for value in others)
    different = len(set(known)) if wrong else 0
    slips = wrong <= _SLIPS * (len(known) + wrong) and (different > MAX_CATEGORIES or different > len(known) / 2)
    if has_leading_zeros(values) or not (slips if wrong else known or not others):
        return kind_of([_string(value) for value in values if value is not None])
    return NUMERIC  # slips are reported as faults


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
    """A number among strings as it would be written."""
    return value if isinstance(value, str) else f"{value:.15g}"
