"""E17: kernel regression.

Local means with a Gaussian window whose bandwidth is the normal reference with a robust scale, and local lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer import plots
from mercer.figures.claim import Measured, ascending, at_least
from mercer.plots.smooth import smooth
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = "Local means stay within the range of y, but are biased at the ends of the data; local lines are not."
ENDS = 50  # samples over which the error at the ends is averaged
SLOPE = 3.0


@dataclass(frozen=True)
class Result:
    """One sample with both smooths, the range of the local means, and errors at an end where f is a line."""

    x: Array
    y: Array
    means: Any
    lines: Any
    inside: float
    mean_bias: float
    line_bias: float


def compute(seed: int = 0) -> Result:
    """A wave that rises at both ends; at the end of a straight line the error is averaged over many samples."""
    from mercer import LocalRegression, NadarayaWatson

    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-2.0, 2.0, 120))
    y = np.sin(3.0 * x) + x + 0.3 * rng.normal(size=len(x))
    means = NadarayaWatson("normal").fit(x[:, None], y)
    lines = LocalRegression("normal").fit(x[:, None], y)
    f = means.predict(np.linspace(x[0], x[-1], 400)[:, None])
    inside = float(min(f.min() - y.min(), y.max() - f.max()))
    bias = np.zeros(2)
    for _ in range(ENDS):
        u = np.append(rng.uniform(0.0, 1.0, 99), 0.0)
        t = SLOPE * u + 0.1 * rng.normal(size=100)
        for j, made in enumerate((NadarayaWatson, LocalRegression)):
            bias[j] += made("normal").fit(u[:, None], t).predict([[0.0]])[0] / ENDS
    return Result(x, y, means, lines, inside, abs(float(bias[0])), abs(float(bias[1])))


def check(result: Result) -> list[Measured]:
    """The range, and the mean error at the end of the line, where f = 0."""
    return [
        at_least("distance of local means from the ends of the range of y", result.inside, 0.0),
        ascending("mean error at the end of a line", lines=result.line_bias, tenth=0.1 * SLOPE, means=result.mean_bias),
    ]


def draw(result: Result) -> Figure:
    """Both smooths with their bands."""
    figure, axes = plots.figure(1, 2, size=(9.0, 3.4), sharey=True)
    titles = ("local means (Nadaraya-Watson)", "local lines")
    for ax, machine, title in zip(axes, (result.means, result.lines), titles, strict=True):
        smooth(machine, result.x[:, None], result.y, ax=ax)
        ax.set(title=f"{title}, h = {machine.bandwidth_[0]:.2f}")
        ax.legend()
    return figure
