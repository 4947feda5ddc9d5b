"""E10: the widest margin.

Many lines separate two classes; that of the support vector machine stays right for the largest move of an item.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer import plots
from mercer.figures._axes import bare, line_of, regions
from mercer.figures._data import clouds
from mercer.figures.claim import Measured, at_least, at_most, below
from mercer.plots.decision import scatter
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "Of all lines that separate two classes, the support vector machine's is the one whose nearest items are "
    "farthest, and these are its support vectors, at 1/|w|."
)
TRIED = 4000


@dataclass(frozen=True)
class Result:
    """The classes, the hard-margin machine, and other lines that separate: rows (w1, w2, b) with |w| = 1."""

    X: Array
    y: Array
    machine: Any
    others: Array


def compute(seed: int = 0) -> Result:
    """Two clouds moved apart until they can be separated, and random lines."""
    from mercer import SVC

    X, y = clouds(40, seed, apart=1.4)
    s = 2.0 * y - 1.0
    w = np.array([1.0, 1.0]) / np.sqrt(2.0)
    X = X + np.outer(s * max(0.0, 0.35 - (s * (X @ w)).min()), w)  # every item at least 0.35 from the diagonal
    machine = SVC(C=np.inf, kernel="linear", tol=1e-8).fit(X, y)
    rng = np.random.default_rng(seed)
    angles, offsets = rng.uniform(0.0, 0.5 * np.pi, TRIED), rng.uniform(-2.0, 2.0, TRIED)
    lines = np.column_stack([np.cos(angles), np.sin(angles), offsets])
    return Result(X, y, machine, lines[(s[:, None] * (X @ lines[:, :2].T + lines[:, 2]) > 0.0).all(axis=0)])


def check(result: Result) -> list[Measured]:
    """Distances of the support vectors, and of the nearest item of every line."""
    s, w = 2.0 * result.y - 1.0, result.machine.coef_[0]
    distance = s * result.machine.decision_function(result.X) / np.linalg.norm(w)
    width, kept = 1.0 / np.linalg.norm(w), distance[result.machine.support_]
    others = (s[:, None] * (result.X @ result.others[:, :2].T + result.others[:, 2])).min(axis=0)
    return [
        at_most("support vectors: | distance |w| - 1 |", np.abs(kept / width - 1.0).max(), 1e-5),
        at_least("nearest item over 1/|w|", distance.min() / width, 1.0 - 1e-5),
        at_least("other lines that separate", len(others), 20),
        below("best of them over 1/|w|", others.max() / width, 1.0 + 1e-6),
    ]


def draw(result: Result) -> Figure:
    """Some of the lines, and that of the machine."""
    figure, (left, right) = plots.figure(1, 2, size=(7.6, 3.5), sharex=True, sharey=True)
    regions(
        right, result.machine, result.X, result.y, f"the widest margin, {len(result.machine.support_)} support vectors"
    )
    for place in (0, 1):
        scatter(left, result.X[result.y == place], place)
    for w1, w2, b in result.others[:25]:
        line_of(left, np.array([w1, w2]), b, color=plots.MUTED, linewidth=0.7, alpha=0.6)
    bare(left).set_title("lines that separate")
    return figure
