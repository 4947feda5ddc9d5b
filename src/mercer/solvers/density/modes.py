"""The maxima of a density: on a fine grid in one column, by mean shift in several (Comaniciu & Meer, PAMI 24, 2002).

Mean shift moves a place to the mean of the points, weighted by minus the derivative of the window in the squared
distance; no step lowers the density.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from mercer.engine.interrupts import until_interrupted
from mercer.solvers.density.mixture import Mixture
from mercer.typing import Array
from mercer.windows import Gaussian, PowerWindow

_SAME = 0.05  # bandwidths between places that count as one mode
_PAIRS = 2**22
_GOLDEN = 0.6180339887498949


def shifts(mixture: Mixture) -> bool:
    """Whether mean shift is defined: the window has a bounded derivative in the squared distance."""
    power = isinstance(mixture.window, PowerWindow) and mixture.window.a == 2 and mixture.window.b >= 1
    return isinstance(mixture.window, Gaussian) or power


def shifted_modes(mixture: Mixture, starts: Array, tol: float = 1e-6, max_iter: int = 1000) -> Array:
    """The modes that mean shift reaches from scaled starts, without doubles, in units of the data."""
    places, points = starts.copy(), mixture.scaled
    moving = np.arange(len(places))
    step = max(_PAIRS // len(points), 1)
    with until_interrupted():
        for _ in range(max_iter):
            moved = np.concatenate([_means(mixture, places[moving[i : i + step]]) for i in range(0, len(moving), step)])
            far = np.abs(moved - places[moving]).max(axis=1) > tol
            places[moving] = moved
            moving = moving[far]
            if not len(moving):
                break
    return _distinct(places) * mixture.scale if len(points) else places


def _means(mixture: Mixture, Q: Array) -> Array:
    S = cdist(Q, mixture.scaled, "sqeuclidean")
    mass = mixture.masses
    if mixture.factor is not None:
        S /= mixture.factor**2
        mass = mass / mixture.factor**2
    if isinstance(mixture.window, PowerWindow):
        G = np.where(S <= 1.0, np.maximum(1.0 - S, 0.0) ** (mixture.window.b - 1), 0.0) * mass
    else:
        G = np.exp(-0.5 * (S - S.min(axis=1, keepdims=True))) * mass
    total = G.sum(axis=1, keepdims=True)
    return np.where(total > 0.0, (G @ mixture.scaled) / np.where(total > 0.0, total, 1.0), Q)


def _distinct(places: Array) -> Array:
    """One place of each group; the first in the order of the columns."""
    places = places[np.lexsort(places.T[::-1])]
    groups = cKDTree(places).query_ball_point(places, _SAME)
    return places[[i for i, near in enumerate(groups) if min(near) == i]]


def modes_on_line(log_density: Callable[[Array], Array], grid: Array, plateau: bool) -> Array:
    """The maxima of a function of one number between neighbours on a grid; of a plateau, its middle."""
    values = log_density(grid)
    padded = np.concatenate([[-np.inf], values, [-np.inf]])
    runs = np.flatnonzero(np.concatenate([[True], np.diff(padded[1:-1]) != 0.0]))
    ends = np.concatenate([runs[1:], [len(grid)]]) - 1
    top = (padded[runs] < values[runs]) & (padded[ends + 2] < values[runs])
    first, last = runs[top], ends[top]
    if plateau:
        return np.asarray(0.5 * (grid[first] + grid[last]))
    low, high = grid[np.maximum(first - 1, 0)], grid[np.minimum(last + 1, len(grid) - 1)]
    return _golden(log_density, low, high)


def _golden(function: Callable[[Array], Array], low: Array, high: Array, steps: int = 45) -> Array:
    """Maxima of a function within intervals that hold one each, by the golden section."""
    a, b = low.copy(), high.copy()
    for _ in range(steps):
        left, right = b - _GOLDEN * (b - a), a + _GOLDEN * (b - a)
        lower = function(left) < function(right)
        a, b = np.where(lower, left, a), np.where(lower, b, right)
    return np.asarray(0.5 * (a + b))
