"""Tables: rows whose columns are of several kinds, from any data frame library or a dict of columns.

A column of numbers is an array, any other column a list.  `view` hands some columns to a kernel as the kind of
item it understands.  A matrix of numbers is a table too, one whose columns have positions but no names: it stays
`Vectors`, so that kernels on columns and kernels on whole rows can stand in one expression.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from mercer.errors import bad, wrong_kind
from mercer.items.categories import Categories
from mercer.items.items import Anything, Items, taken
from mercer.items.symbols import is_frame, symbol_bytes
from mercer.items.vectors import Vectors, is_sparse
from mercer.typing import Array, Index

Column = Any  # an array of numbers, or a list of anything else
Columns = tuple[str | int, ...]

_EXACT = 2.0**53  # integers below are float64 numbers


@dataclass(frozen=True, eq=False)
class Table(Items):
    """n rows, by columns of equal length."""

    columns: dict[Any, Column]
    kind: ClassVar[str] = "table"

    @classmethod
    def check(cls, X: Any, owner: str) -> Any:
        if isinstance(X, (Table, Vectors)):
            return X
        if isinstance(X, (list, np.ndarray)) or is_sparse(X):
            return Vectors.check(X, owner)
        if isinstance(X, Mapping):
            return cls(_equally_long({name: _column(values, name, owner) for name, values in X.items()}, owner))
        if is_frame(X):
            return cls(_equally_long(_frame_columns(X, owner), owner))
        raise wrong_kind(owner, "a data frame, a dict of columns or a matrix", getattr(X, "kind", type(X).__name__),
                         "Build one with pandas.DataFrame(...), or use the inner kernel without On.")  # fmt: skip

    @property
    def values(self) -> list[dict[Any, Any]]:
        """One dict per row, for functions that look at a row as a whole."""
        return [dict(zip(self.columns, row, strict=True)) for row in self._rows()]

    def _rows(self) -> Iterable[tuple[Any, ...]]:
        return zip(*map(_as_list, self.columns.values()), strict=True)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, index: Index) -> Self:
        return type(self)({name: _cut(column, index) for name, column in self.columns.items()})

    def pieces(self) -> Iterable[bytes]:
        yield f"{len(self)} x {len(self.columns)}".encode()
        for name, column in self.columns.items():
            yield symbol_bytes(name)
            yield from _column_bytes(column)

    def keys(self) -> list[bytes]:
        return [symbol_bytes(row) for row in self._rows()]

    def name(self, column: str | int, owner: str) -> Any:
        """The name of a column given by name or by position."""
        names = list(self.columns)
        if isinstance(column, int) and 0 <= column < len(names):
            return names[column]
        if isinstance(column, str) and column in self.columns:
            return column
        raise bad(owner, "column", f"one of {names}, or a position below {len(names)}", repr(column),
                  "Choose a column of the table.")  # fmt: skip


def view(X: Table | Vectors, columns: Columns, kind: type[Items], owner: str) -> Items:
    """Some columns of X as items of the given kind; kinds that hold whole texts or sets take one column."""
    if isinstance(X, Vectors):
        return _vectors_view(X, columns, kind, owner)
    names = [X.name(column, owner) for column in columns]
    chosen = [X.columns[name] for name in names]
    if kind in (Table, Anything):
        return Table(dict(zip(names, chosen, strict=True)))
    if kind is Categories:
        return Categories.of_columns(chosen, owner)
    if kind is Vectors or all(isinstance(column, np.ndarray) for column in chosen):
        return kind.check(_matrix(names, chosen, owner), owner)
    if len(chosen) > 1:
        raise bad(owner, "columns", f"one column for a kernel on {kind.kind}", f"{len(names)}: {names}",
                  "Give each column its own kernel and add or multiply them.")  # fmt: skip
    return kind.check(chosen[0], owner)


def _vectors_view(X: Vectors, columns: Columns, kind: type[Items], owner: str) -> Items:
    wrong = next((c for c in columns if not (isinstance(c, int) and 0 <= c < X.width)), None)
    if wrong is not None:
        raise bad(owner, "column", f"a position below {X.width} (a matrix has no names)", repr(wrong),
                  "Pass a data frame or a dict of columns to choose by name.")  # fmt: skip
    V = X.values[:, list(columns)]
    chosen = V if is_sparse(V) else np.ascontiguousarray(V)
    return Vectors(chosen) if kind in (Vectors, Table, Anything) else kind.check(chosen, owner)


def _matrix(names: list[Any], columns: list[Column], owner: str) -> Array:
    """(n, d) numbers; a column that holds anything else, or a gap, is named."""
    for name, column in zip(names, columns, strict=True):
        if not isinstance(column, np.ndarray) and column:
            odd = next((value for value in column if not _is_number(value)), None)
            raise wrong_kind(owner, "columns of numbers", f"{odd!r} in column {name!r}",
                             "Choose numeric columns, or another kernel for this one.")  # fmt: skip
        gaps = np.flatnonzero(~np.isfinite(column))
        if gaps.size:
            raise bad(owner, f"column {name!r}", "finite numbers", f"{column[gaps[0]]} in row {gaps[0]}",
                      "Drop, impute or clip such rows first.")  # fmt: skip
    return np.column_stack(columns)


def _frame_columns(X: Any, owner: str) -> dict[Any, Column]:
    """The columns of a pandas, polars, pyarrow, ... frame held in memory."""
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise wrong_kind(owner, "a table in memory", type(X).__name__, "Collect the lazy frame first: X.collect().")
    fast = {c.name: c.to_numpy() if c.dtype.is_numeric() else c.to_list() for c in frame.iter_columns()}
    return {name: _column(values, name, owner) for name, values in fast.items()}


def _column(values: Any, name: Any, owner: str) -> Column:
    """One column of a dict: an array if every entry is a number, else a list."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        raise wrong_kind(owner, "a list or array in every column", f"{type(values).__name__} in column {name!r}",
                         "Write {'name': [value, ...]}.")  # fmt: skip
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "fiub":
        return values
    entries = list(values)
    return np.array(entries) if entries and all(map(_is_number, entries)) else entries


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating, np.bool_))


def _equally_long(columns: dict[Any, Column], owner: str) -> dict[Any, Column]:
    lengths = {name: len(column) for name, column in columns.items()}
    if not lengths:
        raise bad(owner, "X", "a table with at least one column", "none", "Pass the features of each item.")
    if len(set(lengths.values())) > 1:
        raise bad(owner, "X", "columns of one length", lengths, "Give every column one entry per row.")
    return columns


def _as_list(column: Column) -> list[Any]:
    return list(column.tolist() if isinstance(column, np.ndarray) else column)


def _cut(column: Column, index: Index) -> Column:
    return column[index] if isinstance(column, np.ndarray) else taken(column, index)


def _column_bytes(column: Column) -> Iterable[bytes]:
    """Numbers as float64, so that libraries with other number types agree; other values one by one."""
    if isinstance(column, np.ndarray):
        numbers = column.astype(float) + 0.0  # -0.0 becomes 0.0
        if (np.abs(numbers) < _EXACT).all():
            return [numbers.tobytes()]
    return map(symbol_bytes, _as_list(column))
