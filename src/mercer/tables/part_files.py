"""A folder of Parquet files that are the parts of one table, in the order of their names.

    parts = PartFiles.of("sales/")         columns and types are compared, before any row is read
    parts.column("price")                  one column of all parts
    parts.read(piece, kinds)               some rows of a part, as columns

Files whose names begin with _ or . are left out.  A part may have any number of rows, none included.  Pieces are row
groups of one part, so that a task holds few rows at a time.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Self

import numpy as np

from mercer.errors import TableError
from mercer.items.column_kinds import NUMERIC
from mercer.tables import parquet
from mercer.tables.cells import Cells, fault, require_different
from mercer.tables.column_notes import notes_of, remarks
from mercer.tables.columns import columns_of
from mercer.typing import Array

ENDINGS = (".parquet", ".pq")
PIECE = 20_000  # rows of a piece, unless a row group has more


def is_folder(source: Any) -> bool:
    """Whether a source is the path of a folder."""
    return isinstance(source, (str, os.PathLike)) and source != "-" and os.path.isdir(source)


@dataclass(frozen=True)
class Piece:
    """Row groups `groups` of a part, whose first row is row `first` of it, counted from 1."""

    path: str
    groups: tuple[int, ...]
    first: int
    rows: int

    def place(self, row: int) -> str:
        """The place of a row of this piece, for messages."""
        return f"{os.path.basename(self.path)}, row {self.first + row}"


@dataclass(frozen=True, eq=False)
class PieceCells(Cells):
    """Cells whose rows are named by their part."""

    pieces: Sequence[Piece] = ()

    def place(self, row: int) -> str:
        """The part and the row in it."""
        for piece in self.pieces:
            if row < piece.rows:
                return piece.place(row)
            row -= piece.rows
        raise IndexError(row)


@dataclass(frozen=True, eq=False)
class Column:
    """The values of a column, its kind, and notes on it."""

    values: Array
    kind: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class PartFiles:
    """The parts of a table: names of columns, whether a column holds numbers, and pieces of rows."""

    folder: str
    names: list[str]
    numeric: dict[str, bool]
    pieces: list[Piece]

    @classmethod
    def of(cls, folder: Any) -> Self:
        """The parts in a folder; TableError if there are none, or if they do not fit together."""
        where, path = os.fspath(folder), os.path.abspath(folder)
        found = sorted(name for name in os.listdir(where) if name.endswith(ENDINGS) and name[0] not in "_.")
        if not found:
            raise TableError(f"{where}: expected a folder of Parquet files, got none that ends with "
                             f"{' or '.join(ENDINGS)}. Write the parts of the table into it.")  # fmt: skip
        try:
            parts = [parquet.part(os.path.join(path, name)) for name in found]
            names, numeric = _common([one for one, _ in parts], found)
        except TableError as error:
            raise TableError(f"{where}: {error}") from None
        pieces = [piece for name, (_, groups) in zip(found, parts, strict=True)
                  for piece in _pieces(os.path.join(path, name), groups)]  # fmt: skip
        if not pieces:
            raise TableError(f"{where}: expected rows, got {len(found)} parts without any. Write one row per item.")
        return cls(where, names, numeric, pieces)

    def __len__(self) -> int:
        return sum(piece.rows for piece in self.pieces)

    def column(self, name: str, kind: str | None = None) -> Column:
        """One column of all parts; its kind is given, or found from its cells."""
        if self.numeric[name] and kind in (None, NUMERIC):
            values = [_finite(parquet.numbers(piece.path, piece.groups, name), name, piece) for piece in self.pieces]
            column = np.concatenate(values)
            return Column(column, NUMERIC, tuple(remarks(name, column, NUMERIC)))
        cells = self._cells(name, self.pieces)
        columns, kinds = columns_of(cells, {} if kind is None else {name: kind})
        return Column(columns[name], kinds[name], notes_of(cells, columns, kinds))

    def read(self, piece: Piece, kinds: Mapping[str, str]) -> dict[str, Array]:
        """Some columns of a piece, by kinds that are known."""
        return {name: self._read(piece, name, kind) for name, kind in kinds.items()}

    def _read(self, piece: Piece, name: str, kind: str) -> Array:
        if self.numeric[name] and kind == NUMERIC:
            return _finite(parquet.numbers(piece.path, piece.groups, name), name, piece)
        return columns_of(self._cells(name, [piece]), {name: kind})[0][name]

    def _cells(self, name: str, pieces: Sequence[Piece]) -> PieceCells:
        found = [cell for piece in pieces for cell in parquet.column_cells(piece.path, piece.groups, name)]
        return PieceCells({name: found}, range(1, len(found) + 1), "row", pieces)


def _pieces(path: str, groups: list[int]) -> list[Piece]:
    """Row groups that follow each other, put together up to so many rows; `groups` has the rows of each."""
    before = np.cumsum([0, *groups])
    found = []
    for _, some in groupby(range(len(groups)), key=lambda i: before[i] // PIECE):
        own = [i for i in some if groups[i]]
        if own:
            found.append(Piece(path, tuple(own), int(before[own[0]]) + 1, int(sum(groups[i] for i in own))))
    return found


def _common(schemas: list[dict[str, str]], files: list[str]) -> tuple[list[str], dict[str, bool]]:
    """The columns of all parts, and which hold numbers; refuses other columns or other types."""
    first = schemas[0]
    require_different(list(first), f"the columns of {files[0]}")
    kinds = dict(first)
    for file, other in zip(files[1:], schemas[1:], strict=True):
        if set(other) != set(first):
            lost, new = [name for name in first if name not in other], [name for name in other if name not in first]
            got = " and ".join([f"none of {lost}"] * bool(lost) + [f"also {new}"] * bool(new))
            raise fault(file, f"the columns of {files[0]}", got, "Write all parts alike, or remove that file.")
        for name, kind in other.items():
            known = kinds[name] if kinds[name] != "null" else kind
            if kind not in (known, "null"):
                raise fault(f"{file}, column {name!r}", f"{known} as in {files[0]}", kind,
                            "Write all parts with the same types.")  # fmt: skip
            kinds[name] = known
    return list(first), {name: kind in ("numbers", "null") for name, kind in kinds.items()}


def _finite(values: Array, name: str, piece: Piece) -> Array:
    wrong = np.flatnonzero(np.isinf(values))
    if len(wrong):
        raise fault(f"{piece.place(int(wrong[0]))}, column {name!r}", "a number", str(values[wrong[0]]),
                    "Correct it, leave it empty, or read the column as categorical.")  # fmt: skip
    return values
