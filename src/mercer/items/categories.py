"""Categories: rows of d values that are only ever equal or different (colours, codes, answers)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from mercer.errors import bad, wrong_kind
from mercer.items.symbols import Listed, is_frame, is_missing, listed


@dataclass(frozen=True, eq=False)
class Categories(Listed):
    """n rows of d hashable values, each row a tuple."""

    kind: ClassVar[str] = "categories"

    @classmethod
    def check(cls, X: Any, owner: str) -> Self:
        if isinstance(X, cls):
            return X
        if is_frame(X):
            from mercer.items.tables import Table

            return cls.of_columns(Table.check(X, owner).columns.values(), owner)
        return cls(_rows(_row_lists(X, owner), owner))

    @classmethod
    def of_columns(cls, columns: Iterable[Any], owner: str) -> Self:
        """Rows from columns of equal length, each a list or an array."""
        lists = [column.tolist() if isinstance(column, np.ndarray) else column for column in columns]
        return cls(_rows([*zip(*lists, strict=True)], owner))

    @property
    def width(self) -> int:
        return len(self.values[0]) if self.values else 0


def _row_lists(X: Any, owner: str) -> list[Any]:
    if isinstance(X, np.ndarray) and X.ndim == 2:
        return X.tolist()  # type: ignore[no-any-return]
    return listed(X, owner, "rows of categories",
                  "Pass one row of values per item, e.g. [['red', 'S'], ['blue', 'L']].")  # fmt: skip


def _rows(rows: list[Any], owner: str) -> list[tuple[Any, ...]]:
    out = [_row(row, owner, i) for i, row in enumerate(rows)]
    odd = next((i for i, row in enumerate(out) if len(row) != len(out[0])), None)
    if odd is not None:
        raise bad(owner, "X", "rows of one length", f"{len(out[0])} entries in row 0 and {len(out[odd])} in row {odd}",
                  "Sets of varying size need a set kernel.")  # fmt: skip
    if out and not out[0]:
        raise bad(owner, "X", "at least one column wide", "empty rows", "Pass the categories of each item.")
    return out


def _row(row: Any, owner: str, i: int) -> tuple[Any, ...]:
    if isinstance(row, np.ndarray) and row.ndim == 1:
        row = row.tolist()
    if not isinstance(row, (list, tuple)):
        raise wrong_kind(owner, "rows of categories", f"{row!r} in row {i}",
                         "For one column write [[value] for value in X], or X.reshape(-1, 1).")  # fmt: skip
    for j, value in enumerate(row):
        if is_missing(value):
            raise bad(owner, "X", "categories without gaps", f"{value!r} in row {i}, column {j}",
                      "Drop such rows, or make 'missing' a category of its own.")  # fmt: skip
    try:
        hash(tuple(row))
    except TypeError as error:
        raise wrong_kind(owner, "hashable categories", f"{error} in row {i}", "Use tuples or strings.") from None
    return tuple(row)
