"""E11: slack regimes.

Where an item lies says what its coefficient is, and the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer import plots
from mercer.figures._axes import regions
from mercer.figures._data import clouds
from mercer.figures.claim import Measured, at_least, at_most, equal
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "Items outside the margin have coefficient 0, those on it one between 0 and C, and those inside or on the wrong "
    "side C itself: the label of every item is the region it is drawn in."
)
C = 1.0
MARKS = {"outside the margin": None, "on the margin": "o", "inside but correct": "s", "on the wrong side": "X"}
ON = 1e-3  # how near a margin counts as on it


@dataclass(frozen=True)
class Result:
    """The items, the machine, the regime the certificate gives each, and the coefficients."""

    X: Array
    y: Array
    machine: Any
    regimes: Array
    alpha: Array


def compute(seed: int = 0) -> Result:
    """A linear machine on two clouds that overlap."""
    from mercer import SVC
    from mercer.estimators.svm.certificate import REGIMES
    from mercer.gram import StoredGram
    from mercer.kernels import Linear
    from mercer.solvers.dual import solve, svc
    from mercer.solvers.dual.proof import regime_codes

    X, y = clouds(60, seed, apart=0.9)
    machine = SVC(C=C, kernel="linear", tol=1e-8).fit(X, y)
    problem = svc(2.0 * y - 1.0, C)
    solution = solve(StoredGram(Linear()(X)), problem, tol=1e-8)
    codes = regime_codes(solution, problem, "classification")
    return Result(X, y, machine, np.array(REGIMES["classification"])[codes], np.abs(solution.coef))


def check(result: Result) -> list[Measured]:
    """The regime by the margin y f as drawn, by the certificate, and by the coefficient."""
    margin = (2.0 * result.y - 1.0) * result.machine.decision_function(result.X)
    on = np.abs(margin - 1.0) < ON
    names = ["on the margin", "outside the margin", "inside but correct"]
    drawn = np.select([on, margin > 1.0, margin > 0.0], names, "on the wrong side")
    free, bound = (result.alpha > 0.0) & (result.alpha < C), result.alpha == C
    by_coefficient = np.select([free, bound], [on, ~(margin > 1.0 + ON)], margin > 1.0 - ON)
    slack = np.maximum(0.0, 1.0 - margin)
    return [
        equal("items whose regime is where they are drawn", int((drawn == result.regimes).sum()), len(result.y)),
        equal("items whose coefficient is that of their regime", int(by_coefficient.sum()), len(result.y)),
        at_least("regimes that occur", len(np.unique(result.regimes)), 4),
        at_most("training errors over the sum of slacks", int((margin < 0.0).sum()) / slack.sum(), 1.0),
    ]


def draw(result: Result) -> Figure:
    """Regions and margins, with a mark around every item that is not outside."""
    figure, ax = plots.figure(size=(5.4, 3.8))
    regions(ax, result.machine, result.X, result.y, f"C = {C:g}", support=False)
    for place, (regime, marker) in enumerate(MARKS.items()):
        here = result.regimes == regime
        if marker is not None:
            look = {"facecolors": "none", "edgecolors": (plots.INK, plots.PALETTE[2], plots.PALETTE[3])[place - 1]}
            ax.scatter(*result.X[here].T, s=62, marker=marker, linewidths=1.1, label=f"{here.sum()} {regime}", **look)
    figure.legend(loc="outside lower center", ncols=3)
    return figure
