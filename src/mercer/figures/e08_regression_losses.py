"""E8: losses of regression.

The squared loss, Huber's, and the tube of support vector regression.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mercer import plots
from mercer.figures.claim import Measured, at_most
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "The epsilon-insensitive loss is zero inside the tube and has slope one outside; Huber's is squared inside "
    "and straight outside."
)
EPSILON, DELTA = 1.0, 1.5


@dataclass(frozen=True)
class Result:
    """Residuals and the losses of each, by name."""

    z: Array
    losses: dict[str, Array]


def compute(seed: int = 0) -> Result:
    """Values at evenly spaced residuals; nothing is random."""
    from mercer.solvers.losses import EpsilonInsensitive, Huber, Squared

    z = np.linspace(-3.0, 3.0, 601)
    names = "squared", f"Huber, delta = {DELTA}", f"tube, epsilon = {EPSILON}"
    values = Squared().value(z), Huber(DELTA).value(z), EpsilonInsensitive(EPSILON).value(z)
    return Result(z, dict(zip(names, values, strict=True)))


def check(result: Result) -> list[Measured]:
    """Values inside, slopes outside."""
    z = result.z
    squared, huber, tube = result.losses.values()
    inside, near = np.abs(z) <= EPSILON, np.abs(z) <= DELTA
    slope = np.diff(tube) / np.diff(z)
    outside = np.abs(z[1:] + z[:-1]) / 2.0 > EPSILON
    bend = np.diff(huber[z >= DELTA], 2)
    return [
        at_most("tube: largest loss inside", np.abs(tube[inside]).max(), 1e-12),
        at_most("tube: | |slope| - 1 | outside", np.abs(np.abs(slope[outside]) - 1.0).max(), 1e-9),
        at_most("Huber: distance from the squared loss inside", np.abs(huber - squared)[near].max(), 1e-12),
        at_most("Huber: second difference outside", np.abs(bend).max(), 1e-9),
    ]


def draw(result: Result) -> Figure:
    """All three."""
    figure, ax = plots.figure(size=(4.8, 3.2))
    plots.losses({name: lambda _, v=values: v for name, values in result.losses.items()}, result.z, ax=ax)
    ax.axvspan(-EPSILON, EPSILON, color=plots.PALETTE[2], alpha=0.08, linewidth=0.0)
    ax.set_xlabel("residual y - f")
    ax.legend(loc="upper center")
    return figure
