"""E24: gamma and the smoothness of the boundary.

The narrower the Gaussian, the more items are needed and the longer the boundary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer import plots
from mercer.figures._axes import regions
from mercer.figures._data import clusters
from mercer.figures.claim import Measured, ascending
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = "At large gamma the boundary winds around single items: it grows longer, and most items are support vectors."
SHOWN = (2.0, 20.0, 200.0)
GAMMAS = np.geomspace(2.0, 200.0, 9)


@dataclass(frozen=True)
class Result:
    """The items, the machines of SHOWN, and for all of GAMMAS the share of items kept and the boundary's length."""

    X: Array
    y: Array
    machines: list[Any]
    kept: Array
    length: Array


def compute(seed: int = 0) -> Result:
    """Support vector machines with C = 10 on two overlapping classes."""
    from mercer import SVC

    X, y = clusters(150, seed)
    machines = {gamma: SVC(C=10.0, gamma=gamma).fit(X, y) for gamma in {*GAMMAS, *SHOWN}}
    kept = [len(machines[gamma].support_) / len(y) for gamma in GAMMAS]
    length = [boundary_length(machines[gamma], X) for gamma in GAMMAS]
    return Result(X, y, [machines[gamma] for gamma in SHOWN], np.array(kept), np.array(length))


def boundary_length(machine: Any, X: Array, resolution: int = 200) -> float:
    """The length of f = 0 within the box of the items, measured along the lines of a contour plot."""
    from contourpy import contour_generator

    across, up = (np.linspace(column.min(), column.max(), resolution) for column in X.T)
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    f = machine.decision_function(grid).reshape(resolution, resolution)
    lines: Any = contour_generator(across, up, f).lines(0.0)
    return float(sum(np.linalg.norm(np.diff(line, axis=0), axis=1).sum() for line in lines))


def check(result: Result) -> list[Measured]:
    """At the ends and in the middle of the sweep."""
    at = {"gamma = 2": 0, "20": 4, "200": 8}
    return [
        ascending("share of support vectors", **{name: result.kept[i] for name, i in at.items()}),
        ascending("length of the boundary", **{name: result.length[i] for name, i in at.items()}),
    ]


def draw(result: Result) -> Figure:
    """Three boundaries, and both numbers over gamma."""
    figure, axes = plots.figure(1, 4, size=(10.6, 2.9), width_ratios=[1.0, 1.0, 1.0, 1.15])
    for ax, gamma, machine in zip(axes[:3], SHOWN, result.machines, strict=True):
        regions(ax, machine, result.X, result.y, f"gamma = {gamma:g}, {len(machine.support_)} kept", margins=False)
    last = axes[3]
    last.semilogx(GAMMAS, result.kept / result.kept[0], "o-", label="support vectors")
    last.semilogx(GAMMAS, result.length / result.length[0], "D--", label="length of the boundary")
    last.set(xlabel="gamma", title="relative to gamma = 2")
    last.legend()
    return figure
