"""Densities on half-lines, intervals and circles.

Reflection: every point near a bound gets a mirror image beyond it, and on a circle images one turn away; what a window
puts outside comes back, so that the density inside integrates to 1.  Its slope at a bound is 0.

First order: the window at x is multiplied by a linear function, so that inside the support it has mass 1 and mean 0
(Jones, Statistics and Computing 3, 1993).  Values below 0 become 0, and the density is divided by its integral.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer.engine.pool import run
from mercer.solvers.density.mixture import Mixture
from mercer.typing import Array

_TAIL = 9.0  # bandwidths after which a Gaussian or exponential window is not reflected: exp(-81 / 2) of its top
_TAIL_EXPONENTIAL = 40.0
_PAIRS = 2**18


@dataclass(frozen=True)
class Side:
    """The support of one column: between two bounds, which may be infinite, or a circle from low to high."""

    low: float = -np.inf
    high: float = np.inf
    circle: bool = False

    @property
    def bounded(self) -> bool:
        """Whether there is any bound."""
        return bool(np.isfinite(self.low) or np.isfinite(self.high))

    def contains(self, x: Array) -> Array:
        """Which numbers are inside; a circle contains all, one turn is nothing."""
        return np.full(x.shape, True) if self.circle else (x >= self.low) & (x <= self.high)

    def folded(self, x: Array) -> Array:
        """Numbers outside brought back inside, by reflection or by whole turns."""
        if self.circle:
            return np.asarray(self.low + np.mod(x - self.low, self.high - self.low))
        if np.isfinite(self.low) and np.isfinite(self.high):
            width = self.high - self.low
            turn = np.mod(x - self.low, 2.0 * width)
            return np.asarray(self.low + np.minimum(turn, 2.0 * width - turn))
        x = np.where(x < self.low, 2.0 * self.low - x, x) if np.isfinite(self.low) else x
        return np.where(x > self.high, 2.0 * self.high - x, x) if np.isfinite(self.high) else x

    def images(self, x: Array, reach: Array) -> list[tuple[Array, Array]]:
        """Pairs (places of points, where their images are), for images within reach of the support."""
        if not self.bounded:
            return []
        if not (np.isfinite(self.low) and np.isfinite(self.high)):
            found = [2.0 * self.low - x] if np.isfinite(self.low) else [2.0 * self.high - x]
        else:
            width = self.high - self.low
            turns = int(np.ceil(float(reach.max()) / width)) + 1
            period = width if self.circle else 2.0 * width
            found = [x + k * period for k in range(-turns, turns + 1) if k]
            if not self.circle:
                found += [2.0 * self.low - x + k * period for k in range(-turns, turns + 1)]
        near = [np.flatnonzero((image >= self.low - reach) & (image <= self.high + reach)) for image in found]
        return [(index, image[index]) for index, image in zip(near, found, strict=True) if len(index)]


def reach_of(mixture: Mixture) -> Array:
    """The distance at which the window of each point ends, in units of the scales."""
    exponential = type(mixture.window).__name__ == "Exponential"
    tail = _TAIL_EXPONENTIAL if exponential else _TAIL
    factor = np.ones(len(mixture)) if mixture.factor is None else mixture.factor
    return factor * min(mixture.window.radius, tail)


def reflected(mixture: Mixture, sides: list[Side]) -> tuple[Mixture, Array]:
    """The mixture with images beyond the bounds, and which point each row comes from."""
    origin = np.arange(len(mixture))
    for j, side in enumerate(sides):
        pairs = side.images(mixture.rows[:, j].astype(np.float64), reach_of(mixture) * mixture.scale[j])
        if not pairs:
            continue
        index = np.concatenate([np.arange(len(mixture)), *(places for places, _ in pairs)])
        rows = mixture.rows[index].astype(np.float64)
        rows[len(mixture) :, j] = np.concatenate([image for _, image in pairs])
        factor = None if mixture.factor is None else mixture.factor[index]
        mixture = replace(mixture, rows=rows, weight=mixture.weights[index], factor=factor)
        origin = origin[index]
    return mixture, origin


def linear_density(mixture: Mixture, x: Array, side: Side) -> Array:
    """The density of one column with the correction of first order, before it is divided by its integral."""
    out, step = np.empty(len(x)), max(_PAIRS // len(mixture), 1)
    points = mixture.rows[:, 0].astype(np.float64)
    h = mixture.scale[0] * (1.0 if mixture.factor is None else mixture.factor)

    def some(part: slice) -> None:
        q = x[part, None]
        u = (q - points) / h
        a = [_between(mixture.window, k, (q - side.high) / h, (q - side.low) / h) for k in range(3)]
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = (a[2] - a[1] * u) / (a[0] * a[2] - a[1] ** 2)
        values = np.where(np.isfinite(slope), slope, 0.0) * mixture.window(u) / h
        out[part] = np.maximum(values @ mixture.weights, 0.0)

    run(some, [slice(i, min(i + step, len(x))) for i in range(0, len(x), step)])
    return np.where(side.contains(x), out, 0.0)


def _between(window: Any, order: int, low: Array, high: Array) -> Array:
    return np.asarray(window.partial_moment(order, high) - window.partial_moment(order, low))


def quadrature(mixture: Mixture, side: Side, per_bandwidth: int = 16, most: int = 40_001) -> tuple[Array, Array]:
    """Places inside the support of one column and the weights of Simpson's rule there, fine enough for the window."""
    h = float(mixture.scale[0]) * (1.0 if mixture.factor is None else float(mixture.factor.min()))
    ends = reach_of(mixture) * mixture.scale[0]
    x = mixture.rows[:, 0].astype(np.float64)
    low, high = max(side.low, float((x - ends).min())), min(side.high, float((x + ends).max()))
    count = int(min(max((high - low) / h * per_bandwidth, 200), most)) // 2 * 2 + 1
    weights = np.full(count, 2.0)
    weights[1::2] = 4.0
    weights[[0, -1]] = 1.0
    return np.linspace(low, high, count), weights * (high - low) / (3.0 * (count - 1))
