"""E13: C and gamma are coupled.

The libsvm grid of 110 settings by cross-validation, and cuts at two values of gamma.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer import plots
from mercer.figures.claim import Measured, below, equal, noted
from mercer.selection.grids import LIBSVM
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "C and gamma cannot be chosen one after the other: good settings lie along a slope on which a wider kernel wants "
    "a larger C, and gamma = 5 a smaller one than gamma = 1."
)
GAMMAS = (1.0, 5.0)
CS = [2.0**e for e in range(-5, 16, 2)]
SEEDS = 9
SEEN = 2.0**-9  # at smaller gammas no C of the grid is large enough


@dataclass(frozen=True)
class Result:
    """The search of 110 settings on the first data set; of all, mean scores along C and the best C at both gammas."""

    search: Any
    cuts: Array
    best: Array


def two_classes(seed: int, n: int = 200) -> tuple[Array, Array]:
    """Three Gaussians per class, in the plane."""
    rng = np.random.default_rng(seed)
    centres = 0.3 * rng.normal(size=(2, 3, 2))
    y = np.arange(n) % 2
    return centres[y, rng.integers(0, 3, n)] + 0.15 * rng.normal(size=(n, 2)), y


def compute(seed: int = 0) -> Result:
    """One search of the whole grid, and nine along C."""
    from mercer import SVC, KernelSearchCV

    search = KernelSearchCV(SVC(), "libsvm").fit(*two_classes(seed))
    cuts = []
    for s in range(seed, seed + SEEDS):
        along = KernelSearchCV(SVC(), {"C": CS, "gamma": GAMMAS}, refit=False).fit(*two_classes(s))
        cuts.append(along.cv_results_["mean_test_score"].reshape(len(CS), len(GAMMAS)))
    return Result(search, np.mean(cuts, axis=0), np.array([[CS[int(j)] for j in cut.argmax(axis=0)] for cut in cuts]))


def check(result: Result) -> list[Measured]:
    """The size of the grid, and medians over seeds; ties go to the smaller C."""
    wide, narrow = np.median(result.best, axis=0)
    gamma, C = (np.array(LIBSVM[name]) for name in ("gamma", "C"))
    best = C[result.search.cv_results_["mean_test_score"].reshape(len(C), len(gamma)).argmax(axis=0)]
    seen = gamma >= SEEN
    return [
        equal("settings of the grid", len(result.search.cv_results_["params"]), 110),
        below(
            "slope of log best C in log gamma", float(np.polyfit(np.log(gamma[seen]), np.log(best[seen]), 1)[0]), 0.0
        ),
        noted("median best C at gamma = 1", wide),
        below("median best C at gamma = 5, over that at gamma = 1", narrow / wide, 1.0),
        noted("best cross-validated accuracy", result.search.best_score_),
    ]


def draw(result: Result) -> Figure:
    """The surface, and the two cuts."""
    figure, (left, right) = plots.figure(1, 2, size=(8.6, 3.4), width_ratios=[1.25, 1.0])
    plots.search_surface(result.search, "gamma", "C", ax=left)
    left.set_title("110 settings, five folds")
    left.legend(loc="upper left")
    for place, gamma in enumerate(GAMMAS):
        scores = result.cuts[:, place]
        (line,) = right.semilogx(CS, scores, "o-", base=2, label=f"gamma = {gamma:g}")
        best = int(scores.argmax())
        right.plot(CS[best], scores[best], "*", color=line.get_color(), markeredgecolor=plots.INK, markersize=11)
    right.set(xlabel="C", ylabel="cross-validated score", title=f"mean of {SEEDS} data sets")
    right.legend()
    return figure
