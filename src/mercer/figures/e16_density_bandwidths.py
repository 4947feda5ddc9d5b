"""E16: densities of few points with boxcar and Gaussian windows, at several bandwidths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mercer import plots
from mercer.figures.claim import Measured, at_most, equal, near
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "The density is a mean of windows around the points, with the mean of the points and their variance plus that of "
    "the window; a wider window has fewer modes."
)
WIDTHS = (0.25, 1.0, 3.0)


@dataclass(frozen=True)
class Result:
    """Points, places, densities by (window, bandwidth), and the number of modes of the Gaussian ones."""

    points: Array
    x: Array
    densities: dict[tuple[str, float], Array]
    modes: list[int]


def compute(seed: int = 0) -> Result:
    """Two groups of a few points."""
    from mercer import KernelDensity

    rng = np.random.default_rng(seed)
    points = np.concatenate([rng.normal(-2.0, 0.7, 6), rng.normal(2.0, 0.7, 6)])
    x = np.linspace(-20.0, 20.0, 8001)
    models = {
        (kernel, h): KernelDensity(kernel=kernel, bandwidth=h, rtol=0.0).fit(points[:, None])
        for kernel in ("boxcar", "gaussian")
        for h in WIDTHS
    }
    densities = {key: model.pdf(x[:, None]) for key, model in models.items()}
    return Result(points, x, densities, [len(models["gaussian", h].modes()) for h in WIDTHS])


def check(result: Result) -> list[Measured]:
    """Mass, mean and variance of every density, and fewer modes with a wider window."""
    found, x, moments = [], result.x, {"boxcar": 1 / 3, "gaussian": 1.0}
    mean = float(result.points.mean())
    for (kernel, h), p in result.densities.items():
        variance = float(result.points.var() + h**2 * moments[kernel])
        found += [
            near(f"mass, {kernel}, h = {h}", float(np.trapezoid(p, x)), 1.0, 5e-3),
            near(f"mean, {kernel}, h = {h}", float(np.trapezoid(x * p, x)), mean, 2e-2),
            near(f"variance, {kernel}, h = {h}", float(np.trapezoid((x - mean) ** 2 * p, x)), variance, 5e-2),
        ]
    for h, wide, narrow in zip(WIDTHS[1:], result.modes[1:], result.modes[:-1], strict=True):
        found.append(at_most(f"modes at h = {h}", wide, narrow))
    return [*found, equal("modes of the widest", result.modes[-1], 1)]


def draw(result: Result) -> Figure:
    """A row of pictures for each window."""
    figure, axes = plots.figure(2, len(WIDTHS), size=(8.0, 4.2))
    for ax, ((kernel, h), p) in zip(np.ravel(axes), result.densities.items(), strict=True):
        ax.plot(result.x, p, color=plots.PALETTE[0])
        ax.plot(result.points, np.zeros(len(result.points)), "|", color=plots.INK, markersize=9)
        ax.set(title=f"{kernel}, h = {h}", xlim=(-6.0, 6.0))
    return figure
