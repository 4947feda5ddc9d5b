"""Table: named columns of numbers, categories, texts and graphs, or sparse rows, with notes on them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Self

import numpy as np

from mercer import items
from mercer.errors import TableError
from mercer.items.column_kinds import KINDS, NUMERIC
from mercer.tables.target import require_two, targets
from mercer.typing import Array, Index

TARGETS = ("target", "label", "class", "y")  # names of the column to predict, if none is given
LISTED = 30  # names in a message


def listed(names: Collection[str]) -> str:
    """Names in a message; of very many, the first."""
    some = ", ".join(map(repr, list(names)[:LISTED]))
    return f"[{some}]" if len(names) <= LISTED else f"[{some} and {len(names) - LISTED} more]"


@dataclass(frozen=True, eq=False)
class Table:
    """n rows.  Numeric columns are float64 with NaN for a missing value, others hold str with None for it.

    kinds      "numeric", "categorical", "text" or "graph" for every column
    vectors    sparse rows (svmlight), beside which the only column is the label
    notes      sentences on unusual columns (column_notes.py)
    aside      columns that are no features, with the reason: identifiers and dates (columns_left_out.py)
    """

    name: str
    columns: dict[str, Array]
    kinds: dict[str, str]
    notes: tuple[str, ...] = ()
    vectors: Any = field(default=None, repr=False)
    aside: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.vectors is None else int(self.vectors.shape[0])

    @property
    def items(self) -> Any:
        """What kernels and TableScaler take: a table of items, or the sparse rows."""
        if self.vectors is not None:
            return self.vectors
        lists = {name: c if self.kinds[name] == NUMERIC else c.tolist() for name, c in self.columns.items()}
        return items.Table(lists)

    def of_kind(self, kind: str) -> list[str]:
        """The columns of that kind."""
        return [name for name, own in self.kinds.items() if own == kind]

    def take(self, rows: Index) -> Self:
        """Some of the rows, in that order."""
        some = {name: column[rows] for name, column in self.columns.items()}
        return replace(self, columns=some, vectors=None if self.vectors is None else self.vectors[rows])

    def drop(self, names: Collection[str]) -> Self:
        """The table without some columns."""
        for name in names:
            self.require(name)
        kept = [name for name in self.columns if name not in names]
        if not kept and self.vectors is None:
            raise TableError(f"{self.name}: expected a column besides {sorted(names)}, got none. Keep at least one.")
        return replace(self, columns={name: self.columns[name] for name in kept},
                       kinds={name: self.kinds[name] for name in kept})  # fmt: skip

    def require(self, name: str) -> None:
        """Refuse a name that no column has, and name the nearest one."""
        if name not in self.columns:
            near = get_close_matches(name, self.columns, n=1, cutoff=0.5)
            hint = f"Did you mean {near[0]!r}?" if near else "Choose one of these."
            raise TableError(f"{self.name}: expected one of the columns {listed(self.columns)}, got {name!r}. {hint}")

    def target_name(self, name: str | None = None) -> str:
        """The column to predict: as given, else target, label, class or y, else the last that may be a feature."""
        if name is not None:
            self.require(name)
            return name
        usual = [column for wanted in TARGETS for column in self.columns if column.lower() == wanted]
        ordinary = [column for column in self.columns if column not in self.aside]
        return (usual or ordinary[-1:] or list(self.columns)[-1:])[0]

    def split_target(self, name: str | None = None, *, task: str | None = None) -> tuple[Self, Array, str]:
        """(features, y, task); columns set aside and rows without a target are left out, and the notes say so.

        If all columns are set aside, they stay.
        """
        chosen = self.target_name(name)
        y, known, found = self.known_targets(chosen, task)
        require_two(y, f"{self.name}: column {chosen!r}")
        aside = [column for column in self.columns if column in self.aside and column != chosen]
        only = self.vectors is None and len(aside) == len(self.columns) - 1
        features = self.drop([chosen, *([] if only else aside)]).take(known)
        notes = [f"column {column!r} {'' if only else 'is left out: it '}{self.aside[column]}" for column in aside]
        notes += [note for note in self.notes if f"column {chosen!r}" not in note]
        if lost := len(self) - len(features):
            notes.append(f"{lost} rows without a target were left out")
        return replace(features, notes=tuple(notes)), y, found

    def known_targets(self, name: str, task: str | None = None) -> tuple[Array, Array, str]:
        """(y, rows, task) of the rows where the target is known."""
        column = self.columns[name]
        rows = np.flatnonzero([value is not None and value == value for value in column])
        y, found = targets(column[rows], f"{self.name}: column {name!r}", task)
        return y, rows, found

    def describe(self) -> str:
        """Rows and columns in words."""
        if self.vectors is not None:
            return f"{len(self)} rows of {self.vectors.shape[1]} numbers, sparse"
        counts: Mapping[str, int] = {kind: len(self.of_kind(kind)) for kind in KINDS}
        parts = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
        return f"{len(self)} rows, {len(self.columns)} columns ({parts})"
