"""The softmax: probabilities of several classes from one function each."""

from __future__ import annotations

from functools import cache

import numpy as np

from mercer.engine.tiles import cuts
from mercer.solvers.losses.logistic import Logistic
from mercer.typing import Array

_POINTS = 1024  # of the softmax average, and as many mirror images
_BATCH = 64  # items whose points are in memory at a time


def log_softmax(F: Array) -> Array:
    """log of exp(f_k) / sum_j exp(f_j), by rows."""
    F = F - F.max(axis=1, keepdims=True)
    return np.asarray(F - np.log(np.exp(F).sum(axis=1, keepdims=True)))


def softmax(F: Array) -> Array:
    """exp(f_k) / sum_j exp(f_j), by rows."""
    P = np.exp(F - F.max(axis=1, keepdims=True))
    P /= P.sum(axis=1, keepdims=True)
    return np.asarray(P)


def average_softmax(mean: Array, covariance: Array) -> Array:
    """(m, C): the integral of softmax(f) over f ~ N(mean_i, covariance_i), means (m, C) and covariances (m, C, C).

    For two classes the logistic function of the difference, to 1e-13.  For more, the mean over a fixed sequence of
    points spread evenly over the Gaussian, each with its mirror image: the same numbers every time, which add up to 1
    and are right to about 1e-4 for three classes, 1e-3 for ten.
    """
    if mean.shape[1] == 2:
        spread = covariance[:, 0, 0] + covariance[:, 1, 1] - 2.0 * covariance[:, 0, 1]
        p = Logistic().average(mean[:, 0] - mean[:, 1], np.maximum(spread, 0.0))
        return np.column_stack([p, 1.0 - p])
    points, out = _even_points(mean.shape[1]), np.empty_like(mean)
    for r in cuts(len(mean), _BATCH):
        F = mean[r, None, :] + points @ np.swapaxes(_root_of_contrasts(covariance[r]), 1, 2)
        F -= F.max(axis=2, keepdims=True)
        np.exp(F, out=F)
        F /= F.sum(axis=2, keepdims=True)
        out[r] = F.mean(axis=1)
    return out


def _root_of_contrasts(covariance: Array) -> Array:
    """R with R R' the covariance of f minus its mean over classes, which is all that matters; widest axis first."""
    C = covariance - covariance.mean(axis=1, keepdims=True)
    C -= C.mean(axis=2, keepdims=True)
    values, V = np.linalg.eigh(C)
    return np.asarray((V * np.sqrt(np.maximum(values, 0.0))[:, None, :])[:, :, ::-1])


@cache
def _even_points(d: int) -> Array:
    """Normal points from Sobol's sequence, and their mirror images."""
    from scipy.special import ndtri
    from scipy.stats.qmc import Sobol

    Z = ndtri(Sobol(d, scramble=False).random(_POINTS) + 0.5 / _POINTS)
    return np.vstack([Z, -Z])
