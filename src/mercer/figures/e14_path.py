"""E14: the regularisation path.

All support vector machines of one data set, from the largest penalty to the smallest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer import plots
from mercer.figures._data import clouds
from mercer.figures.claim import Measured, at_least, at_most, equal, noted
from mercer.plots.path import grid_of
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "Along the path the margin widens with the penalty lambda = 1/C; at a large penalty every item is a support vector "
    "with coefficient at its bound, and items leave it as the penalty falls."
)


@dataclass(frozen=True)
class Result:
    """The path, values of C from small to large, and at each the coefficients over C, the margin, the support."""

    path: Any
    C: Array
    alpha: Array
    margin: Array
    support: Array


def compute(seed: int = 0) -> Result:
    """Two clouds of 20 items each, a Gaussian kernel."""
    from mercer import svm_path
    from mercer.kernels import RBF

    path = svm_path(*clouds(40, seed, apart=0.8), RBF(1.0), C_max=100.0)
    C = grid_of(path)
    return Result(path, C, path.solution.alpha(1.0 / C), path.margin(C), path.n_support(C))


def check(result: Result) -> list[Measured]:
    """Order of margins, coefficients at the start, and the support at both ends."""
    shrink = np.diff(result.margin) / result.margin[:-1]
    return [
        at_most("largest relative growth of the margin as lambda falls", shrink.max(), 1e-9),
        at_least("least a at the largest lambda", result.alpha[0].min(), 1.0),
        at_least("items that leave a = 1 as lambda falls", int((result.alpha.min(axis=0) < 1.0).sum()), 1),
        equal("support vectors at the largest lambda", int(result.support[0]), result.alpha.shape[1]),
        at_most("most support vectors anywhere, over that", int(result.support.max()) / int(result.support[0]), 1.0),
        at_most(
            "support vectors at the smallest lambda, over that", int(result.support[-1]) / int(result.support[0]), 0.8
        ),
        noted("events", len(result.path.events)),
    ]


def draw(result: Result) -> Figure:
    """Coefficients, margin, and count."""
    figure, (left, middle, right) = plots.figure(1, 3, size=(10.0, 3.1), width_ratios=[1.5, 1.0, 1.0])
    plots.svm_path(result.path, ax=left)
    left.set(title="coefficients / C", ylabel="a")
    left.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.1)
    middle.loglog(result.C, result.margin)
    middle.set(title="margin 1 / |w|", xlabel="C = 1 / lambda")
    right.semilogx(result.C, result.support, drawstyle="steps-mid")
    right.set(title="support vectors", xlabel="C = 1 / lambda", ylim=(0.0, None))
    return figure
