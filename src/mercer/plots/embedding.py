"""Embeddings seen: items as points on two axes, and one axis as heights over the plane of the items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.errors import bad
from mercer.plots.decision import plane, scatter
from mercer.plots.style import INK, MUTED, drawing, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CLASSES = 7  # labels that have a colour each; more are drawn as numbers, or alike


def embedding(Y: Any, labels: Any = None, *, ratio: Any = None, ax: Axes | None = None) -> Axes:
    """Items by the first two columns of Y, coloured by labels: few values by colour and marker, numbers by shade.

    `ratio` are shares of the variance of the axes (explained_variance_ratio_), which are written on them.
    """
    V = np.asarray(Y, dtype=float)
    if V.ndim != 2 or not V.size or not np.isfinite(V).all():
        raise bad("plots.embedding", "Y", "finite coordinates of items, one row each", f"shape {V.shape}",
                  "Pass what fit_transform gives.")  # fmt: skip
    V = np.column_stack([V[:, 0], V[:, 1] if V.shape[1] > 1 else np.zeros(len(V))])
    given = None if labels is None else np.asarray(labels)
    if given is not None and given.shape != (len(V),):
        raise bad("plots.embedding", "labels", f"one for each of {len(V)} items", f"shape {given.shape}", "Pass y.")
    with drawing(ax) as ax:
        if given is None or (len(np.unique(given)) > _CLASSES and given.dtype.kind not in "fiu"):
            scatter(ax, V, 0)
        elif len(np.unique(given)) <= _CLASSES:
            for place, name in enumerate(np.unique(given)):
                scatter(ax, V[given == name], place, str(name))
        else:
            drawn = ax.scatter(V[:, 0], V[:, 1], s=13, c=given.astype(float), cmap="cividis", zorder=3)
            ax.figure.colorbar(drawn, ax=ax, shrink=0.85, pad=0.03).outline.set_visible(False)
        names = [_axis_name(i, ratio) for i in (0, 1)]
        ax.set(xlabel=names[0], ylabel=names[1])
    return ax


def _axis_name(i: int, ratio: Any) -> str:
    known = ratio is not None and i < len(ratio)
    return f"axis {i + 1}" + (f" ({float(ratio[i]):.1%} of the variance)" if known else "")


def component_contours(
    model: Any, X: Any, component: int = 0, *, labels: Any = None, resolution: int = 80, ax: Axes | None = None
) -> Axes:
    """Heights of one coordinate of a fitted embedding over the plane, with the items of X, which have two columns."""
    V = points("plots.component_contours", X, 2)
    across, up, grid = plane(V, resolution)
    heights = np.asarray(model.transform(grid))
    if not -heights.shape[1] <= component < heights.shape[1]:
        raise bad("plots.component_contours", "component", f"one of the {heights.shape[1]} axes, counted from 0",
                  component, "Fit more components.")  # fmt: skip
    f = heights[:, component].reshape(len(up), len(across))
    with drawing(ax) as ax:
        size = max(float(np.abs(f).max()), np.finfo(float).tiny)
        levels = np.linspace(-size, size, 12)
        ax.contourf(across, up, f, levels=levels, cmap="PuOr_r", vmin=-size, vmax=size, alpha=0.6)
        if f.min() < 0.0 < f.max():
            ax.contour(across, up, f, levels=[0.0], colors=INK, linewidths=0.8)
        if labels is None:
            ax.scatter(V[:, 0], V[:, 1], s=5, color=MUTED, linewidths=0.0, zorder=3)
        else:
            for place, name in enumerate(np.unique(labels)):
                scatter(ax, V[np.asarray(labels) == name], place, str(name))
        ax.set(xlim=across[[0, -1]], ylim=up[[0, -1]])
    return ax
