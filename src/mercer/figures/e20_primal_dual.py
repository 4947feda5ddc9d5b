"""E20: primal and dual, step by step.

Sequential minimal optimisation moves two coefficients at a time; the optimum is always between the two values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mercer import plots
from mercer.figures._data import clusters
from mercer.figures.claim import Measured, at_least, at_most, noted
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = "Every step of SMO raises the dual, the best primal so far only falls, and the gap between them closes."


@dataclass(frozen=True)
class Result:
    """(primal, dual) after every step."""

    trace: Array


def compute(seed: int = 0) -> Result:
    """The reference SMO on 150 items."""
    from mercer.kernels import RBF
    from mercer.solvers.smo import smo

    X, y = clusters(150, seed)
    return Result(np.array(smo(RBF(0.3)(X), 2.0 * y - 1.0, 1.0, tol=1e-6).trace))


def check(result: Result) -> list[Measured]:
    """Both monotone, and the gap at the end."""
    primal, dual = result.trace.T
    best = np.minimum.accumulate(primal)
    return [
        at_least("least rise of the dual in a step, of its end", (np.diff(dual) / dual[-1]).min(), -1e-14),
        at_most("largest rise of the best primal", np.diff(best).max(), 0.0),
        at_least("least gap on the way, of the optimum", ((best - dual) / dual[-1]).min(), -1e-12),
        at_most("gap at the end, of the optimum", (best[-1] - dual[-1]) / dual[-1], 1e-6),
        noted("steps", len(dual) - 1),
    ]


def draw(result: Result) -> Figure:
    """Both values at the beginning, and the gap to the end."""
    figure, (left, right) = plots.figure(1, 2, size=(8.2, 3.2))
    plots.trace(result.trace, ax=left)
    early = max(20, len(result.trace) // 4)
    left.set(xlim=(0, early), title="the beginning")
    left.legend()
    primal, dual = result.trace.T
    gap = (np.minimum.accumulate(primal) - dual) / dual[-1]
    right.semilogy(np.maximum(gap, 1e-16), color=plots.PALETTE[2])
    right.set(xlabel="iteration", ylabel="gap / optimum", title="the gap")
    return figure
