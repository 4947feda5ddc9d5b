"""E19: a ring, and the map of five dimensions.

a1 x1 + a2 x1^2 + a3 x2 + a4 x2^2 + a5 x1 x2 + a6 = 0 is a circle in the plane and a plane in five dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer import plots
from mercer.figures._axes import regions
from mercer.figures.claim import Measured, at_least, at_most, equal
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "No line separates a ring from its middle; linear in the five features (x1, x1^2, x2, x2^2, x1 x2) the boundary is "
    "the circle.  Such maps grow: 5, 9 and 19 features."
)


@dataclass(frozen=True)
class Result:
    """The items, machines linear in the coordinates and in the five features, and sizes of three maps."""

    X: Array
    y: Array
    linear: Any
    mapped: Any
    sizes: dict[str, int]


def five(X: Array) -> Array:
    """(x1, x1^2, x2, x2^2, x1 x2)."""
    x1, x2 = X.T
    return np.column_stack([x1, x1**2, x2, x2**2, x1 * x2])


def compute(seed: int = 0) -> Result:
    """A disc and a ring around it, off the origin so that all terms are needed."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    from mercer import SVC
    from mercer.kernels import Polynomial

    rng = np.random.default_rng(seed)
    y = np.arange(160) % 2
    r, angle = (
        np.where(y == 1, rng.uniform(1.7, 2.4, 160), np.sqrt(rng.uniform(0.0, 1.0, 160))),
        rng.uniform(0, 2 * np.pi, 160),
    )
    X = np.column_stack([0.5 + r * np.cos(angle), -0.3 + r * np.sin(angle)])
    mapped = make_pipeline(FunctionTransformer(five), SVC(C=100.0, kernel="linear", tol=1e-6))
    sizes = {
        f"R^{D}, degree <= {M}": Polynomial(M).feature_map(np.ones((1, D))).shape[1] - 1  # without the constant
        for D, M in ((2, 2), (3, 2), (3, 3))
    }
    return Result(X, y, SVC(C=100.0, kernel="linear").fit(X, y), mapped.fit(X, y), sizes)


def check(result: Result) -> list[Measured]:
    """The line fails, the map succeeds with nearly a circle, and the sizes are C(D + M, M) - 1."""
    _, a2, _, a4, a5 = result.mapped[-1].coef_[0]
    return [
        at_most("accuracy of a line", result.linear.score(result.X, result.y), 0.75),
        at_least("accuracy in five features", result.mapped.score(result.X, result.y), 1.0),
        at_most("unlike a circle: (|a2 - a4| + |a5|) / (a2 + a4)", (abs(a2 - a4) + abs(a5)) / abs(a2 + a4), 0.25),
        *(
            equal(f"features, {name}", size, count)
            for (name, size), count in zip(result.sizes.items(), (5, 9, 19), strict=True)
        ),
    ]


def draw(result: Result) -> Figure:
    """A line, and a circle."""
    figure, axes = plots.figure(1, 2, size=(6.6, 3.4))
    titles = {"a line": result.linear, "linear in five features": result.mapped}
    for ax, (name, machine) in zip(axes, titles.items(), strict=True):
        title = f"{name}: {machine.score(result.X, result.y):.0%} right"
        regions(ax, machine, result.X, result.y, title, support=False, margins=False).set_aspect("equal")
    return figure
