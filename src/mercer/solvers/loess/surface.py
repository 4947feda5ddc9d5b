"""Surfaces: values at any place, and the weights that each y has in them.

Interpolated   fits at the vertices of boxes; between them, cubics that have their values and gradients (blended over
               the sides of a box in two columns, tensor products in more).  A value is a sum b'c of a few numbers c of
               the vertices, and c = Lambda y.  So l(x) = Lambda' b(x), and |l(x)|^2 = b' (Lambda Lambda') b.
Direct         a fit at every place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.engine.pool import run
from mercer.engine.tiles import cuts
from mercer.native import loess as native
from mercer.solvers.loess.boxes import Boxes
from mercer.solvers.loess.local_fits import Centres, LocalFits, Points, fit_at
from mercer.typing import Array

_PANEL = 2048  # points whose weights are held at a time
_ROWS = 2500  # places of one task of blending: 0.1 ms


def blended(boxes: Boxes, numbers: Array, Z: Array) -> Array:
    """Values at the rows of Z from value and gradient at every vertex."""
    out, parts = np.empty(len(Z)), boxes.arrays()

    def part(rows: slice) -> None:
        native.blended_values(*parts, Z[rows], numbers, out[rows])

    run(part, cuts(len(Z), _ROWS) if len(Z) > 2 * _ROWS else [slice(None)])
    return out


@dataclass(frozen=True, eq=False)
class Rows:
    """b(x) for some places: coef (m, width) times the numbers `index` (m, width) of the vertices."""

    index: Array
    coef: Array

    def sparse(self, size: int) -> Any:
        """(m, size) in compressed rows."""
        from scipy.sparse import csr_array

        m, width = self.index.shape
        starts = np.arange(0, m * width + 1, width)
        found = csr_array((self.coef.ravel(), self.index.ravel(), starts), shape=(m, size))
        found.sum_duplicates()
        return found


def blending(boxes: Boxes, Z: Array) -> Rows:
    """b(x) at the rows of Z."""
    width = native.width(Z.shape[1])
    rows = Rows(np.empty((len(Z), width), dtype=np.intp), np.empty((len(Z), width)))
    native.blend(*boxes.arrays(), Z, rows.index, rows.coef)
    return rows


def operator(points: Points, fits: LocalFits, piece: slice = slice(None)) -> Array:
    """Lambda: (centres (d + 1), points of the piece), the weights of y in value and gradient at every centre."""
    Xt = np.ascontiguousarray(points.Xt[:, piece])
    out = np.empty((fits.fit.size, Xt.shape[1]))
    native.operator_rows(Xt, points.weight[piece], points.degree, fits.centres.at, fits.centres.rho, fits.inverse, out)
    return out


def panels(points: Points, fits: LocalFits) -> Iterator[tuple[slice, Array]]:
    """Lambda for some points after the other."""
    for piece in cuts(points.Xt.shape[1], _PANEL):
        yield piece, operator(points, fits, piece)


def interpolated_noise(boxes: Boxes, points: Points, fits: LocalFits, Z: Array) -> Array:
    """sum_i l_i(x)^2 / v_i at the rows of Z: the variance of a value, in units of that of a y of weight 1."""
    G = np.zeros((fits.fit.size, fits.fit.size))
    for piece, Lambda in panels(points, fits):
        G += (Lambda * _inverse(points.weight[piece])) @ Lambda.T
    out = np.empty(len(Z))
    for some in cuts(len(Z), _PANEL):
        rows = blending(boxes, Z[some])
        native.sparse_quadratics(rows.index, rows.coef, G, out[some])
    return out


def interpolated_weights(boxes: Boxes, points: Points, fits: LocalFits, Z: Array) -> Array:
    """(m, n): l(x) at the rows of Z."""
    B = blending(boxes, Z).sparse(fits.fit.size)
    return np.hstack([B @ Lambda for _, Lambda in panels(points, fits)])


def direct(points: Points, y: Array, Z: Array, *, noise: bool = False) -> LocalFits:
    """A fit at every row of Z."""
    return fit_at(points, y, Centres.of(points, np.ascontiguousarray(Z)), noise=noise)


def direct_weights(points: Points, fits: LocalFits) -> Array:
    """(m, n): the weights of y in the value at every centre."""
    side = len(points.Xt) + 1
    return np.hstack([Lambda[::side] for _, Lambda in panels(points, fits)])


def _inverse(weight: Array) -> Array:
    """1 / v, and 0 for points without a weight, whose l is 0."""
    return np.divide(1.0, weight, out=np.zeros_like(weight), where=weight > 0.0)
