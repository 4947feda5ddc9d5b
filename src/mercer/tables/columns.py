"""From cells to columns: what kind each is, and its values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.items.kinds import FEW, KINDS, NUMERIC, kind_of
from mercer.tables.cells import Cell, Cells, fault, has_leading_zeros, is_missing, is_no_number, number, shown
from mercer.typing import Array

_SLIPS = 0.1  # at most this share of a column of numbers may be slips of the pen, else it is a column of strings


def columns_of(cells: Cells, given: Mapping[str, str]) -> tuple[dict[str, Array], dict[str, str]]:
    """(columns, kinds); kinds that are `given` are not found out."""
    _require_known(given)
    columns, kinds = {}, {}
    for name, column in cells.columns.items():
        values = [None if is_missing(cell) else cell for cell in column]
        kind = given.get(name) or _kind(values)
        columns[name] = _numbers(cells, name, values) if kind == NUMERIC else _strings(values)
        kinds[name] = kind
    return columns, kinds


def _require_known(given: Mapping[str, str]) -> None:
    for name, kind in given.items():
        if kind not in KINDS:
            raise bad("read", f"the kind of {name!r}", f"one of {list(KINDS)}", repr(kind), "Choose one of these.")


def _kind(values: list[Cell]) -> str:
    given = [value for value in values if value is not None]
    if has_leading_zeros(given):
        return kind_of([_string(value) for value in given])
    found = [number(value) for value in given]
    numbers = [x for x in found if x is not None]
    wrong = sum(x is None and not is_no_number(value) for x, value in zip(found, given, strict=True))
    if not wrong and (numbers or not given):
        return NUMERIC
    different = len(set(numbers))
    if wrong <= _SLIPS * (len(numbers) + wrong) and (different > FEW or different > len(numbers) / 2):
        return NUMERIC  # the others are reported as faults
    return kind_of([_string(value) for value in given])


def _numbers(cells: Cells, name: str, values: list[Cell]) -> Array:
    found = np.empty(len(values))
    for row, value in enumerate(values):
        x = math.nan if value is None else number(value)
        if x is None and is_no_number(value):
            x = math.nan
        if x is None or math.isinf(x):
            raise fault(f"{cells.place(row)}, column {shown(name)}", "a number", shown(value),
                        "Correct it, leave it empty, or read the column as categorical.")  # fmt: skip
        found[row] = x
    return found


def _strings(values: list[Cell]) -> Array:
    found = np.empty(len(values), dtype=object)
    found[:] = [None if value is None else _string(value) for value in values]
    return found


def _string(value: Any) -> str:
    """A number among strings as it would be written."""
    return value if isinstance(value, str) else f"{value:.15g}"
