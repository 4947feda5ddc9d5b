"""Botev's improved Sheather-Jones bandwidth, by a fixed point of heat flow.

The density estimate with a Gaussian window of variance t solves the heat equation, and on an interval with reflecting
ends it is a series of cosines.  With a_k the coefficients of the binned data, on an interval of length 1,

    |f^(s)|^2 = 2 pi^(2 s) sum_k k^(2 s) (a_k / 2)^2 exp(-k^2 pi^2 t)

The best t for the density itself needs |f''|^2, whose best t needs |f'''|^2, and so on:

    t_s = ((1 + 2^(-s - 1/2)) / 3 * 2 * 1 * 3 ... (2 s - 1) / (sqrt(2 pi) n |f^(s+1)|^2))^(2 / (3 + 2 s))

Seven such stages that begin and end at the same t make an equation for t, without a normal reference.

Z. I. Botev, J. F. Grotowski, D. P. Kroese (2010), Kernel density estimation via diffusion, Annals of Statistics 38.
"""

from __future__ import annotations

import numpy as np
from scipy.fft import dct

from mercer.solvers.bandwidth.binned import GAP, binned, shortened
from mercer.solvers.bandwidth.roots import largest_root
from mercer.solvers.bandwidth.scale import narrow_scale
from mercer.typing import Array

_STAGES = 7
_FIRST_BINS, _MOST_BINS = 2**12, 2**16
_FINE = 20.0  # grid steps in a bandwidth, at least
_MARGIN = 0.5  # of the range of the data, at either end of the grid
_TINY = 1e-200  # its powers are numbers too
_SMALLEST = 0.5  # grid steps: no root is looked for below


def isj(x: Array, weight: Array, size: float) -> float | None:
    """The bandwidth of one column, or None if the equation has no root: the sample is too small."""
    x = shortened(x, GAP * narrow_scale(x, weight, size))
    size = min(size, float(len(np.unique(x))))  # ties are no evidence of a spike at every value
    bins, span = _FIRST_BINS, float(x.max()) * (1.0 + 2.0 * _MARGIN)
    while True:
        step = span / bins
        count = binned(x + (_MARGIN * float(x.max()) - step / 2.0), weight, step, bins)  # at the middles of cells
        root = _fixed_point((dct(count) / 2.0)[1:] ** 2, size, _SMALLEST / bins)
        if bins >= _MOST_BINS or (root is not None and root >= _FINE / bins):
            return None if root is None else root * span
        bins *= 4


def _fixed_point(squares: Array, size: float, smallest: float) -> float | None:
    """The largest h with h^2 = t_1(h^2), as a part of the grid; `squares` are (a_k / 2)^2 for k = 1, 2, ..."""
    k2 = np.arange(1, len(squares) + 1, dtype=np.float64) ** 2
    kept = squares > 0.0

    def excess(log_h: float) -> float:
        return float(2.0 * log_h - np.log(_last_stage(np.exp(2.0 * log_h), k2[kept], squares[kept], size)))

    return largest_root(excess, float(np.log(smallest)), 0.0)


def _last_stage(t: float, k2: Array, squares: Array, size: float) -> float:
    norm = _norm(_STAGES, t, k2, squares)
    for s in range(_STAGES - 1, 1, -1):
        odd = float(np.prod(np.arange(1.0, 2 * s, 2.0))) / np.sqrt(2.0 * np.pi)
        part = (1.0 + 0.5 ** (s + 0.5)) / 3.0
        norm = _norm(s, (2.0 * part * odd / (size * norm)) ** (2.0 / (3.0 + 2.0 * s)), k2, squares)
    return float((2.0 * size * np.sqrt(np.pi) * norm) ** -0.4)


def _norm(s: int, t: float, k2: Array, squares: Array) -> float:
    """|f^(s)|^2 of the estimate with variance t; a tiny number where that underflows."""
    reach = int(np.searchsorted(k2, 750.0 / (np.pi**2 * t))) + 1 if t > 0.0 else len(k2)
    k2, squares = k2[:reach], squares[:reach]
    total = float((k2**s * squares) @ np.exp(-k2 * (np.pi**2 * t)))
    return max(2.0 * np.pi ** (2 * s) * total, _TINY)
