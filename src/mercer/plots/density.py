"""A density: in one column a curve with its band and the points as strokes, in two columns contours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.errors import bad
from mercer.plots.decision import plane
from mercer.plots.style import INK, MUTED, PALETTE, drawing
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FINE = 400  # points of a curve
_GRID = 120  # points of a side of a map
_STROKES = 2000  # points that are drawn at most
_BEYOND = 0.15  # share of the range that a curve goes on beyond the points
_SHARES = (0.95, 0.75, 0.5, 0.25)  # of the probability, inside of contours


def density(model: Any, X: Any, *, level: float | None = 0.95, ax: Axes | None = None) -> Axes:
    """The density of a fitted KernelDensity with the points X of one column (a curve) or two (contours).

    `level` is that of the pointwise band around a curve, None for no band.  Contours hold 25, 50, 75 and 95 % of the
    probability.
    """
    V = np.asarray(X, dtype=float)
    V = V[:, None] if V.ndim == 1 else V
    if V.ndim != 2 or V.shape[1] not in (1, 2) or not len(V):
        raise bad(
            "plots.density", "X", "points of one column or two", f"shape {V.shape}", "Fit the columns to be seen."
        )
    with drawing(ax) as ax:
        if V.shape[1] == 1:
            _curve(ax, model, V, level)
        else:
            _contours(ax, model, V)
    return ax


def _some(V: Array) -> Array:
    """Few enough points to be drawn."""
    return np.asarray(V[np.linspace(0, len(V) - 1, min(len(V), _STROKES)).astype(int)])


def _curve(ax: Axes, model: Any, V: Array, level: float | None) -> None:
    beyond = _BEYOND * float(np.ptp(V)) or 1.0
    x = np.linspace(V.min() - beyond, V.max() + beyond, _FINE)
    p = model.pdf(x[:, None])
    if level is not None:
        low, high = model.bands(x[:, None], level)
        ax.fill_between(x, low, high, color=PALETTE[0], alpha=0.2, linewidth=0.0, label=f"{level:.0%} band")
    ax.plot(x, p, color=PALETTE[0], label="density")
    strokes = _some(V)
    ax.plot(strokes[:, 0], np.full(len(strokes), -0.03 * float(p.max())), "|", color=INK, markersize=6, alpha=0.4)
    ax.set(xlabel="x", ylabel="density")


def _contours(ax: Axes, model: Any, V: Array) -> None:
    across, up, grid = plane(V, _GRID)
    p = model.pdf(grid).reshape(len(up), len(across))
    levels = np.unique(model.threshold(np.array(_SHARES)))
    points = _some(V)
    ax.plot(points[:, 0], points[:, 1], ".", color=MUTED, markersize=2.5, alpha=0.5)
    drawn = ax.contour(across, up, p, levels=levels, colors=PALETTE[0], linewidths=1.2)
    if len(levels) == len(_SHARES):
        ax.clabel(drawn, fmt={level: f"{share:.0%}" for level, share in zip(levels, _SHARES, strict=True)})
    ax.set(xlim=across[[0, -1]], ylim=up[[0, -1]])
