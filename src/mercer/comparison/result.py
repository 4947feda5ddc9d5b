"""What a comparison found: a row for every method, and the table of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from mercer.comparison.paired import is_tie
from mercer.errors import bad
from mercer.typing import Array

_WORDS = 60  # letters of a certificate or an error that the table shows


@dataclass(frozen=True)
class Row:
    """One method.  None stands for what it does not have: probabilities, vectors, a certificate, or, failing, a score.

    score               on held-out items, larger is better; with several splits the mean, and score_std the deviation
    log_loss            mean of -log p(y | x), of the density for numbers
    calibration_error   mean distance between stated probability and what happened (calibration.py)
    n_kept, n_train     training items that predictions need, of how many; means over the splits
    fit_seconds         of one fit, predict_seconds of predicting one test set; means over the splits
    tune_seconds        of the search for hyper-parameters before that fit, where there was one
    settings            the hyper-parameters that were chosen, in words
    note                what is particular to this row, such as fewer items than the others had
    certificate         what the machine proves about itself, in words, for the last split
    warnings, error     what was said on the way, and why the method has no result
    losses              of all held-out items, by which methods are compared in pairs; with a scorer of yours, minus the
                        score of every split
    """

    name: str
    score: float | None = None
    score_std: float | None = None
    log_loss: float | None = None
    calibration_error: float | None = None
    n_kept: float | None = None
    n_train: float | None = None
    fit_seconds: float | None = None
    predict_seconds: float | None = None
    tune_seconds: float | None = None
    settings: str | None = None
    note: str | None = None
    certificate: str | None = None
    warnings: tuple[str, ...] = ()
    error: str | None = None
    losses: Array | None = field(default=None, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """What the table is made of, in lists, strings and numbers."""
        told = {name: value for name, value in asdict(self).items() if name != "losses"}
        return told | {"warnings": list(self.warnings)}


# heading, format of the cell, and the field it shows
COLUMNS = (
    ("score", ".4f", "score"),
    ("log loss", ".4f", "log_loss"),
    ("calibration", ".4f", "calibration_error"),
    ("kept", ".4g", "n_kept"),
    ("fit s", ".3g", "fit_seconds"),
    ("predict s", ".3g", "predict_seconds"),
)


@dataclass(frozen=True)
class Comparison:
    """The rows in the order the methods were given; `scoring` names the score, `splits` says on what it was taken."""

    rows: tuple[Row, ...]
    task: str
    kernel: str
    scoring: str
    splits: str

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> Row:
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(f"no method {name!r} here, only {[row.name for row in self.rows]}")

    @property
    def best(self) -> Row:
        """The row of the largest score."""
        found = [(row.score, row) for row in self.rows if row.score is not None]
        if not found:
            raise bad("Comparison", "best", "asked for where a method succeeded", f"{len(self)} failures",
                      "Each row has its error.")  # fmt: skip
        return max(found, key=lambda pair: pair[0])[1]

    @property
    def tied(self) -> list[Row]:
        """The other rows that cannot be told from the best: the paired difference is within two standard errors."""
        judged = {row.name: row.losses for row in self.rows if row.losses is not None}
        best = self.best.name if judged else ""
        return [self[name] for name, own in judged.items() if name != best in judged and is_tie(judged[best], own)]

    def table(self) -> str:
        """The rows in columns, with a dash for what a method does not have."""
        cells = [["method", *(heading for heading, _, _ in COLUMNS), "certificate"]]
        cells += [_cells(row) for row in self.rows]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return "\n".join(_line(row, widths) for row in cells)

    def __str__(self) -> str:
        head = f"{self.task}, {self.scoring}, {self.splits}, kernel {self.kernel}"
        return "\n".join([head, self.table(), *self.notes(), *self.verdict()])

    def verdict(self) -> list[str]:
        """Which method has the highest score, and which others are as good as far as these items tell."""
        if len(self) < 2 or not any(row.losses is not None and len(row.losses) > 1 for row in self.rows):
            return []
        tied = ", ".join(row.name for row in self.tied)
        also = f"not told from it by these items: {tied}" if tied else "all others are worse by more than chance"
        return [f"highest {self.scoring}: {self.best.name}; {also}"]

    def notes(self) -> list[str]:
        """What there is to say about single methods: errors, warnings, and what else is particular to them."""
        return [f"{row.name}: {text}" for row in self.rows for text in _remarks(row)]

    def to_dict(self) -> dict[str, Any]:
        """All of it in lists, strings and numbers."""
        words = {name: getattr(self, name) for name in ("task", "kernel", "scoring", "splits")}
        return {"rows": [row.to_dict() for row in self.rows], **words, "tied": [row.name for row in self.tied]}

    def to_json(self) -> str:
        """`to_dict` as text."""
        return json.dumps(self.to_dict())


def _remarks(row: Row) -> list[str]:
    return [text for text in (row.error, row.note, *(() if row.error else row.warnings)) if text]


def _cells(row: Row) -> list[str]:
    numbers = [(getattr(row, name), form) for _, form, name in COLUMNS]
    words = f"failed: {row.error}" if row.error else row.certificate or "-"
    words = " ".join(words.split())
    return [
        row.name,
        *("-" if value is None else format(value, form) for value, form in numbers),
        words if len(words) <= _WORDS else words[: _WORDS - 3] + "...",
    ]


def _line(cells: list[str], widths: list[int]) -> str:
    """Words to the left, numbers to the right."""
    first, *numbers, last = cells
    middle = [cell.rjust(width) for cell, width in zip(numbers, widths[1:-1], strict=True)]
    return "  ".join([first.ljust(widths[0]), *middle, last]).rstrip()
