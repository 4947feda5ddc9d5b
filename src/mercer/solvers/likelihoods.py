"""What a label says about a latent number f: p(y | f) for y = -1 or +1, a function of the margin z = y f.

    log(z)           log p
    slope(z)         d log p / dz
    curvature(z)     -d^2 log p / dz^2 > 0: log p is concave
    skew(z)          -d log curvature / dz, which is the third derivative of log p over its curvature
    average(m, v)    the integral of p(+1 | f) over f ~ N(m, v)

Everything is elementwise and keeps its digits for large |z|.
"""

from __future__ import annotations

from functools import cache
from typing import Protocol

import numpy as np

from mercer.engine.tiles import cuts
from mercer.typing import Array

_NODES = 40  # of Gauss-Hermite: exact to 1e-15 while a standard deviation is at most 1
_STEP, _REACH = 0.6, 38.0  # of the grid for larger ones: 1e-14, as exp(-2 pi^2 / _STEP); exp(-_REACH) is below rounding
_PROBIT = np.sqrt(8.0 / np.pi)  # Phi(f / _PROBIT) has the slope of the logistic function at 0
_POINTS = 1024  # of the softmax average, and as many mirror images
_BATCH = 64  # items whose points are in memory at a time


class Likelihood(Protocol):
    """What the Laplace approximation asks of the likelihood of two classes."""

    def log(self, z: Array) -> Array: ...

    def slope(self, z: Array) -> Array: ...

    def curvature(self, z: Array) -> Array: ...

    def skew(self, z: Array) -> Array: ...

    def average(self, mean: Array, variance: Array) -> Array: ...


class Logistic:
    """p = 1 / (1 + exp(-z))."""

    def log(self, z: Array) -> Array:
        return np.asarray(-np.logaddexp(0.0, -z))

    def slope(self, z: Array) -> Array:
        from scipy.special import expit

        return np.asarray(expit(-z))

    def curvature(self, z: Array) -> Array:
        from scipy.special import expit

        return np.asarray(expit(z) * expit(-z))

    def skew(self, z: Array) -> Array:
        return np.asarray(np.tanh(0.5 * z))

    def average(self, mean: Array, variance: Array) -> Array:
        """To 1e-13, by one of two sums.

        Gauss-Hermite is exact while f hardly leaves the strip where the function is smooth.  For wide Gaussians the
        function is split into Phi(f / c), whose integral is known, and a remainder that vanishes exponentially on both
        sides; the trapezoidal rule on a fixed grid has the rest.
        """
        mean, variance = np.broadcast_arrays(np.asarray(mean, dtype=float), np.asarray(variance, dtype=float))
        out, wide = np.empty(mean.shape), variance > 1.0
        out[~wide] = _by_hermite(mean[~wide], variance[~wide])
        out[wide] = _by_grid(mean[wide], variance[wide])
        return out


def _by_hermite(mean: Array, variance: Array) -> Array:
    from scipy.special import expit

    nodes, weights = _hermite()
    return np.asarray(expit(mean[:, None] + np.sqrt(variance)[:, None] * nodes) @ weights)


@cache
def _hermite() -> tuple[Array, Array]:
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    return nodes, weights / weights.sum()


def _by_grid(mean: Array, variance: Array) -> Array:
    from scipy.special import expit, ndtr

    grid = np.arange(-_REACH, _REACH + _STEP, _STEP)
    remainder = expit(grid) - ndtr(grid / _PROBIT)
    density = np.exp(-0.5 * (grid - mean[:, None]) ** 2 / variance[:, None]) / np.sqrt(2.0 * np.pi * variance)[:, None]
    return np.asarray(ndtr(mean / np.sqrt(_PROBIT**2 + variance)) + _STEP * density @ remainder)


class Probit:
    """p = Phi(z), the distribution function of the normal law."""

    def log(self, z: Array) -> Array:
        from scipy.special import log_ndtr

        return np.asarray(log_ndtr(z))

    def slope(self, z: Array) -> Array:
        """phi(z) / Phi(z), by the scaled complementary error function: no quotient of two tiny numbers."""
        from scipy.special import erfcx

        with np.errstate(over="ignore"):
            return np.asarray(np.sqrt(2.0 / np.pi) / erfcx(-z / np.sqrt(2.0)))

    def curvature(self, z: Array) -> Array:
        r = self.slope(z)
        return np.asarray(np.clip(r * (r + z), 0.0, 1.0))

    def skew(self, z: Array) -> Array:
        """With r the slope, r' = -r (r + z): -d log(r (r + z)) = 2 r + z - 1 / (r + z)."""
        r = self.slope(z)
        return np.asarray(2.0 * r + z - 1.0 / (r + z))

    def average(self, mean: Array, variance: Array) -> Array:
        """Phi(m / sqrt(1 + v)), exactly."""
        from scipy.special import ndtr

        return np.asarray(ndtr(mean / np.sqrt(1.0 + variance)))


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
