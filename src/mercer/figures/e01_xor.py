"""E1: XOR by four prototypes.

Sums of functions of one coordinate have f(00) + f(11) = f(01) + f(10), so they get a corner wrong, of whatever degree.
Four Gaussian features have no such law, and neither has the product x1 x2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer import plots
from mercer.figures._axes import regions
from mercer.figures.claim import Measured, at_least, at_most
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "Powers of each coordinate up to ten cannot learn XOR; four Gaussian prototypes can, "
    "and so can degree two with the product."
)
CORNERS, CLASSES = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])


@dataclass(frozen=True)
class Result:
    """The jittered corners, and machines by name."""

    X: Array
    y: Array
    machines: dict[str, Any]


def powers(X: Array) -> Array:
    """x_1, x_2, ..., x_1^10, x_2^10: no products of the two."""
    return np.hstack([X**d for d in range(1, 11)])


def compute(seed: int = 0) -> Result:
    """25 items around every corner, three machines."""
    from mercer import FeatureGLMClassifier, RBFNetworkClassifier
    from mercer.kernels import RBF

    X = np.repeat(CORNERS, 25, axis=0) + 0.1 * np.random.default_rng(seed).normal(size=(100, 2))
    y = np.repeat(CLASSES, 25)
    machines = {
        "powers, no products": FeatureGLMClassifier(powers, alpha=1e-6, max_iter=500),
        "4 prototypes": RBFNetworkClassifier(RBF(0.3), prototypes=CORNERS, alpha=0.1),
        "degree 2 with x1 x2": FeatureGLMClassifier(2, alpha=1e-3),
    }
    return Result(X, y, {name: machine.fit(X, y) for name, machine in machines.items()})


def check(result: Result) -> list[Measured]:
    """The law of sums holds for the first machine, which fails, and the others make no mistake."""
    additive, network, product = result.machines.values()
    f = additive.decision_function(CORNERS)
    return [
        at_most("additive: |f00 + f11 - f01 - f10| / |f|", abs(f[0] + f[1] - f[2] - f[3]) / np.abs(f).max(), 1e-8),
        at_most("additive: share of corners right", additive.score(CORNERS, CLASSES), 0.75),
        at_most("additive: accuracy", additive.score(result.X, result.y), 0.9),
        at_least("4 prototypes: accuracy", network.score(result.X, result.y), 1.0),
        at_least("degree 2 with product: accuracy", product.score(result.X, result.y), 1.0),
    ]


def draw(result: Result) -> Figure:
    """What each machine takes for which class."""
    figure, axes = plots.figure(1, 3, size=(8.4, 3.0))
    for ax, (name, machine) in zip(axes, result.machines.items(), strict=True):
        title = f"{name}: {machine.score(result.X, result.y):.0%} right"
        regions(ax, machine, result.X, result.y, title, support=False).set_aspect("equal")
    axes[1].scatter(*CORNERS.T, s=90, marker="+", color=plots.INK, linewidths=1.6, zorder=5)
    return figure
