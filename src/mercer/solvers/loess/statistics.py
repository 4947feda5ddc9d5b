"""The traces of the smoother L, f = L y, that degrees of freedom and the scale of residuals are made of.

    trace = tr L,   delta1 = tr (I - L)(I - L)',   delta2 = tr [(I - L)(I - L)']^2

E |y - f|^2 = sigma^2 delta1 up to bias, and delta1^2 / delta2 degrees of freedom match the first two moments.

Exact: L = B Lambda has rank r, the numbers of the vertices, far below n.  With K = Lambda B, H = B'B and G = Lambda
Lambda',

    |L|^2 = tr GH,   delta1 = n - 2 tr K + tr GH
    delta2 = n - 4 tr K + 4 tr GH + 2 tr K^2 - 4 tr KGH + tr (GH)^2

in O(n r^2).  Approximate: delta1 and delta2 by a formula in trace, n, degree and columns whose constants Cleveland and
Devlin (J. Am. Stat. Assoc. 83, 1988) fitted to many designs; the constants are those of the netlib routines dloess.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.solvers.loess.boxes import Boxes
from mercer.solvers.loess.local_fits import LocalFits, Points, terms
from mercer.solvers.loess.surface import blending, panels
from mercer.typing import Array

# (delta1 or delta2, degree 1 or 2, columns 1 to 4, three constants)
_CONSTANTS = np.array([
    .2971620, .3802660, .5886043, .4263766, .3346498, .6271053, .5241198, .3484836, .6687687, .6338795, .4076457,
    .7207693, .1611761, .3091323, .4401023, .2939609, .3580278, .5555741, .3972390, .4171278, .6293196, .4675173,
    .4699070, .6674802, .2848308, .2254512, .2914126, .5393624, .2517230, .3898970, .7603231, .2969113, .4740130,
    .9664956, .3629838, .5348889, .2075670, .2822574, .2369957, .3911566, .2981154, .3623232, .5508869, .3501989,
    .4371032, .7002667, .4291632, .4930370,
]).reshape(2, 2, 4, 3)  # fmt: skip
# a correction: knots, values and slopes of a piecewise cubic on [0, 1]
_KNOTS = np.array([-.005, .1204, .2017, .2815, .3705, .4536, .5591, .7132, .8751, 1.005])  # fmt: skip
_VALUES = np.array([-9.0572e-2, 9.5807e-2, 2.6152e-2, -3.1926e-2, -5.3718e-2, -6.4170e-2, -5.8387e-2, -2.0636e-2,
                    4.0172e-2, -1.0856e-2])  # fmt: skip
_SLOPES = np.array([4.4844, -.7978, -.7286, -.4457, -.3495, 3.2813e-2, .1611, .3350, -4.1032e-2, -.7736])  # fmt: skip


@dataclass(frozen=True)
class Traces:
    """tr L, delta1 and delta2."""

    trace: float
    delta1: float
    delta2: float


def interpolated_trace(boxes: Boxes, points: Points, fits: LocalFits) -> float:
    """tr L of an interpolated surface at its own points."""
    total = 0.0
    for piece, Lambda in panels(points, fits):
        rows = blending(boxes, np.ascontiguousarray(points.Xt[:, piece].T))
        places = np.arange(Lambda.shape[1])[:, None]
        total += float((rows.coef * Lambda[rows.index, places]).sum())
    return total


def interpolated_traces(boxes: Boxes, points: Points, fits: LocalFits) -> Traces:
    """All traces of an interpolated surface, exactly."""
    n, r = points.Xt.shape[1], fits.fit.size
    K, H, G = np.zeros((3, r, r))
    for piece, Lambda in panels(points, fits):
        B = blending(boxes, np.ascontiguousarray(points.Xt[:, piece].T)).sparse(r)
        K += (B.T @ Lambda.T).T
        H += (B.T @ B).toarray()
        G += Lambda @ Lambda.T
    GH = G @ H
    trace, size = float(np.trace(K)), float(np.trace(GH))
    delta2 = n - 4.0 * trace + 4.0 * size + 2.0 * np.sum(K * K.T) - 4.0 * np.sum(K * GH.T) + np.sum(GH * GH.T)
    return Traces(trace, n - 2.0 * trace + size, float(delta2))


def dense_traces(L: Array) -> Traces:
    """All traces of a smoother that is stored; overwrites it."""
    n, trace = len(L), float(np.trace(L))
    L[np.diag_indices(n)] -= 1.0
    M = L @ L.T
    return Traces(trace, float(np.trace(M)), float(np.sum(M * M)))


def approximate_trace(columns: int, degree: int, span: float) -> float:
    """tr L by a formula in span, columns and degree; degree 0 counts as 1."""
    reach = (0.13 - 0.08125 * columns) * columns + 1.05
    return terms(columns, max(degree, 1)) * (1.0 + max(0.0, (reach - span) / span))


def approximate_traces(trace: float, n: int, columns: int, degree: int) -> Traces:
    """delta1 and delta2 by the formula; degree 0 counts as 1."""
    degree = max(degree, 1)
    least = terms(columns, degree)
    share = np.sqrt(least / n)
    z = float(np.clip((np.sqrt(least / max(trace, 1e-300)) - share) / (1.0 - share), 0.0, 1.0)) if least < n else 0.0
    correction = np.exp(_cubic(z))
    deltas = []
    for table in _CONSTANTS:
        c = table[degree - 1, min(columns, 4) - 1]
        if columns > 4:  # the constants of 3 and 4 columns, continued
            c = c + (columns - 4) * (c - table[degree - 1, 2])
        deltas.append(float(n - trace * np.exp(c[0] * z ** c[1] * (1.0 - z) ** c[2] * correction)))
    return Traces(trace, *deltas)


def _cubic(z: float) -> float:
    """The correction at z."""
    i = min(max(int(np.searchsorted(_KNOTS, z)) - 1, 0), len(_KNOTS) - 2)
    width = _KNOTS[i + 1] - _KNOTS[i]
    h = (z - _KNOTS[i]) / width
    level = (1.0 - h) ** 2 * (1.0 + 2.0 * h) * _VALUES[i] + h**2 * (3.0 - 2.0 * h) * _VALUES[i + 1]
    return float(level + (h * (1.0 - h) ** 2 * _SLOPES[i] - h**2 * (1.0 - h) * _SLOPES[i + 1]) * width)
