"""Targets: whether a column to predict holds labels or numbers."""

from __future__ import annotations

import numpy as np

from mercer.errors import TableError, bad
from mercer.items.column_kinds import MAX_CATEGORIES
from mercer.typing import Array

CLASSIFICATION, REGRESSION = "classification", "regression"
_ROWS_PER_CLASS = 5  # on average, if whole numbers are taken for classes


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
    """Strings, two values, or few whole numbers that occur several times each."""
    if column.dtype == object:
        return True
    different = len(np.unique(column))
    return different <= 2 or (different <= min(MAX_CATEGORIES, len(column) / _ROWS_PER_CLASS) and _whole(column))


def _whole(column: Array) -> bool:
    return bool((np.abs(column) < 2.0**53).all() and (column == np.round(column)).all())


def require_two(y: Array, place: str) -> None:
    """Refuse targets that are all equal."""
    different = len(set(y.tolist()))
    if different < 2:
        raise TableError(f"{place}: expected two different values or more, got {different}. "
                         "There is nothing to learn; choose another target.")  # fmt: skip
