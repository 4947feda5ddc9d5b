"""E25: counts of words, and what words tell.

The cosine of raw counts is large for documents that share only "the" and "and"; tf-idf gives rare words more weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mercer import plots
from mercer.figures.claim import Measured, ascending, equal
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "Documents that share only 'the' and 'and' are alike by their counts and unlike by tf-idf, "
    "and the logarithm damps words that come in bursts."
)
TEXTS = (
    "the kernel and the margin of the machine",
    "a kernel machine with a wide margin",
    "the fisherman and the sea and the gulls",
    "the recipe for the bread and the butter",
    "bread with butter, a short recipe",
    "gulls over a grey sea",
    "the train and the timetable",
    "the rain and the wind in the north",
)
NAMES = ("kernel the", "kernel", "sea the", "bread the", "bread", "sea", "train the", "rain the")
SUBJECT, COMMON = ((0, 1), (2, 5), (3, 4)), ((0, 2), (0, 3), (2, 3))  # pairs that share a subject, or 'the' and 'and'


@dataclass(frozen=True)
class Result:
    """Cosines of counts and of tf-idf; and of a document with itself after one of its words has come twenty times."""

    counts: Array
    weighted: Array
    burst: dict[str, float]


def compute(seed: int = 0) -> Result:
    """Eight short documents; nothing is random."""
    from mercer.kernels import Bag, Normalised, TfIdf

    cosine, weighted = Normalised(Bag()), TfIdf()
    once, often = TEXTS[1], TEXTS[1] + 20 * " margin"
    corpus = [*TEXTS, often]
    burst = {"by counts": cosine, "by tf-idf": weighted}
    return Result(
        cosine(TEXTS), weighted(TEXTS),
        {name: float(k(corpus)[corpus.index(once), corpus.index(often)]) for name, k in burst.items()},
    )  # fmt: skip


def check(result: Result) -> list[Measured]:
    """Pairs of one subject against pairs of common words, and the burst."""

    def means(K: Array) -> tuple[float, float]:
        subject, common = (float(np.mean([K[pair] for pair in pairs])) for pairs in (SUBJECT, COMMON))
        return subject, common

    (subject, common), (rare, often) = means(result.counts), means(result.weighted)
    most = max(result.weighted[pair] for pair in COMMON)
    return [
        ascending("by counts", **{"one subject": subject, "the, and": common}),
        ascending("by tf-idf", **{"the, and": often, "one subject": rare}),
        equal("pairs of one subject that tf-idf ranks above all others",
              sum(bool(result.weighted[pair] > most) for pair in SUBJECT), len(SUBJECT)),
        ascending("likeness of a text to itself with a word 20 times more", **result.burst),
    ]  # fmt: skip


def draw(result: Result) -> Figure:
    """Both Grams, documents of one subject beside each other."""
    figure, axes = plots.figure(1, 2, size=(8.2, 3.9), sharey=True)
    order = np.argsort(NAMES)
    for ax, K, title in zip(axes, (result.counts, result.weighted), ("cosine of counts", "tf-idf"), strict=True):
        plots.gram_heatmap(K[np.ix_(order, order)], colorbar=ax is axes[1], ax=ax)
        names = [NAMES[i] for i in order]
        ax.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
        ax.set_yticks(range(len(names)), names)
        ax.tick_params(length=0.0)
        ax.set(title=title, xlabel="", ylabel="")
    return figure
