"""LabelledParts: a table in a folder of Parquet files, of which one column or one piece is read at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from mercer.cli.labelled_table import LabelledTable, tell_notes
from mercer.cli.options import settings_of
from mercer.cli.printing import say
from mercer.typing import Array

SAMPLE = 10_000  # rows, evenly spread, from which the default kernel is made


@dataclass(frozen=True, eq=False)
class LabelledParts(LabelledTable):
    """The table is a sample of the rows; targets are those of all rows that have one.

    rows     of each piece, those with a target
    """

    parts: Any
    rows: list[Array]

    @property
    def kinds(self) -> dict[str, str]:
        """Of the columns to learn from."""
        return dict(self.table.kinds)

    @property
    def counts(self) -> list[int]:
        """How many rows of each piece have a target."""
        return [len(rows) for rows in self.rows]

    def column(self, name: str) -> Array:
        """One column, of the rows with a target."""
        import numpy as np

        kind = self.kinds[name]
        pieces = zip(self.parts.pieces, self.rows, strict=True)
        return np.concatenate([self.parts.read(piece, {name: kind})[name][rows] for piece, rows in pieces])

    def reader(self, scaler: Any) -> PieceReader:
        """What makes the scaled rows of the piece of a number."""
        return PieceReader(self.parts, self.rows, scaler)

    def blocks(self, scaler: Any) -> Iterator[Any]:
        """The scaled rows of one piece after the other."""
        read = self.reader(scaler)
        return (read(i) for i, count in enumerate(self.counts) if count)


@dataclass(frozen=True, eq=False)
class PieceReader:
    """Reads a piece of a table, on whichever machine it is called."""

    parts: Any
    rows: list[Array]
    scaler: Any

    def __call__(self, number: int) -> Any:
        columns = self.parts.read(self.parts.pieces[number], self.scaler.kinds_)
        return scaled(self.scaler, {name: column[self.rows[number]] for name, column in columns.items()})


def scaled(scaler: Any, columns: dict[str, Any]) -> Any:
    """Columns as the scaler gives them; a table of several kinds as a data frame."""
    found = scaler.transform({name: values if values.dtype.kind == "f" else values.tolist()
                              for name, values in columns.items()})  # fmt: skip
    if scaler.output != "table":
        return found
    import pandas as pd

    return pd.DataFrame(dict(found.columns))


def labelled_parts(
    data: str, target: str | None, task: str | None, form: str | None, kinds: Sequence[str] | None,
    drop: Sequence[str] | None, keep: Sequence[str] | None,
) -> LabelledParts:  # fmt: skip
    """The table in a folder, with its targets; prints what was found in it."""
    import numpy as np

    from mercer.tables.part_files import PartFiles
    from mercer.tables.reading import require_parquet

    parts = PartFiles.of(data)
    require_parquet(parts, form)
    table = _sampled(parts, settings_of(kinds, "--kind"), keep or ())
    table = table.drop(drop) if drop else table
    name = table.target_name(target)
    y, known, found = _targets(parts, name, table, task)
    features, _, _ = table.split_target(name, task=found)
    say(f"{features.name}: {len(parts)} rows in {len(parts.pieces)} pieces, {features.describe().partition(', ')[2]}; "
        f"{found} of {name!r}.")  # fmt: skip
    tell_notes(table, features, name)
    starts = np.cumsum([0, *(piece.rows for piece in parts.pieces)])
    rows = [known[(known >= a) & (known < b)] - a for a, b in pairwise(starts)]
    return LabelledParts(features, name, y, found, parts, rows)


def _sampled(parts: Any, kinds: dict[str, str], keep: Sequence[str]) -> Any:
    """A table of some rows, with the kinds and notes of all rows; one column is in memory at a time."""
    import numpy as np

    from mercer.tables.columns_left_out import left_aside
    from mercer.tables.table import Table

    some = np.unique(np.linspace(0, len(parts) - 1, min(len(parts), SAMPLE)).astype(np.intp))
    table = Table(parts.folder, dict.fromkeys(parts.names, np.empty(0)), dict.fromkeys(parts.names, "numeric"))
    for name in (*kinds, *keep):
        table.require(name)
    columns, found, notes = {}, {}, []
    aside: dict[str, str] = {}
    for name in parts.names:
        whole = parts.column(name, kinds.get(name))
        columns[name], found[name] = whole.values[some], whole.kind
        notes += whole.notes
        aside |= left_aside({name: whole.values}, {name: whole.kind}, {*kinds, *keep})
    return Table(parts.folder, columns, found, tuple(notes), aside=aside)


def _targets(parts: Any, name: str, table: Any, task: str | None) -> tuple[Array, Array, str]:
    """(y, rows, task) of all rows where the target is known."""
    from dataclasses import replace

    from mercer.tables.target import require_two

    column = parts.column(name, table.kinds[name])
    y, rows, found = replace(table, columns={name: column.values}, kinds={name: column.kind}).known_targets(name, task)
    require_two(y, f"{table.name}: column {name!r}")
    return y, rows, found
