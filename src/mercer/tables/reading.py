"""read: a table from a file of any of the formats."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mercer.errors import TableError
from mercer.items.kinds import NUMERIC
from mercer.tables import delimited, json_lines, parquet, svmlight
from mercer.tables.cells import Cells
from mercer.tables.columns import columns_of
from mercer.tables.remarks import notes_of
from mercer.tables.source import Source, content_of, format_of, name_of, text_of
from mercer.tables.table import Table


def read(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002
    kinds: Mapping[str, str] | None = None,
    header: bool | None = None,
) -> Table:
    """The table in a file; TableError for a fault, with its line and column.

    source    a path, or "-" for standard input; gzip is unpacked
    format    "csv", "tsv", "parquet", "jsonl" or "svmlight"; else by the end of the name, or by the content
    kinds     {column: "numeric", "categorical" or "text"}, where that should not be found out; others are ignored
    header    whether the first row of CSV holds names; else by how it differs from the others
    """
    name = name_of(source)
    try:
        content = content_of(source)
        return _table(name, content, format_of(source, content, format), kinds or {}, header)
    except TableError as error:
        raise TableError(f"{name}: {error}") from None


def _table(name: str, content: bytes, form: str, kinds: Mapping[str, str], header: bool | None) -> Table:
    if form == "svmlight":
        return _sparse_table(name, text_of(content))
    cells = _cells(content, form, header)
    columns, found = columns_of(cells, kinds)
    return Table(name, columns, found, notes_of(cells, columns, found))


def _cells(content: bytes, form: str, header: bool | None) -> Cells:
    if form == "parquet":
        return parquet.cells(content)
    if form == "jsonl":
        return json_lines.cells(text_of(content))
    return delimited.cells(text_of(content), delimiter="\t" if form == "tsv" else None, header=header)


def _sparse_table(name: str, text: str) -> Table:
    vectors, labels, _ = svmlight.rows(text)
    return Table(name, {"target": np.array(labels)}, {"target": NUMERIC}, vectors=vectors)
