"""Row: the results of one method; COLUMNS: how each of them is named, formatted, and where it is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mercer.typing import Array

LETTERS = 60  # of a certificate or an error that a table shows


@dataclass(frozen=True)
class Row:
    """One method.  None stands for what it does not have: probabilities, vectors, a certificate, or, failing, a score.

    score               on held-out items, larger is better; the mean over the splits, and score_std the deviation
    log_loss            mean of -log p(y | x), of the density for numbers
    calibration_error   mean distance between stated probability and what happened (calibration.py)
    n_kept, n_train     training items that predictions need, of how many; means over the splits
    fit_seconds         of one fit, predict_seconds of predicting one test set; means over the splits
    tune_seconds        of the search for hyper-parameters before that fit, where there was one
    how                 "exact", or in words what was approximated to learn from all rows; None for baselines
    settings            the hyper-parameters that were chosen, in words
    note                what is particular to this row, such as fewer training items than the others had
    proof, certificate  the bound that the machine proves, and its certificate in words, for the last split
    warnings, error     the warnings of the method, and why it has no result
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
    how: str | None = None
    settings: str | None = None
    note: str | None = None
    proof: str | None = None
    certificate: str | None = None
    warnings: tuple[str, ...] = ()
    error: str | None = None
    losses: Array | None = field(default=None, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """All columns in lists, strings and numbers."""
        found = {column.key: getattr(self, column.key) for column in COLUMNS}
        return found | {"warnings": list(self.warnings)}

    def remarks(self) -> list[str]:
        """The error of the method, or else its note and its warnings."""
        return [self.error] if self.error else [text for text in (self.note, *self.warnings) if text]


TEXT, TERMINAL, PAGE = "text", "terminal", "page"
LIVE = ("name", "score", "log_loss", "how", "n_train", "fit_seconds")  # columns of a line that is shown at once
_WIDTH = 20  # letters of a cell of such a line, at least
EVERYWHERE = (TEXT, TERMINAL, PAGE)


@dataclass(frozen=True)
class Column:
    """`key` is the attribute of Row and the name in JSON, `shown` the other outputs that have the column.

    `best` chooses the best number of a column: max, min, or None where no number is better than another.
    """

    key: str
    heading: str = ""
    meaning: str = ""
    form: str = ""
    shown: tuple[str, ...] = ()
    best: Callable[..., str] | None = None

    def text(self, row: Row) -> str:
        """The cell of a row, a dash if it is empty; in place of its proof, a method that failed has its error."""
        value = getattr(row, self.key)
        if row.error and self.key in ("proof", "certificate"):
            value = "failed" if self.key == "proof" else f"failed: {row.error}"
        if value is None:
            return "-"
        words = " ".join(format(value, self.form).split())
        return words if len(words) <= LETTERS else words[: LETTERS - 3] + "..."


COLUMNS = (
    Column("name", "method", shown=(TEXT, TERMINAL)),
    Column("score", "score", "on held-out rows, larger is better", ".4f", EVERYWHERE, max),
    Column("score_std"),
    Column("log_loss", "log loss", "mean of −log p(y | x), smaller is better", ".4f", EVERYWHERE, min),
    Column("calibration_error", "calib.", "calibration error: mean distance of stated probability and frequency", ".4f",
           EVERYWHERE, min),
    Column("n_kept", "kept", "training rows that predictions need", ".0f", EVERYWHERE),
    Column("n_train", "of", "training rows", ".0f", (PAGE,)),
    Column("how", "how", "exact, or what was approximated to learn from all rows", "", EVERYWHERE),
    Column("tune_seconds", "tune s", "seconds of the search for hyper-parameters", ".3f", (PAGE,)),
    Column("fit_seconds", "fit s", "seconds of the last fit", ".3f", EVERYWHERE),
    Column("predict_seconds", "pred s", "seconds to predict all held-out rows", ".4f", EVERYWHERE),
    Column("proof", "proof", shown=(TERMINAL,)),
    Column("certificate", "certificate", shown=(TEXT,)),
    Column("settings"),
    Column("note"),
    Column("warnings"),
    Column("error"),
)  # fmt: skip


def line_of(row: Row, keys: tuple[str, ...]) -> str:
    """The results of one method in a line: `name  score 0.9123  ...`, or why it has none."""
    if row.error:
        return f"{row.name.ljust(_WIDTH)}  {row.error}"
    named = [column for column in COLUMNS if column.key in keys[1:] and getattr(row, column.key) is not None]
    words = [f"{column.heading} {column.text(row)}" for column in named]
    return "  ".join([row.name.ljust(_WIDTH), *words])


def columns_on(output: str) -> list[Column]:
    """The columns that an output shows."""
    return [column for column in COLUMNS if output in column.shown]
