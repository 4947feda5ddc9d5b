"""Sums of Gaussian windows over points by a grid and Fourier transforms, with a bound of the error at every query.

The weight of each point goes to four nodes along every column, by Lagrange's cubics; the sum at all nodes is a
convolution; values between nodes come from the same cubics.  With nodes d bandwidths apart, cubics replace a smooth
function g with an error of at most 9/384 d^4 max |g''''|.  The fourth derivative of exp(-u^2 / 2) is at most
(u^4 + 6 u^2 + 3) exp(-u^2 / 2), so that a second convolution bounds the error at every place, tails included.  Where
the bound is not small enough, which is where points are rare, the caller uses the tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy import fft

from mercer.config import config
from mercer.engine.pool import run
from mercer.native import cubic_grid
from mercer.typing import Array

if TYPE_CHECKING:
    from mercer.solvers.density.mixture import Mixture

_CUBIC = 9.0 / 384.0
_LEBESGUE = 1.25  # the largest sum of absolute weights of four nodes
_SLACK = 60.0  # bounds are so much larger than an error without tails: the step is made so much finer
_MARGIN = 4.0  # bandwidths around the points that the grid covers
_ROUNDING = 2e-15  # of a Fourier transform, relative to its largest value
_LARGEST = 2**22  # nodes of a grid
_POWERS = np.array([[0, -1 / 3, 1 / 2, -1 / 6], [1, -1 / 2, -1, 1 / 2], [0, 1, 1 / 2, -1 / 2], [0, -1 / 6, 0, 1 / 6]])


@dataclass(frozen=True, eq=False)
class Frame:
    """A grid: its first node, nodes per unit and number of nodes along each column, and the step in bandwidths."""

    origin: Array
    per_step: Array
    sizes: Array
    step: float
    cut: float  # bandwidths beyond which the window counts as 0

    @property
    def nodes(self) -> int:
        """Of the whole grid."""
        return int(np.prod(self.sizes.astype(np.float64)))


def frame_for(mixture: Mixture, rtol: float) -> Frame | None:
    """The grid for a relative error; None if it would have too many nodes."""
    D = mixture.columns
    step = float((rtol / (_SLACK * _factor(D) * D)) ** 0.25)
    cut = float(np.sqrt(-2.0 * np.log(1e-8 * rtol)))
    low, high = mixture.box
    with np.errstate(over="ignore"):
        sizes = (high - low) / (mixture.scale * step) + 2.0 * _MARGIN / step + 5.0
    if not np.prod(sizes) <= _LARGEST:
        return None
    origin = low - _MARGIN * mixture.scale - 2.0 * step * mixture.scale
    return Frame(origin, 1.0 / (mixture.scale * step), sizes.astype(np.intp), step, cut)


def _factor(columns: int) -> float:
    """The error of both interpolations along one column, in units of d^4 max |g''''|."""
    return float(_CUBIC * (1.0 + _LEBESGUE) * _LEBESGUE ** (2 * (columns - 1)))


@dataclass(frozen=True, eq=False)
class Table:
    """The sums at the nodes of a grid, and bounds of the errors beside them."""

    frame: Frame
    values: Array
    bounds: Array
    floor: float  # error of rounding and of the cut

    @classmethod
    def make(cls, mixture: Mixture, frame: Frame) -> Table:
        """Spread the points, and convolve."""
        sizes, D = frame.sizes, mixture.columns
        half = int(frame.cut / frame.step) + 1
        lengths = [fft.next_fast_len(int(size) + half, real=True) for size in sizes]
        threads = config().threads if frame.nodes > 2**16 else 1
        spectrum = fft.rfftn(_spread(mixture, frame), lengths, workers=threads, overwrite_x=True)
        plain, steep = zip(*(_windows(n, half, frame.step, d == D - 1) for d, n in enumerate(lengths)), strict=True)
        inside = tuple(slice(0, int(size)) for size in sizes)
        values = fft.irfftn(spectrum * _outer(plain), lengths, workers=threads)[inside]
        fourth = sum(_outer([steep[d] if d == j else plain[d] for d in range(D)]) for j in range(D))
        bounds = fft.irfftn(spectrum * fourth, lengths, workers=threads)[inside]
        scale = _factor(D) * frame.step**4
        floor = _ROUNDING * float(values.max()) + np.exp(-0.5 * frame.cut**2)
        return cls(frame, np.ascontiguousarray(values).ravel(), np.ascontiguousarray(bounds).ravel() * scale, floor)

    def read(self, Q: Array) -> tuple[Array, Array]:
        """Sums at the rows of Q, and bounds of their errors: infinite outside of the grid."""
        f, sums, errors = self.frame, np.empty(len(Q)), np.empty(len(Q))

        def some(part: slice) -> None:
            cubic_grid.read(Q[part], f.origin, f.per_step, f.sizes, self.values, sums[part])
            cubic_grid.read(Q[part], f.origin, f.per_step, f.sizes, self.bounds, errors[part])

        run(some, parts_for_threads(len(Q)))
        last = f.origin + (f.sizes - 2) / f.per_step
        outside = ((f.origin + 1.0 / f.per_step > Q) | (last < Q)).any(axis=1)
        errors = np.abs(errors) + self.floor
        errors[outside] = np.inf
        return sums, errors


def parts_for_threads(n: int) -> list[slice]:
    """One part for each thread, of 4096 rows or more."""
    count = max(min(config().threads, n // 4096), 1)
    edges = np.linspace(0, n, count + 1).astype(int)
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]


def _spread(mixture: Mixture, frame: Frame) -> Array:
    """The weights of the points on the nodes; every thread has a grid of its own."""
    X, one = mixture.rows, mixture.columns == 1
    parts = parts_for_threads(len(X))
    shape = (len(parts), int(frame.sizes[0]), 4) if one else (len(parts), frame.nodes)
    grids = np.zeros(shape)
    weight = np.empty(0) if mixture.weight is None else mixture.weight

    def some(k: int) -> None:
        w = weight[parts[k]]
        if one:
            x = X[parts[k], 0]
            cubic_grid.bin_moments(x, w, float(frame.origin[0]), float(frame.per_step[0]), grids[k])
        else:
            cubic_grid.spread(X[parts[k]], w, frame.origin, frame.per_step, frame.sizes, grids[k])

    run(some, range(len(parts)))
    total = grids.sum(axis=0) if len(parts) > 1 else grids[0]
    if mixture.weight is None:
        total /= len(X)
    return _from_moments(total) if one else total.reshape(tuple(frame.sizes))


def _from_moments(moments: Array) -> Array:
    """The weights of nodes from sums of 1, t, t^2, t^3 over bins: Lagrange's weights are cubics of t."""
    weights = moments @ _POWERS.T
    nodes = weights[:, 1].copy()
    nodes[:-1] += weights[1:, 0]
    nodes[1:] += weights[:-1, 2]
    nodes[2:] += weights[:-2, 3]
    return np.asarray(nodes)


def _windows(length: int, half: int, step: float, last: bool) -> tuple[Array, Array]:
    """Transforms of the window and of a bound of its fourth derivative, along one column of a circular grid.

    The bound holds for all places within two nodes.
    """
    u = np.minimum(np.arange(length), length - np.arange(length)) * step
    u = np.where(u <= (half + 1) * step, u, np.inf)
    v = np.where(np.isfinite(u), u, 0.0)
    window = np.exp(-0.5 * u**2)
    near = np.exp(-0.5 * np.maximum(v - 2.0 * step, 0.0) ** 2) * np.isfinite(u)
    steep = (v**4 + 6.0 * v**2 + 3.0) * near
    if last:
        return fft.rfft(window), fft.rfft(steep)
    return fft.fft(window), fft.fft(steep)


def _outer(transforms: list[Array] | tuple[Array, ...]) -> Array:
    """The product of transforms along each column; they are real, for windows are symmetric."""
    found = transforms[0].real
    for t in transforms[1:]:
        found = found[..., None] * t.real
    return found
