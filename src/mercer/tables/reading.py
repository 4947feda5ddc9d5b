"""read: a table from a file of any of the formats."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from mercer.config import config
from mercer.errors import TableError
from mercer.items.column_kinds import NUMERIC
from mercer.tables import delimited, frames, json_lines, parquet, svmlight
from mercer.tables.cells import Cells
from mercer.tables.column_notes import notes_of
from mercer.tables.columns import columns_of
from mercer.tables.columns_left_out import left_aside
from mercer.tables.part_files import PartFiles, is_folder
from mercer.tables.source import Source, content_of, format_of, name_of, text_of
from mercer.tables.table import Table


def read(
    source: Source | Any,
    *,
    format: str | None = None,  # noqa: A002
    kinds: Mapping[str, str] | None = None,
    header: bool | None = None,
    keep: Collection[str] = (),
) -> Table:
    """The table in a file or a data frame; TableError for a fault, with its line and column.

    source    a path, or "-" for standard input; gzip is unpacked; a folder of Parquet files, the parts of one table; or
              a data frame (pandas, polars, ...), or a dict of columns
    format    "csv", "tsv", "parquet", "json", "jsonl" or "svmlight"; None: found by the end of the name, or by the
              content.  JSON is an array of objects, or one object on every line
    kinds     {column: "numeric", "categorical", "text" or "graph"}; kinds of other columns are found by their cells,
              and names that are no columns are ignored
    header    whether the first row of CSV holds names; None: found by comparing it with the others
    keep      columns that are features although they look like identifiers or dates; `split_target` leaves out other
              such columns, unless their kind is given
    """
    if is_folder(source):
        return _whole(PartFiles.of(source), format, kinds or {}, keep)
    in_memory = frames.is_in_memory(source)
    name = type(source).__name__ if in_memory else name_of(source)
    try:
        if in_memory:
            return _table(name, frames.cells(source), kinds or {}, keep)
        content = content_of(source)
        form = format_of(source, content, format)
        if form == "svmlight":
            return _sparse_table(name, text_of(content))
        return _table(name, _cells(content, form, header), kinds or {}, keep)
    except TableError as error:
        raise TableError(f"{name}: {error}") from None


def _table(name: str, cells: Cells, kinds: Mapping[str, str], keep: Collection[str]) -> Table:
    columns, found = columns_of(cells, kinds)
    aside = left_aside(columns, found, {*kinds, *keep})
    table = Table(name, columns, found, notes_of(cells, columns, found), aside=aside)
    for kept in keep:
        table.require(kept)
    return table


def _whole(parts: PartFiles, form: str | None, kinds: Mapping[str, str], keep: Collection[str]) -> Table:
    """All parts of a table, in memory."""
    require_parquet(parts, form)
    needs, most = 8 * len(parts) * len(parts.names), int(config().memory)
    if needs > most:
        raise TableError(f"{parts.folder}: expected a table within the memory budget of {most} bytes, got {len(parts)} "
                         f"rows of {len(parts.names)} columns. Read it inside `with mercer.configure(memory=...)`, or "
                         "fit on landmarks, which reads a part at a time.")  # fmt: skip
    try:
        found = {name: parts.column(name, kinds.get(name)) for name in parts.names}
    except TableError as error:
        raise TableError(f"{parts.folder}: {error}") from None
    columns, own = {name: one.values for name, one in found.items()}, {name: one.kind for name, one in found.items()}
    notes = tuple(note for one in found.values() for note in one.notes)
    table = Table(parts.folder, columns, own, notes, aside=left_aside(columns, own, {*kinds, *keep}))
    for kept in keep:
        table.require(kept)
    return table


def require_parquet(parts: PartFiles, form: str | None) -> None:
    """Refuse another format of a folder."""
    if form not in (None, "parquet"):
        raise TableError(f"{parts.folder}: expected format parquet for a folder, got {form!r}. Leave the format out.")


def _cells(content: bytes, form: str, header: bool | None) -> Cells:
    if form == "parquet":
        return parquet.cells(content)
    if form in ("json", "jsonl"):
        return json_lines.cells(text_of(content))
    return delimited.cells(text_of(content), delimiter="\t" if form == "tsv" else None, header=header)


def _sparse_table(name: str, text: str) -> Table:
    vectors, labels, _ = svmlight.rows(text)
    return Table(name, {"target": np.array(labels)}, {"target": NUMERIC}, vectors=vectors)
