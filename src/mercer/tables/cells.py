"""Cells: a table as its file has it, before the kinds of its columns are known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mercer.errors import TableError

Cell = str | float | None  # text as in the file, a number if the format has numbers, or missing
# in small or capital letters: texts that mean a missing value in any column, and those that do among numbers
MISSING = {"", "na", "n/a", "n.a.", "#n/a", "#na", "<na>", "nan", "-nan", "null", "none", "?"}
NO_NUMBER = {
    *("-", "--", "---", "–", "—", ".", "..", "...", "*", ":", "missing", "unknown", "not available", "not applicable"),
    *("#value!", "#div/0!", "#ref!", "#num!", "#name?", "#null!"),
}
_DIGITS = re.compile(r"\d+", re.ASCII)
_CODE = re.compile(r"^ *0\d+ *$", re.ASCII | re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Cells:
    """Columns of cells by name, and the line of the file on which each row begins."""

    columns: dict[str, list[Cell]]
    lines: Sequence[int]
    unit: str = "line"

    def place(self, row: int) -> str:
        """The place of a row in the file, for messages."""
        return f"{self.unit} {self.lines[row]}"


def fault(place: str, rule: str, got: str, cure: str) -> TableError:
    """The error at a place in a file: `place: expected rule, got value. Cure.`"""
    return TableError(f"{place}: expected {rule}, got {got}. {cure}")


def shown(cell: object) -> str:
    """A cell in a message, cut if it is long."""
    text = repr(cell)
    return text if len(text) <= 50 else f"{text[:47]}..."


def is_missing(cell: Cell) -> bool:
    """Whether a cell means a missing value in any column."""
    return cell is None or cell != cell or (isinstance(cell, str) and cell.strip().lower() in MISSING)


def is_no_number(cell: Cell) -> bool:
    """Whether a cell means a missing value in a column of numbers."""
    return is_missing(cell) or (isinstance(cell, str) and cell.strip().lower() in NO_NUMBER)


def number(cell: Cell) -> float | None:
    """The number in a cell; None if it is not a number."""
    if isinstance(cell, float):
        return cell
    if cell is None or "_" in cell or not cell.isascii():
        return None
    try:
        return float(cell)
    except ValueError:
        return None


def has_leading_zeros(given: Iterable[Cell]) -> bool:
    """Whether cells are codes such as 02134: some begin with a zero, and every number has digits only."""
    written = [cell for cell in given if isinstance(cell, str)]
    if not _CODE.search("\n".join(written)):
        return False
    return all(number(cell) is None or _DIGITS.fullmatch(cell.strip()) for cell in written)


def require_different(names: Sequence[str], place: str) -> None:
    """Refuse two columns of the same name."""
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise fault(place, "a different name for every column", f"{shown(twice[0])} twice", "Rename one of them.")
