"""The table of methods as the page prints it."""

from __future__ import annotations

from dataclasses import dataclass

from mercer.comparison import Comparison, Row
from mercer.comparison.methods import baselines
from mercer.comparison.row import PAGE, columns_on

COLUMNS = columns_on(PAGE)


@dataclass(frozen=True)
class Cell:
    """A number as it is printed, and whether it is the best of its column."""

    text: str
    best: bool


@dataclass(frozen=True)
class Line:
    """A method of the table."""

    name: str
    baseline: bool
    cells: tuple[Cell, ...]
    settings: str
    remarks: tuple[str, ...]
    failed: bool


def lines(found: Comparison) -> tuple[Line, ...]:
    """The rows of a comparison as they are printed."""
    plain, best = set(baselines(found.task)), _best(found)
    return tuple(
        Line(row.name, row.name in plain, _cells(row, best), row.settings or "", tuple(row.remarks()), bool(row.error))
        for row in found
    )


def _best(found: Comparison) -> dict[str, set[str]]:
    """{column: its best texts}.  Numbers that print the same are equally good, and so are scores that are tied."""
    rows = [row for row in found if row.name != "dummy"]  # to predict the same for every row is never the best
    best: dict[str, set[str]] = {}
    for column in COLUMNS:
        texts = [column.text(row) for row in rows if getattr(row, column.key) is not None]
        if column.best is not None and texts:
            best[column.key] = {column.best(texts, key=float)}
    return best | {"score": {row.name for row in (found.best, *found.tied)}}


def _cells(row: Row, best: dict[str, set[str]]) -> tuple[Cell, ...]:
    texts = {column.key: column.text(row) for column in COLUMNS}
    good = {key: (row.name if key == "score" else text) in best.get(key, ()) for key, text in texts.items()}
    return tuple(Cell(text.replace("-", "−"), good[key] and row.name != "dummy") for key, text in texts.items())
