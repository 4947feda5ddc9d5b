"""Weighted least squares around given centres.

At a centre q the polynomial p of degree 0, 1 or 2 minimises

    sum_i v_i (1 - (|x_i - q| / r)^3)^3 (y_i - p(x_i - q))^2

where r is the distance of the `count`-th nearest point (times the square root of `factor`).  Its value and gradient at
q are what a surface is made of.  The compiled loop solves the normal equations, with columns of unit length; where
these are nearly singular, the fit is that of least norm, by singular values of the weighted terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from mercer.config import config
from mercer.engine.pool import run
from mercer.engine.tiles import cuts
from mercer.native import loess as native
from mercer.typing import Array

_LEAST_PIVOT = 1e-8  # of normal equations with unit diagonal: below, digits are lost and singular values are used
_TOLERANCE = 100.0 * np.finfo(float).eps  # singular values below this share of the largest count as 0
_WORK = 4_000_000  # multiplications of one task: about a millisecond
_NONE = np.zeros(0)


@dataclass(frozen=True, eq=False)
class Points:
    """Xt has one row per column of X; a single one ascends.  `count` points are fitted to at each centre."""

    Xt: Array
    weight: Array
    degree: int
    count: int
    factor: float

    @property
    def terms(self) -> int:
        """Coefficients of the polynomial."""
        return terms(len(self.Xt), self.degree)


def terms(columns: int, degree: int) -> int:
    """Coefficients of a polynomial of this degree."""
    return (1, columns + 1, (columns + 1) * (columns + 2) // 2)[degree]


@dataclass(frozen=True, eq=False)
class Centres:
    """Places (m, d), the squared radius of each, and the first of the points that it reaches (0 in several columns)."""

    at: Array
    rho: Array
    start: Array

    @classmethod
    def of(cls, points: Points, at: Array) -> Self:
        """The radii around these places."""
        rho, start = np.empty(len(at)), np.zeros(len(at), dtype=np.intp)
        if len(points.Xt) == 1:
            native.sorted_radii(points.Xt[0], at[:, 0], points.count, points.factor, start, rho)
        else:

            def part(piece: slice) -> None:
                native.squared_radii(points.Xt, at[piece], points.count, points.factor, rho[piece])

            run(part, _pieces(len(at), 4 * points.Xt.size))
        for c in np.flatnonzero(rho <= 0.0):  # `count` points lie on the centre: up to the next one
            distances = ((points.Xt - at[c][:, None]) ** 2).sum(axis=0)
            rho[c] = distances[distances > 0.0].min(initial=np.inf)
            rho[c] = rho[c] if np.isfinite(rho[c]) else 1.0
        return cls(at, rho, start)


@dataclass(frozen=True, eq=False)
class LocalFits:
    """fit (m, d + 1): value and gradient at each centre.

    inverse (m, (d + 1) terms): fit = inverse sum_i w_i t(u_i) y_i, with the terms t of u = (x - q) / r.  noise (m,):
    the sum of l_i^2 / v_i over the weights l of y in the value, if asked for.  n_singular: centres without a
    unique fit.
    """

    centres: Centres
    fit: Array
    inverse: Array
    noise: Array
    n_singular: int


def fit_at(points: Points, y: Array, centres: Centres, *, noise: bool = False) -> LocalFits:
    """The local fits at all centres."""
    m, d, k = len(centres.at), len(points.Xt), points.terms
    fit, inverse, pivot = np.empty((m, d + 1)), np.empty((m, (d + 1) * k)), np.empty(m)
    norms = np.empty(m) if noise else _NONE
    count = points.count if d == 1 else points.Xt.shape[1]

    def part(c: slice) -> None:
        native.local_fits(points.Xt, y, points.weight, points.degree, centres.at[c], centres.rho[c], centres.start[c],
                          count, _LEAST_PIVOT, fit[c], inverse[c], norms[c] if noise else _NONE, pivot[c])  # fmt: skip

    run(part, _pieces(m, count * k * (k + 3) // 2))
    rho, singular = centres.rho, 0
    doubtful = np.flatnonzero(~(pivot > _LEAST_PIVOT))
    if len(doubtful):
        rho = rho.copy()
    for c in doubtful:
        one = _least_norm(points, y, centres.at[c], rho[c])
        rho[c], fit[c], inverse[c] = one.rho, one.fit, one.inverse
        singular += one.deficient
        if noise:
            norms[c] = one.noise
    return LocalFits(Centres(centres.at, rho, centres.start), fit, inverse, norms, singular)


def _pieces(m: int, cost: int) -> list[slice]:
    """Slices of m centres of this cost each; one if there is little to do."""
    tasks = min(4 * config().threads, max(1, m * cost // _WORK))
    return cuts(m, max(1, -(-m // tasks)))


@dataclass(frozen=True, eq=False)
class _Single:
    fit: Array
    inverse: Array
    noise: float
    rho: float
    deficient: bool


def _least_norm(points: Points, y: Array, at: Array, rho: float) -> _Single:
    """The fit of least norm at one centre; the radius doubles until a point within it has a weight."""
    w = local_weights(points, at, rho)
    while not w.any():
        rho = 4.0 * rho
        w = local_weights(points, at, rho)
    some = w > 0.0
    v, w, r = points.weight[some], w[some], np.sqrt(rho)
    U = (points.Xt[:, some].T - at) / r
    U[:, np.ptp(U, axis=0) <= _TOLERANCE] = 0.0  # a column without spread says nothing of its slope
    T = polynomial_terms(U, points.degree)
    B = np.sqrt(w)[:, None] * T
    norms = np.sqrt((B**2).sum(axis=0))
    norms[norms == 0.0] = 1.0
    U, sigma, Vt = np.linalg.svd(B / norms, full_matrices=False)
    kept = sigma > _TOLERANCE * sigma[0]
    V = Vt[kept].T / norms[:, None]
    rows = V / sigma[kept]  # coefficients = rows U' sqrt(w) y
    sides = np.zeros((len(at) + 1, T.shape[1]))
    sides[range(min(sides.shape)), range(min(sides.shape))] = 1.0
    sides[1:] /= r
    fit = sides @ (rows @ (U[:, kept].T @ (np.sqrt(w) * y[some])))
    inverse = sides @ rows @ rows.T
    weights = (sides[0] @ rows @ U[:, kept].T) * np.sqrt(w)
    deficient = len(sigma) < T.shape[1] or not kept.all()
    return _Single(fit, inverse.ravel(), float((weights**2 / v).sum()), rho, deficient)


def local_weights(points: Points, at: Array, rho: float) -> Array:
    """v_i (1 - (|x_i - q| / r)^3)^3, and 0 beyond r."""
    s = ((points.Xt - at[:, None]) ** 2).sum(axis=0) / rho
    return np.asarray(points.weight * np.maximum(1.0 - s * np.sqrt(s), 0.0) ** 3)


def polynomial_terms(U: Array, degree: int) -> Array:
    """(n, terms): 1, every column of U, and for degree 2 the products of two columns, a column with itself first."""
    n, d = U.shape
    found = [np.ones(n)]
    if degree >= 1:
        found += [U[:, a] for a in range(d)]
    if degree == 2:
        found += [U[:, a] * U[:, b] for a in range(d) for b in range(a, d)]
    return np.column_stack(found)
