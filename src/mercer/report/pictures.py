"""The pictures of a report; the caption of each is also its text for screen readers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from mercer import plots
from mercer.comparison import Comparison
from mercer.comparison.methods import CLASSIFICATION, REGRESSION
from mercer.comparison.sample import Sample
from mercer.report import drawings
from mercer.report.compact_svg import Sheet
from mercer.report.drawings import Drawn

Maker = Callable[[Comparison, Sample], Iterator[Drawn]]


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
    ("vectors", "Which rows do predictions need?",
     "Up to 300 training rows on two principal components of the kernel. Rings mark those that a machine keeps.",
     drawings.projections),
    ("sensitivity", "How much do the settings matter?",
     "The score of every setting that the search tried. Stars mark the settings chosen.",
     drawings.sensitivity),
)  # fmt: skip
SECTIONS: dict[str, tuple[tuple[str, str, str, Maker], ...]] = {
    CLASSIFICATION: (
        ("boundaries", "Where are the boundaries?",
         "The two columns, scaled, with the decision regions of each machine. Rings mark the rows that it keeps.",
         drawings.boundaries),
        ("probabilities", "Are the probabilities honest?",
         "Of predictions made with a probability of 80 %, eight in ten should come true: points on the dashed line.",
         drawings.reliability),
        ("errors", "How well do the scores rank?",
         "For every threshold: the share of a class that is found, over the share of others that are taken for it.",
         drawings.roc),
        *_COMMON,
    ),
    REGRESSION: (
        ("errors", "Where are the errors?",
         "Predictions and their errors, on the held-out rows.",
         drawings.residuals),
        ("probabilities", "Are the intervals honest?",
         "Of numbers predicted with an interval of 80 %, eight in ten should lie inside: steps along the dashed line.",
         drawings.coverage),
        *_COMMON,
    ),
}  # fmt: skip


def galleries(comparison: Comparison, sample: Sample, sheet: Sheet) -> tuple[Gallery, ...]:
    """All pictures, with their styles in `sheet`; a heading without pictures is left out."""
    found = []
    for anchor, title, text, make in SECTIONS[sample.task]:
        with plots.style():
            drawn = list(make(comparison, sample))
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
