"""The pictures of a report: each with a caption, which is also what it says to those who cannot see it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from mercer import plots
from mercer.comparison.methods import CLASSIFICATION, REGRESSION
from mercer.report import drawings
from mercer.report.compact import Sheet
from mercer.report.drawings import Drawn
from mercer.report.predictions import Predictions
from mercer.study import Study

Maker = Callable[[Study, dict[str, Predictions]], Iterator[Drawn]]


@dataclass(frozen=True)
class Picture:
    """An <svg>, and what it shows."""

    svg: str
    caption: str


@dataclass(frozen=True)
class Gallery:
    """Pictures under one heading."""

    anchor: str
    title: str
    text: str
    pictures: tuple[Picture, ...]


_COMMON: tuple[tuple[str, str, str, Maker], ...] = (
    ("kernel", "What does the kernel see?",
     "Kernel values of pairs of training rows, ordered by the target, and the eigenvalues of that matrix.",
     drawings.gram),
    ("vectors", "Which rows carry the answer?",
     "Up to 300 training rows on two principal components of the kernel. Rings mark those that a machine keeps.",
     drawings.projections),
    ("sensitivity", "How much do the settings matter?",
     "What the search for hyper-parameters found. Stars mark the settings chosen.",
     drawings.sensitivity),
)  # fmt: skip
SECTIONS: dict[str, tuple[tuple[str, str, str, Maker], ...]] = {
    CLASSIFICATION: (
        ("boundaries", "Where are the boundaries?",
         "The two columns as the machines see them, with their decision regions. Rings mark the rows that they keep.",
         drawings.boundaries),
        ("probabilities", "Are the probabilities honest?",
         "Of predictions made with a probability of 80 %, eight in ten should come true: points on the dashed line.",
         drawings.reliability),
        ("errors", "How well do the scores rank?",
         "The share of a class that is found over the share of others taken for it, for every threshold.",
         drawings.roc),
        *_COMMON,
    ),
    REGRESSION: (
        ("errors", "Where are the errors?",
         "Predictions, and what is left of the truth after them, on the rows held out.",
         drawings.residuals),
        ("probabilities", "Are the intervals honest?",
         "Of numbers predicted with an interval of 80 %, eight in ten should lie inside: steps along the dashed line.",
         drawings.coverage),
        *_COMMON,
    ),
}  # fmt: skip


def galleries(study: Study, predicted: dict[str, Predictions], sheet: Sheet) -> tuple[Gallery, ...]:
    """All pictures, with their styles in `sheet`; a heading that none belongs to is left out."""
    found = []
    for anchor, title, text, make in SECTIONS[study.sample.task]:
        with plots.style():
            drawn = list(make(study, predicted))
        pictures = [Picture(sheet.drawing(_svg(figure, caption)), caption) for figure, caption in drawn]
        if pictures:
            found.append(Gallery(anchor, title, text, tuple(pictures)))
    return tuple(found)


_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
_COLOURS = {
    "#ffffff": "var(--paper)", plots.INK: "var(--ink)", plots.MUTED: "var(--muted)", "#e5e7eb": "var(--rule)",
    **{colour.lower(): f"var(--c{i})" for i, colour in enumerate(plots.PALETTE)},
}  # fmt: skip


def _svg(figure: Any, title: str) -> str:
    """The figure in the colours of the page, light or dark."""
    return _COLOUR.sub(lambda found: _COLOURS.get(found[0].lower(), found[0]), plots.svg(figure, title))
