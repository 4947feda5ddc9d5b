"""Columns that do not help to predict new rows: row numbers, identifiers, dates.

They are read, but left out of the features, and a note says so.  The user can keep a column by its name, or by giving
its kind.

    row numbers    0, 1, 2, ... or 1, 2, 3, ...; or different whole numbers in a column with the name of a pandas index
    identifiers    different whole numbers in a column with a name such as id; different strings in every row
    dates          days and times as text
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import numpy as np

from mercer.items.column_kinds import CATEGORICAL, MAX_CATEGORIES, NUMERIC
from mercer.typing import Array

_INDEX = re.compile(r"Unnamed: \d+|index|level_\d+")
_ID = re.compile(r"(.*[\W_])?(?i:id|uuid|guid|key|index|row|rowid)|.*[a-z](Id|ID)")
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DAYS = (
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}",  # 2024-01-31
    r"(19|20)\d\d-(0[1-9]|1[0-2])",  # 2024-01
    r"\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d\d)",  # 31.1.2024, 1/31/24
    rf"\d{{1,2}}[-. ]+{_MONTH}[-., ]+(\d{{4}}|\d\d)",  # 31-Jan-2024
    rf"{_MONTH}[. ]+\d{{1,2}}[, ]+\d{{4}}",  # January 31, 2024
)
_TIME = r"\d{1,2}:\d\d(:\d\d([.,]\d+)?)?( ?[ap]m)?( ?(Z|UTC|[-+]\d\d:?\d\d))?"  # 10:30, 10:30:00.5+01:00
_DATE = re.compile(rf"({'|'.join(_DAYS)})([T,]? ?{_TIME})?|{_TIME}", re.ASCII | re.IGNORECASE)


def left_aside(columns: Mapping[str, Array], kinds: Mapping[str, str], kept: Collection[str]) -> dict[str, str]:
    """{column: why it is left out of the features}."""
    found = {name: _why(name, column, kinds[name]) for name, column in columns.items() if name not in kept}
    return {name: why for name, why in found.items() if why is not None}


def _why(name: str, column: Array, kind: str) -> str | None:
    if kind == NUMERIC:
        return _numbers_rows(name, column)
    given = [value for value in column if value is not None]
    if given and all(_DATE.fullmatch(value.strip()) for value in given):
        return "holds dates"
    if kind == CATEGORICAL and len(given) > MAX_CATEGORIES and len(set(given)) == len(given):
        return "looks like an identifier, different in every row"
    return None


def _numbers_rows(name: str, column: Array) -> str | None:
    n = len(column)
    whole = n > 1 and bool((np.abs(column) < 2.0**53).all() and (column == np.round(column)).all())
    if not whole or len(np.unique(column)) < n:
        return None
    if _INDEX.fullmatch(name) or (
        n > MAX_CATEGORIES and column[0] in (0.0, 1.0) and bool((np.diff(column) == 1.0).all())
    ):
        return "numbers the rows"
    return "looks like an identifier, different in every row" if n > MAX_CATEGORIES and _ID.fullmatch(name) else None
