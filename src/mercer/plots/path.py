"""Coefficients along the regularisation path, and objectives iteration by iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.errors import bad
from mercer.plots.style import INK, MUTED, PALETTE, drawing
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS = 300  # values of C between the first and the last knot


def svm_path(path: Any, *, ax: Axes | None = None) -> Axes:
    """a_i = |coefficient| / C of every item over C, by class; small ticks are the events at which the lines bend."""
    if not hasattr(path, "solution"):
        raise bad("plots.svm_path", "path", "what mercer.svm_path returns", type(path).__name__, "Call it first.")
    C = grid_of(path)
    alpha, y = path.solution.alpha(1.0 / C), path.solution.y
    with drawing(ax) as ax:
        for colour, sign, name in zip(PALETTE, (-1.0, 1.0), path.classes, strict=False):
            lines = ax.semilogx(C, alpha[:, y == sign], color=colour, linewidth=0.9, alpha=0.6)
            lines[0].set_label(f"class {name}")
        ax.plot(path.C, np.full(len(path.C), -0.04), "|", color=MUTED, markersize=4.0, gid="events")
        ax.set(xlabel="C = 1 / lambda", ylabel="a", ylim=(-0.08, 1.04))
    return ax


def grid_of(path: Any) -> Array:
    """Values of C between which straight lines look right: the knots of the path, and enough between them."""
    C = path.C
    return np.unique(np.concatenate([[0.5 * C[0]], C, np.geomspace(0.5 * C[0], C[-1], _POINTS)]))


def trace(trace: Any, *, ax: Axes | None = None) -> Axes:
    """Primal and dual value after every iteration; the optimum lies in the shaded area between them."""
    values: Array = np.asarray(trace, dtype=float)
    if values.ndim != 2 or values.shape[1] != 2 or not len(values):
        raise bad("plots.trace", "trace", "pairs (primal, dual)", f"shape {values.shape}", "Pass smo(...).trace.")
    primal, dual = values.T
    best, steps = np.minimum.accumulate(primal), np.arange(len(values))
    with drawing(ax) as ax:
        ax.plot(steps, primal, color=PALETTE[1], linewidth=0.7, alpha=0.5)
        ax.plot(steps, best, color=PALETTE[1], label="best primal")
        ax.plot(steps, dual, color=PALETTE[0], label="dual")
        shown = np.isfinite(best)
        ax.fill_between(steps[shown], dual[shown], best[shown], color=INK, alpha=0.07, linewidth=0.0)
        ax.set(xlabel="iteration", ylabel="objective")
    return ax
