"""Drawings that many figures share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mercer import plots
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def regions(ax: Axes, machine: Any, X: Array, y: Array, title: str, **options: Any) -> Axes:
    """Decision regions under a title, without ticks: positions in these planes have no meaning."""
    plots.decision_regions(machine, X, y, ax=ax, **options)
    ax.set_title(title)
    return bare(ax)


def bare(ax: Axes) -> Axes:
    """No ticks."""
    ax.set(xticks=[], yticks=[])
    return ax


def line_of(ax: Axes, w: Array, b: float, **look: Any) -> None:
    """The line w'x + b = 0, from edge to edge of the axes."""
    foot = -b * w / (w @ w)
    ax.axline((foot[0], foot[1]), (foot[0] - w[1], foot[1] + w[0]), **look)
