"""Classifiers in the plane: what is predicted where, the margins, and the items that hold them up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.errors import bad
from mercer.plots.regression import ringed
from mercer.plots.style import INK, PALETTE, drawing, points
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS = "oD^sPvX"


def decision_regions(
    machine: Any,
    X: Any,
    y: Any,
    *,
    margins: bool | None = None,
    support: bool = True,
    resolution: int = 200,
    ax: Axes | None = None,
) -> Axes:
    """The regions of a fitted classifier with the items of X in them, those it keeps ringed.

    Of two classes the line f = 0 is drawn, and with `margins` those of f = -1 and 1; None: of support vector machines.
    """
    V, labels = points("plots.decision_regions", X, 2), np.asarray(y)
    classes = np.asarray(machine.classes_)
    if labels.shape != (len(V),) or not np.isin(labels, classes).all():
        raise bad("plots.decision_regions", "y", f"one of the classes {classes.tolist()} for each of {len(V)} items",
                  f"shape {labels.shape}", "Pass the labels of X.")  # fmt: skip
    if not isinstance(resolution, (int, np.integer)) or resolution < 2:
        raise bad("plots.decision_regions", "resolution", "an integer >= 2", repr(resolution), "200 is the default.")
    across, up, grid = plane(V, resolution)
    with drawing(ax) as ax:
        if len(classes) == 2 and hasattr(machine, "decision_function"):
            f = np.asarray(machine.decision_function(grid)).reshape(len(up), len(across))
            _halves(ax, across, up, f, hasattr(machine, "n_support_") if margins is None else margins)
        else:
            codes = np.searchsorted(classes, machine.predict(grid)).reshape(len(up), len(across))
            _patches(ax, across, up, codes, len(classes))
        for place, name in enumerate(classes):
            scatter(ax, V[labels == name], place, f"class {name}")
        if support and hasattr(machine, "support_"):
            kept = np.asarray(machine.support_)
            ringed(ax, V[kept, 0], V[kept, 1], f"{len(kept)} of {len(V)} kept")
        ax.set(xlim=across[[0, -1]], ylim=up[[0, -1]])
    return ax


def scatter(ax: Axes, V: Array, place: int, label: str | None = None) -> None:
    """Items of the class of that place: its colour and, for those who see no colours, its marker."""
    colour, marker = PALETTE[place % len(PALETTE)], _MARKERS[place % len(_MARKERS)]
    ax.scatter(V[:, 0], V[:, 1], s=13, color=colour, marker=marker, linewidths=0.3, edgecolors="white", label=label,
               zorder=3)  # fmt: skip


def plane(V: Array, resolution: int) -> tuple[Array, Array, Array]:
    """(across, up, grid): positions along both columns of V, and all pairs of them as rows."""
    across, up = (_axis(V[:, d], resolution) for d in (0, 1))
    return across, up, np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)


def _axis(values: Array, resolution: int) -> Array:
    """Evenly spaced values a little beyond the smallest and the largest."""
    low, high = float(values.min()), float(values.max())
    beyond = 0.08 * (high - low) or 1.0
    return np.linspace(low - beyond, high + beyond, resolution)


def _halves(ax: Axes, across: Array, up: Array, f: Array, margins: bool) -> None:
    """Both sides of f = 0, with lines at 0 and, dashed, at the margins."""
    far = max(float(np.abs(f).max()), 1.0) * 2.0
    ax.contourf(across, up, f, levels=[-far, 0.0, far], colors=PALETTE[:2], alpha=0.13)
    at = [level for level in ([-1.0, 0.0, 1.0] if margins else [0.0]) if f.min() < level < f.max()]
    if at:
        ax.contour(across, up, f, levels=at, colors=INK, linewidths=[1.3 if level == 0.0 else 0.8 for level in at],
                   linestyles=["-" if level == 0.0 else "--" for level in at])  # fmt: skip


def _patches(ax: Axes, across: Array, up: Array, codes: Array, count: int) -> None:
    """A colour for every class, and a line where the prediction changes."""
    from matplotlib.colors import ListedColormap

    colours = ListedColormap([PALETTE[place % len(PALETTE)] for place in range(count)])
    ax.pcolormesh(across, up, codes, cmap=colours, vmin=-0.5, vmax=count - 0.5, alpha=0.13, rasterized=True, lw=0.0)
    for place in range(count):
        here = codes == place
        if here.any() and not here.all():
            ax.contour(across, up, here, levels=[0.5], colors=INK, linewidths=0.8)
