"""The witness of a two-sample test: where one sample is denser than the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.errors import bad
from mercer.plots.decision import plane, scatter
from mercer.plots.style import INK, MUTED, PALETTE, drawing
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FINE = 300  # points of a curve
_BEYOND = 0.08  # share of the range that a curve goes on beyond the items
_GRID = 120  # points of a side of a map


def witness(test: Any, X: Any, Y: Any, *, ax: Axes | None = None) -> Axes:
    """The witness function of `mmd_test` with both samples, which have one column (a curve) or two (a map).

    It is positive where X is denser and negative where Y is.
    """
    first, second = (_columns(V) for V in (X, Y))
    draw = _curve if first.shape[1] == 1 else _map
    with drawing(ax) as ax:
        draw(ax, test, first, second)
    return ax


def _columns(X: Any) -> Array:
    V = np.asarray(X, dtype=float)
    V = V[:, None] if V.ndim == 1 else V
    if V.ndim != 2 or V.shape[1] not in (1, 2) or not len(V):
        raise bad("plots.witness", "X and Y", "items of one column or two", f"shape {V.shape}",
                  "Test the columns that are to be seen.")  # fmt: skip
    return V


def _curve(ax: Axes, test: Any, X: Array, Y: Array) -> None:
    """f over x, and the items as strokes above and below."""
    both = np.concatenate([X, Y])[:, 0]
    beyond = _BEYOND * float(np.ptp(both)) or 1.0
    x = np.linspace(both.min() - beyond, both.max() + beyond, _FINE)
    f = test.witness(x[:, None])
    reach = float(np.abs(f).max()) or 1.0
    ax.axhline(0.0, color=MUTED, linewidth=1.0)
    for V, place, sign, name in ((X, 0, 1.0, "first sample"), (Y, 1, -1.0, "second sample")):
        ax.fill_between(x, 0.0, np.maximum(sign * f, 0.0) * sign, color=PALETTE[place], alpha=0.2, linewidth=0.0)
        ax.plot(V[:, 0], np.full(len(V), 1.15 * sign * reach), "|", color=PALETTE[place], markersize=7, alpha=0.6,
                label=name)  # fmt: skip
    ax.plot(x, f, color=INK, label="witness")
    ax.set(xlabel="x", ylabel="f")


def _map(ax: Axes, test: Any, X: Array, Y: Array) -> None:
    """Levels of f in the plane under the items."""
    across, up, grid = plane(np.concatenate([X, Y]), _GRID)
    f = test.witness(grid).reshape(len(up), len(across))
    reach = float(np.abs(f).max()) or 1.0
    ax.contourf(across, up, f, levels=np.linspace(-reach, reach, 13), cmap="RdBu", alpha=0.6)
    ax.contour(across, up, f, levels=[0.0], colors=INK, linewidths=1.0)
    for place, (V, name) in enumerate(((X, "first sample"), (Y, "second sample"))):
        scatter(ax, V, place, name)
    ax.set(xlim=across[[0, -1]], ylim=up[[0, -1]])
