"""A table in pieces, on each of which a saved model does the same: pieces of a folder, or rows of a table in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

BLOCK = 20_000  # rows of a table in memory that one worker takes at a time


def pieces_of(data: str, form: str | None, machine: Any, client: Any) -> TablePieces:
    """The table in a file or folder, with the columns of a fitted pipeline."""
    from mercer.cli.model_file import kinds_of
    from mercer.distributed.connection import require_at_workers
    from mercer.tables import read
    from mercer.tables.part_files import PartFiles, is_folder
    from mercer.tables.reading import require_parquet

    kinds = kinds_of(machine)
    if is_folder(data):
        parts = PartFiles.of(data)
        require_parquet(parts, form)
        require_columns(machine[0], parts.folder, parts.names)
        require_at_workers(client, parts.pieces[0].path)
        target = machine[0].target
        if target in parts.names and target not in kinds:
            kinds[target] = parts.column(target).kind
        own = {name: kinds[name] for name in parts.names if name in kinds}
        return TablePieces(PieceTable(parts, own), list(range(len(parts.pieces))))
    table = read(data, format=form, kinds=kinds)
    require_columns(machine[0], table.name, table.columns)
    if client is None:
        return TablePieces(_same, [table])
    return TablePieces(_same, [table.take(slice(i, i + BLOCK)) for i in range(0, len(table), BLOCK)])


def require_columns(scaler: Any, name: str, columns: Any) -> None:
    """Refuse a table without the columns of the fit."""
    from mercer.errors import TableError
    from mercer.tables.table import listed

    lost = [column for column in scaler.kinds_ if column not in columns]
    if lost:
        raise TableError(f"{name}: expected the columns of training, got a table without {listed(lost)}. "
                         f"It has the columns {listed(columns)}.")  # fmt: skip


@dataclass(frozen=True, eq=False)
class PieceTable:
    """Reads a piece of a folder as a table, on whichever machine it is called."""

    parts: Any
    kinds: dict[str, str]

    def __call__(self, number: int) -> Any:
        from mercer.tables.table import Table

        return Table(self.parts.folder, self.parts.read(self.parts.pieces[number], self.kinds), dict(self.kinds))


def _same(table: Any) -> Any:
    return table


@dataclass(frozen=True, eq=False)
class TablePieces:
    """`read` makes a table of every job."""

    read: Callable[[Any], Any]
    jobs: list[Any]

    def map(self, work: Callable[[Any, Any], Any], machine: Any, client: Any) -> Iterator[Any]:
        """work(machine, table) of every piece, in their order: here one after the other, or on workers."""
        if client is None:
            yield from (work(machine, self.read(job)) for job in self.jobs)
            return
        from mercer.distributed.jobs import finished_jobs

        found = dict(finished_jobs(_worked, self.jobs, (work, machine, self.read), float("inf")))
        yield from (found[i] for i in range(len(self.jobs)))


def _worked(shared: tuple[Any, Any, Any], job: Any) -> Any:
    work, machine, read = shared
    return work(machine, read(job))
