"""Targets: labels or numbers, by what a column holds."""

from __future__ import annotations

import numpy as np

from mercer.errors import TableError, bad
from mercer.items.kinds import MAX_CATEGORIES
from mercer.typing import Array

CLASSIFICATION, REGRESSION = "classification", "regression"
_ROWS = 5  # of every class, on average, where classes are whole numbers


def targets(column: Array, place: str, task: str | None) -> tuple[Array, str]:
    """(y, task): strings as str, whole numbers that are labels as integers, else float64."""
    if task not in (None, CLASSIFICATION, REGRESSION):
        raise bad("split_target", "task", f"{CLASSIFICATION!r} or {REGRESSION!r}", repr(task), "Leave it out.")
    found = task or (CLASSIFICATION if _are_labels(column) else REGRESSION)
    strings = column.dtype == object
    if found == REGRESSION and strings:
        raise TableError(f"{place}: expected numbers for regression, got strings. Choose another column or task.")
    if strings:
        return column.astype(str), found
    whole = found == CLASSIFICATION and _whole(column)
    return column.astype(np.int64) if whole else column, found


def _are_labels(column: Array) -> bool:
    """Strings, two values, or few whole numbers of which each comes several times."""
    if column.dtype == object:
        return True
    different = len(np.unique(column))
    return different <= 2 or (different <= min(MAX_CATEGORIES, len(column) / _ROWS) and _whole(column))


def _whole(column: Array) -> bool:
    return bool((np.abs(column) < 2.0**53).all() and (column == np.round(column)).all())


def require_two(y: Array, place: str) -> None:
    """Refuse targets of which no two differ."""
    different = len(set(y.tolist()))
    if different < 2:
        raise TableError(f"{place}: expected two different values or more, got {different}. "
                         "There is nothing to learn; choose another target.")  # fmt: skip
