"""A loess fit: a surface of local polynomials, in passes that give outlying points less weight.

The surface at x is the value of the local polynomial there (local_fits.py), interpolated from those at the vertices of
boxes (surface.py) unless it is fitted directly.  Boxes, radii and neighbours depend on X only, and serve all passes.

Against outliers ("symmetric"), each further pass multiplies the weights by (1 - (e_i / 6m)^2)^2 with m the median of
|e|, and 0 for large residuals.  The scale is then that of pseudovalues f_i + c r_i e_i, smoothed without these weights
r, in which c makes their influence on average 1 (Cleveland & Grosse, Statistics and Computing 1, 1991).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from mercer.config import config
from mercer.engine.interrupts import until_interrupted
from mercer.errors import MemoryBudgetError
from mercer.solvers.loess.boxes import Boxes, grow
from mercer.solvers.loess.local_fits import Centres, LocalFits, Points, fit_at
from mercer.solvers.loess.statistics import (
    Traces,
    approximate_trace,
    approximate_traces,
    dense_traces,
    interpolated_trace,
    interpolated_traces,
)
from mercer.solvers.loess.surface import (
    blended,
    direct,
    direct_weights,
    interpolated_noise,
    interpolated_weights,
)
from mercer.typing import Array

_EXACT_TRACE = 500  # points from which "auto" takes the formula for the trace of an interpolated surface


@dataclass(frozen=True)
class Settings:
    """span, degree and cell as in the paper; `passes` against outliers; how surface and statistics are made."""

    span: float
    degree: int
    cell: float
    passes: int
    direct: bool
    exact: bool
    trace: str


@dataclass(frozen=True, eq=False)
class LoessSurface:
    """What is left of a fit; points of one column are in ascending order, and so are all arrays here.

    points     rows, weights, degree, and how many are fitted to
    y          the numbers that were smoothed
    robust     the factors of the weights that the last pass left; 1 without passes
    boxes      the tree; None for a direct surface
    plain      the fits at the vertices with the given weights alone (at the points, for a direct surface)
    numbers    value and gradient at every vertex, by the weights of the last pass
    fitted     the values at the points
    scale      the standard deviation of the noise
    traces     tr L, delta1 and delta2 of the smoother with the given weights
    reason     "converged", or "interrupted" if Ctrl-C ended the passes early
    """

    points: Points
    y: Array
    robust: Array
    boxes: Boxes | None
    plain: LocalFits
    numbers: Array
    fitted: Array
    scale: float
    traces: Traces
    n_iter: int
    reason: str

    def values(self, Z: Array) -> Array:
        """The surface at the rows of Z."""
        return self.local(Z) if self.boxes is None else blended(self.boxes, self.numbers, Z)

    def local(self, Z: Array) -> Array:
        """The value of the local polynomial at each row of Z, without interpolation."""
        return direct(self._weighted(), self.y, Z).fit[:, 0]

    def _weighted(self) -> Points:
        return replace(self.points, weight=self.points.weight * self.robust)

    def noise(self, Z: Array) -> Array:
        """sum_i l_i(x)^2 / v_i at the rows of Z, with the given weights."""
        if self.boxes is None:
            return self.local_noise(Z)
        return interpolated_noise(self.boxes, self.points, self.plain, Z)

    def local_noise(self, Z: Array) -> Array:
        """The same of the local polynomial at each row."""
        return direct(self.points, self.y, Z, noise=True).noise

    def weights(self, Z: Array) -> Array:
        """(m, n): the weights of y in each value, with the weights that the last pass left."""
        points = self._weighted()
        require_memory(len(Z) * len(self.y))
        if self.boxes is None:
            return direct_weights(points, direct(points, self.y, Z))
        fits = fit_at(points, self.y, Centres.of(points, self.boxes.vertices))
        return interpolated_weights(self.boxes, points, fits, Z)


def fit_surface(points: Points, y: Array, settings: Settings) -> LoessSurface:
    """The surface through points, and its statistics."""
    X = np.ascontiguousarray(points.Xt.T)
    boxes = None if settings.direct else grow(points.Xt, int(len(y) * settings.span * settings.cell))
    centres = Centres.of(points, X if boxes is None else boxes.vertices)

    def at_points(fits: LocalFits) -> Array:
        return fits.fit[:, 0] if boxes is None else blended(boxes, fits.fit, X)

    plain = last = fit_at(points, y, centres)
    fitted, robust, done = at_points(plain), np.ones(len(y)), 0
    with until_interrupted() as work:
        for _ in range(settings.passes):
            factors = _bisquare(np.abs(y - fitted))
            last = fit_at(replace(points, weight=points.weight * factors), y, centres)
            fitted, robust, done = at_points(last), factors, done + 1
    traces = _traces(points, boxes, plain, settings)
    scale = _scale(points, y, fitted, robust, done, traces, lambda values: at_points(fit_at(points, values, centres)))
    reason = "interrupted" if work.came() else "converged"
    return LoessSurface(points, y, robust, boxes, plain, last.fit, fitted, scale, traces, done, reason)


def _bisquare(size: Array) -> Array:
    """The factor of a weight by the size of a residual: 0 from 0.999 of six medians on, 1 up to 0.001 of them."""
    six = 6.0 * float(np.median(size))
    if six < np.finfo(float).tiny:
        return np.ones_like(size)
    factors = (1.0 - np.minimum(size / six, 1.0) ** 2) ** 2
    factors[size > 0.999 * six] = 0.0
    factors[size <= 0.001 * six] = 1.0
    return factors


def _scale(
    points: Points,
    y: Array,
    fitted: Array,
    robust: Array,
    passes: int,
    traces: Traces,
    smooth: Callable[[Array], Array],
) -> float:
    """The standard deviation of the noise; NaN where no degrees of freedom are left."""
    residual = y - fitted
    if passes:
        values = _pseudovalues(points.weight, fitted, residual, points.weight * robust)
        residual = values - smooth(values)
    if not traces.delta1 > 0.0:
        return float("nan")
    return float(np.sqrt((points.weight * residual**2).sum() / traces.delta1))


def _pseudovalues(v: Array, fitted: Array, residual: Array, weight: Array) -> Array:
    """Values whose plain smooth has the scale of the robust one."""
    square = (6.0 * float(np.median(np.abs(residual) * np.sqrt(v)))) ** 2 / 5.0
    if square == 0.0:
        return fitted + residual
    influence = float(((1.0 - residual**2 * v / square) * np.sqrt(weight)).sum())
    return np.asarray(fitted + len(v) / influence * weight * residual) if influence else fitted + residual


def _traces(points: Points, boxes: Boxes | None, plain: LocalFits, settings: Settings) -> Traces:
    n, columns = len(points.weight), len(points.Xt)
    if settings.exact:
        if boxes is not None:
            return interpolated_traces(boxes, points, plain)
        require_memory(2 * n * n)
        return dense_traces(direct_weights(points, plain))
    by_formula = settings.trace == "approximate" or (
        settings.trace == "auto" and boxes is not None and n >= _EXACT_TRACE
    )
    if by_formula:
        trace = approximate_trace(columns, settings.degree, settings.span)
    elif boxes is None:
        trace = float(
            points.weight @ plain.inverse[:, 0]
        )  # at its own place a point has the weight v_i, and t = (1, 0, ...)
    else:
        trace = interpolated_trace(boxes, points, plain)
    return approximate_traces(trace, n, columns, settings.degree)


def require_memory(numbers: int) -> None:
    """Refuse to store more numbers than the budget allows."""
    if 8 * numbers > config().memory:
        raise MemoryBudgetError(f"Loess: the weights of all points take {8 * numbers:.2e} bytes; the budget is "
                                f"{config().memory:.2e}. Ask for fewer places.")  # fmt: skip
