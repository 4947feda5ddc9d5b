"""From scores back to rows: an item of the input space whose scores are about those that are given.

ridge         a kernel ridge regression of the rows on their scores, with a kernel of its own.  Scores have another
              scale than rows, so that the kernel of the rows would be far too narrow or too wide for them.
fixed point   for the Gaussian kernel: the row whose feature vector is nearest to the point that the scores name.
              With P = sum_i g_i phi(x_i), g = A y + 1/n, a maximum of <phi(z), P> obeys
              z = sum_i g_i k(z, x_i) x_i / sum_i g_i k(z, x_i), which is iterated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.engine.interrupts import interrupted
from mercer.estimators.ridge.kernel_ridge_cv import KernelRidgeCV
from mercer.kernels import RBF, Fixed, Kernel, Linear
from mercer.typing import Array

ROWS = 2000  # that the regression learns from; of more, a sample
_WIDTHS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)  # of the spread of the scores
_ALPHAS = tuple(10.0**p for p in range(-6, 3))
_STARTS = 3  # items with the nearest scores, from which a fixed point is looked for
_STEPS = 200
_STILL = 1e-9  # change of a row, in units of the spread of the rows, at which it is taken for a fixed point


def ridge_of(scores: Array, X: Array, alpha: float | None, seed: int) -> KernelRidgeCV:
    """The regression of rows on scores, its kernel and alpha those of least leave-one-out error; alpha if given."""
    some = np.sort(np.random.default_rng(seed).permutation(len(X))[:ROWS])
    spread = float(np.sqrt(2.0 * scores[some].var(axis=0).sum())) or 1.0
    kernels: list[Kernel] = [Fixed(spread**-2.0) * Linear(), *(RBF(spread * width) for width in _WIDTHS)]
    return KernelRidgeCV(kernels, _ALPHAS if alpha is None else (alpha,), fit_intercept=True).fit(scores[some], X[some])


def fixed_points(values: Callable[[Array], Array], X: Array, G: Array, starts: Array) -> Array:
    """For every row g of G the best fixed point from its rows starts[:, i], where values(Z) = k(Z, X)."""
    best, height = X[starts[0]].copy(), np.full(len(G), -np.inf)
    for rows in starts:
        Z = _climbed(values, X, G, X[rows].copy())
        reached = np.sum(G * values(Z), axis=1)
        higher = reached > height
        best[higher], height[higher] = Z[higher], reached[higher]
    return np.asarray(best)


def _climbed(values: Callable[[Array], Array], X: Array, G: Array, Z: Array) -> Array:
    """The rows Z after steps of the iteration, each until it moves no more, or has no weight to move by."""
    unit = max(float(np.sqrt(X.var(axis=0).sum())), np.finfo(float).tiny)
    moving = np.arange(len(Z))
    for _ in range(_STEPS):
        if not len(moving) or interrupted():
            break
        W = G[moving] * values(Z[moving])
        mass = W.sum(axis=1)
        usable = mass > 1e-12 * np.abs(W).sum(axis=1)
        moving, W = moving[usable], W[usable] / mass[usable, None]
        new = W @ X
        moved = np.linalg.norm(new - Z[moving], axis=1) > _STILL * unit
        Z[moving] = new
        moving = moving[moved]
    return Z


def nearest(scores: Array, Y: Array) -> Array:
    """(starts, rows of Y): the training items whose scores are nearest to each y."""
    from sklearn.neighbors import NearestNeighbors

    count = min(_STARTS, len(scores))
    return np.asarray(NearestNeighbors(n_neighbors=count).fit(scores).kneighbors(Y, return_distance=False)).T


def is_gaussian(kernel: Any) -> bool:
    """Whether fixed points exist in closed form."""
    return isinstance(kernel, RBF)
