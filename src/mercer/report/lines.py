"""The table of methods as it is printed, on a page or in a terminal."""

from __future__ import annotations

from dataclasses import dataclass

from mercer.comparison import Comparison, Row
from mercer.comparison.methods import baselines

# heading, its explanation, field, format, and whether the least is the best
COLUMNS = (
    ("score", "on held-out rows, larger is better", "score", ".4f", False),
    ("log loss", "mean of −log p(y | x), smaller is better", "log_loss", ".4f", True),
    ("calibration", "mean distance between stated probability and what happened", "calibration_error", ".4f", True),
    ("kept", "training rows that predictions need", "n_kept", ".0f", None),
    ("of", "training rows", "n_train", ".0f", None),
    ("tune, s", "seconds of the search for hyper-parameters", "tune_seconds", ".2f", None),
    ("fit, s", "seconds of the last fit", "fit_seconds", ".3f", None),
    ("predict, s", "seconds for all held-out rows", "predict_seconds", ".4f", None),
)


@dataclass(frozen=True)
class Cell:
    """A number as it is printed, and whether it is the best of its column."""

    text: str
    best: bool = False


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
    """The rows of a comparison as they are printed; to say the same of every row is not among the best.

    A score that cannot be told from the highest is among the best.
    """
    plain, best = set(baselines(found.task)), {}
    first = {row.name for row in (found.best, *found.tied)}
    for _, _, name, form, least in COLUMNS:
        shown = [format(v, form) for row in found if row.name != "dummy" and (v := getattr(row, name)) is not None]
        if least is not None and shown:
            best[name] = (min if least else max)(shown, key=float)
    return tuple(
        Line(
            row.name,
            row.name in plain,
            _cells(row, best, row.name in first),
            row.settings or "",
            _remarks(row),
            bool(row.error),
        )
        for row in found
    )


def _cells(row: Row, best: dict[str, str], is_first: bool) -> tuple[Cell, ...]:
    """Cells of one row; equal to the last digit shown is equal."""
    values = [(name, form, getattr(row, name)) for _, _, name, form, _ in COLUMNS]
    shown = [(name, "–" if value is None else format(value, form)) for name, form, value in values]
    real = row.name != "dummy"
    good = [is_first if name == "score" else text == best.get(name) for name, text in shown]
    return tuple(Cell(text.replace("-", "−"), real and one) for (_, text), one in zip(shown, good, strict=True))


def _remarks(row: Row) -> tuple[str, ...]:
    return tuple(text for text in (row.error, row.note, *row.warnings) if text)
