"""Comparison: a row for every method, the table of them, and, if methods were tuned, the fitted machines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mercer.comparison.paired import is_tie
from mercer.comparison.predictions import Predictions
from mercer.comparison.row import TEXT, Row, columns_on
from mercer.comparison.sample import Sample
from mercer.comparison.two_stages import TwoStages
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Fitted:
    """The estimator of a row, the positions of the items it was fitted to, and its predictions of those held out.

    stages    how it was tuned and fitted, where that was done in two stages
    """

    machine: Any
    rows: Array
    predictions: Predictions
    stages: TwoStages | None = None

    @property
    def best(self) -> Any:
        """The machine inside of searches and pipelines."""
        return innermost(self.machine)

    @property
    def kept(self) -> Array | None:
        """Positions of the items that the machine predicts with; None for methods that keep none."""
        return self.rows[self.best.support_] if hasattr(self.best, "support_") else None


def innermost(estimator: Any) -> Any:
    """The machine inside of fitted searches and pipelines."""
    if hasattr(estimator, "best_estimator_"):
        return innermost(estimator.best_estimator_)
    return innermost(estimator.steps[-1][1]) if hasattr(estimator, "steps") else estimator


@dataclass(frozen=True)
class Comparison:
    """The rows in the order the methods were given; `scoring` names the score, `splits` says how items were split.

    sample    the items that took part, and their kernel
    fitted    with tune=True, {name: Fitted} of all methods that did not fail
    seconds   that all of it took
    """

    rows: tuple[Row, ...]
    task: str
    kernel: str
    scoring: str
    splits: str
    sample: Sample | None = field(default=None, repr=False, compare=False)
    fitted: Mapping[str, Fitted] = field(default_factory=dict, repr=False, compare=False)
    seconds: float | None = field(default=None, compare=False)

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
            raise ValueError(f"compare: all {len(self)} methods failed. {self.rows[0].name}: {self.rows[0].error}")
        return max(found, key=lambda pair: pair[0])[1]

    @property
    def tied(self) -> list[Row]:
        """The other rows that cannot be told from the best: the paired difference is within two standard errors."""
        judged = {row.name: row.losses for row in self.rows if row.losses is not None}
        best = self.best.name if judged else ""
        return [self[name] for name, own in judged.items() if name != best in judged and is_tie(judged[best], own)]

    def table(self, output: str = TEXT) -> str:
        """The rows in columns, with a dash for what a method does not have: those for "text" or for a "terminal"."""
        columns = [one for one in columns_on(output) if one.key != "how" or any(row.how for row in self.rows)]
        cells = [[column.heading for column in columns], *([column.text(row) for column in columns] for row in self)]
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
        also = f"on these items, as good within chance: {tied}" if tied else "all others are worse by more than chance"
        return [f"highest {self.scoring}: {self.best.name}; {also}"]

    def notes(self) -> list[str]:
        """Errors, warnings and notes of single methods."""
        return [f"{row.name}: {text}" for row in self.rows for text in row.remarks()]

    def to_dict(self) -> dict[str, Any]:
        """The table and the data it is of, in lists, strings and numbers."""
        words = {name: getattr(self, name) for name in ("task", "kernel", "scoring", "splits", "seconds")}
        about = {} if self.sample is None else self.sample.to_dict()
        return {**about, **words, "rows": [row.to_dict() for row in self.rows], "tied": [row.name for row in self.tied]}

    def to_json(self) -> str:
        """`to_dict` as text."""
        return json.dumps(self.to_dict())


def _line(cells: list[str], widths: list[int]) -> str:
    """Words to the left, numbers to the right."""
    first, *numbers, last = cells
    middle = [cell.rjust(width) for cell, width in zip(numbers, widths[1:-1], strict=True)]
    return "  ".join([first.ljust(widths[0]), *middle, last]).rstrip()
