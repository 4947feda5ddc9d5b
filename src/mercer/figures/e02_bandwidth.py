"""E2: the bandwidth of a network of ten Gaussian features.

Narrow features are zero between their centres, wide ones are nearly equal: the design matrix shows why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mercer import plots
from mercer.figures.claim import Measured, at_least, at_most, below, equal
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "Ten Gaussian features that are too narrow vanish between their centres; too wide, they have rank two "
    "and fit a straight line."
)
BANDWIDTHS = (0.1, 2.5, 50.0)
GRID = np.linspace(0.0, 20.0, 801)


@dataclass(frozen=True)
class Result:
    """Data, centres, and for every bandwidth the fit on GRID, the features there, and the design matrix."""

    x: Array
    y: Array
    truth: Array
    centres: Array
    fits: list[Array]
    features: list[Array]
    designs: list[Array]


def compute(seed: int = 0) -> Result:
    """A parabola with noise at 21 places."""
    from mercer import RBFNetworkRegressor
    from mercer.kernels import RBF

    x = np.linspace(0.0, 20.0, 21)
    truth = -1.5 * x + x**2 / 9.0
    y = truth + 2.0 * np.random.default_rng(seed).normal(size=21)
    network = [
        RBFNetworkRegressor(RBF(b), prototypes=10, init="grid", alpha=1e-3, fit_intercept=False).fit(x[:, None], y)
        for b in BANDWIDTHS
    ]
    centres = network[0].prototypes_
    return Result(
        x, y, truth, centres[:, 0],
        [machine.predict(GRID[:, None]) for machine in network],
        [RBF(b)(GRID[:, None], centres) for b in BANDWIDTHS],
        [RBF(b)(x[:, None], centres) for b in BANDWIDTHS],
    )  # fmt: skip


def check(result: Result) -> list[Measured]:
    """Zero between narrow features; rank two and a line of wide ones; the middle is nearest to the truth."""
    between = 0.5 * (result.centres[1:] + result.centres[:-1])
    narrow, middle, wide = result.fits
    values = np.linalg.svd(result.designs[2], compute_uv=False)
    line = np.polyval(np.polyfit(GRID, wide, 1), GRID)
    errors = [float(np.mean((np.interp(result.x, GRID, f) - result.truth) ** 2)) for f in (narrow, middle, wide)]
    return [
        at_most("narrow: largest |f| halfway between centres", np.abs(np.interp(between, GRID, narrow)).max(), 1e-3),
        at_least("wide: least entry of the design", result.designs[2].min(), 0.92),
        equal("wide: numerical rank", int((values > 1e-3 * values[0]).sum()), 2),
        at_most("wide: distance from a line, of the range", np.abs(wide - line).max() / np.ptp(wide), 0.05),
        below("middle: squared error against the narrow", errors[1] / errors[0], 0.5),
        below("middle: squared error against the wide", errors[1] / errors[2], 1.0),
    ]


def draw(result: Result) -> Figure:
    """Fit, features and design matrix by columns, bandwidths by rows."""
    figure, axes = plots.figure(3, 3, size=(8.4, 6.0), width_ratios=[1.4, 1.4, 1.0])
    for row, bandwidth, fit, features, design in zip(
        axes, BANDWIDTHS, result.fits, result.features, result.designs, strict=True
    ):
        row[0].plot(result.x, result.y, "o", color=plots.MUTED, markersize=3.5)
        row[0].plot(GRID, fit, color=plots.PALETTE[0])
        row[0].set(ylabel=f"bandwidth {bandwidth:g}", ylim=(-15.0, 22.0))  # narrow peaks are cut
        row[1].plot(GRID, features, color=plots.PALETTE[0], linewidth=0.9)
        row[1].set_ylim(-0.03, 1.08)
        row[2].imshow(design, aspect="auto", vmin=0.0, vmax=1.0)
        row[2].set(xticks=[], yticks=[])
    for ax, title in zip(axes[0], ("fit", "features", "design matrix (0 to 1)"), strict=True):
        ax.set_title(title)
    return figure
