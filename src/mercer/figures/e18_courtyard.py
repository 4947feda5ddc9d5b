"""E18: a plane in three dimensions is a hyperbola in two.

The kernel <x, z>^2 is the inner product of (x1^2, sqrt2 x1 x2, x2^2), where a plane separates the classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer import plots
from mercer.figures._axes import regions
from mercer.figures.claim import Measured, at_least, at_most, below
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "Classes on both sides of a hyperbola, which no line separates, are separated by a plane after the map "
    "(x1^2, sqrt2 x1 x2, x2^2); its preimage is the hyperbola."
)


@dataclass(frozen=True)
class Result:
    """The items, the machine of the kernel <x, z>^2, a linear one, and w1, w2, w3, b of the conic."""

    X: Array
    y: Array
    machine: Any
    linear: Any
    conic: Array


def phi(X: Array) -> Array:
    """(x1^2, sqrt2 x1 x2, x2^2)."""
    return np.column_stack([X[:, 0] ** 2, np.sqrt(2.0) * X[:, 0] * X[:, 1], X[:, 1] ** 2])


def compute(seed: int = 0) -> Result:
    """160 items, none near the true hyperbola."""
    from mercer import SVC
    from mercer.kernels import Polynomial

    X = np.random.default_rng(seed).uniform(-2.0, 2.0, size=(400, 2))
    q = X[:, 0] ** 2 - X[:, 1] ** 2 + 0.6 * X[:, 0] * X[:, 1] - 0.4
    X, y = X[np.abs(q) > 0.35][:160], (q[np.abs(q) > 0.35][:160] > 0.0).astype(int)
    machine = SVC(C=np.inf, kernel=Polynomial(2, offset=0.0), tol=1e-6).fit(X, y)
    w = machine.dual_coef_[0] @ phi(X[machine.support_])
    conic = np.array([w[0], np.sqrt(2.0) * w[1], w[2], machine.intercept_[0]])
    return Result(X, y, machine, SVC(C=100.0, kernel="linear").fit(X, y), conic)


def check(result: Result) -> list[Measured]:
    """Separated after the map, not before; the boundary is a conic, and a hyperbola."""
    w1, w2, w3, b = result.conic
    x1, x2 = result.X.T
    f = result.machine.decision_function(result.X)
    apart = np.abs(f - (w1 * x1**2 + w2 * x1 * x2 + w3 * x2**2 + b)).max()
    return [
        at_least("least margin y f after the map", ((2.0 * result.y - 1.0) * f).min(), 1.0 - 1e-3),
        at_most("accuracy of a line", result.linear.score(result.X, result.y), 0.85),
        at_most("|f - conic| / |f|", apart / np.abs(f).max(), 1e-8),
        below("4 w1 w3 - w2^2", 4.0 * w1 * w3 - w2**2, 0.0),
    ]


def draw(result: Result) -> Figure:
    """The plane of the items, and the space of the map."""
    figure, (left, empty) = plots.figure(1, 2, size=(8.0, 3.7))
    place = empty.get_subplotspec()
    empty.remove()
    right: Any = figure.add_subplot(place, projection="3d")
    regions(left, result.machine, result.X, result.y, "in the plane: a hyperbola").set_aspect("equal")
    w1, w2, w3, b = result.conic
    product, second = np.meshgrid(np.linspace(-5.7, 5.7, 80), np.linspace(0.0, 4.0, 80))
    first = -(w2 / np.sqrt(2.0) * product + w3 * second + b) / w1
    inside = np.where((first >= 0.0) & (first <= 4.0), first, np.nan)
    right.plot_surface(inside, product, second, alpha=0.2, color=plots.INK, linewidth=0.0, rasterized=True)
    for label in (0, 1):
        here = phi(result.X[result.y == label])
        right.scatter(*here.T, s=9, color=plots.PALETTE[label], marker="oD"[label], depthshade=False)
    right.set(xlabel="x1²", ylabel="√2 x1 x2", zlabel="x2²", xticks=[0, 2, 4], yticks=[-5, 0, 5], zticks=[0, 2, 4])
    right.set_title("after the map: a plane", loc="center")
    right.view_init(elev=20, azim=-40)  # nearly along the plane
    right.set_box_aspect(None, zoom=0.8)
    return figure
