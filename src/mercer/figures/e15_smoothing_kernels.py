"""E15: smoothing kernels.

Gaussian, Epanechnikov, tri-cube and boxcar windows, with their second moments and roughnesses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mercer import plots
from mercer.figures.claim import Measured, near
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "A smoothing kernel integrates to 1 and has mean 0 and a positive variance; all but the Gaussian are 0 beyond "
    "distance 1."
)
TABLE = {
    "gaussian": (1.0, 0.2820947918),
    "epanechnikov": (1 / 5, 3 / 5),
    "tricube": (35 / 243, 175 / 247),
    "boxcar": (1 / 3, 1 / 2),
}


@dataclass(frozen=True)
class Result:
    """Places and the values of each window there."""

    x: Array
    windows: dict[str, Array]


def compute(seed: int = 0) -> Result:
    """Values at evenly spaced places; nothing is random."""
    from mercer.windows import window_of

    x = np.linspace(-6.0, 6.0, 24_001)
    return Result(x, {name: window_of(name)(x) for name in TABLE})


def check(result: Result) -> list[Measured]:
    """Mass, mean, second moment and roughness, by quadrature of the drawn curves."""
    found = []
    for name, (moment, roughness) in TABLE.items():
        w, x = result.windows[name], result.x
        found += [
            near(f"mass of {name}", float(np.trapezoid(w, x)), 1.0, 1e-3),
            near(f"mean of {name}", float(np.trapezoid(x * w, x)), 0.0, 1e-12),
            near(f"second moment of {name}", float(np.trapezoid(x**2 * w, x)), moment, 1e-3),
            near(f"roughness of {name}", float(np.trapezoid(w**2, x)), roughness, 1e-3),
        ]
    return found


def draw(result: Result) -> Figure:
    """All four on one pair of axes."""
    figure, ax = plots.figure(size=(4.8, 3.2))
    for name, values in result.windows.items():
        ax.plot(result.x, values, label=name)
    ax.set(xlabel="x", ylabel="w(x)", xlim=(-3.0, 3.0))
    ax.legend()
    return figure
