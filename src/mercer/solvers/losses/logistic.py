"""The loss of logistic regression: minus the log probability of a class when its log odds are f."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from mercer.solvers.losses.protocol import Smooth, entropy, within
from mercer.typing import Array

_LN2 = float(np.log(2.0))
_NODES = 40  # of Gauss-Hermite: exact to 1e-15 while a standard deviation is at most 1
_STEP, _REACH = 0.6, 38.0  # of the grid for larger ones: 1e-14, as exp(-2 pi^2 / _STEP); exp(-_REACH) is below rounding
_PROBIT = np.sqrt(8.0 / np.pi)  # Phi(f / _PROBIT) has the slope of the logistic function at 0


@dataclass(frozen=True)
class Logistic(Smooth):
    """log(1 + exp(-z)), in units of log 2 (bits) when `bits`: only then is it at least the 0/1 loss."""

    margin: ClassVar[bool] = True

    bits: bool = False

    @property
    def unit(self) -> float:
        """What one unit of this loss is in natural logarithms."""
        return _LN2 if self.bits else 1.0

    def value(self, z: Array) -> Array:
        return np.asarray(np.logaddexp(0.0, -z) / self.unit)

    def slope(self, z: Array) -> Array:
        from scipy.special import expit

        return np.asarray(-expit(-z) / self.unit)

    def curvature(self, z: Array) -> Array:
        from scipy.special import expit

        return np.asarray(expit(z) * expit(-z) / self.unit)  # 1 - expit(z) would lose the digits of a small value

    def skew(self, z: Array) -> Array:
        return np.asarray(np.tanh(0.5 * z))

    def conjugate(self, u: Array) -> Array:
        p = np.clip(-u * self.unit, 0.0, 1.0)
        return within(u, -1.0 / self.unit, 0.0, (entropy(p) + entropy(1.0 - p)) / self.unit)

    def average(self, mean: Array, variance: Array) -> Array:
        """The integral of 1 / (1 + exp(-f)) over f ~ N(mean, variance), to 1e-13 by one of two sums.

        Gauss-Hermite is accurate for a standard deviation of at most 1.  For wider Gaussians the function is split into
        Phi(f / c), whose integral is known, and a remainder that vanishes exponentially on both sides and is summed by
        the trapezoidal rule on a fixed grid.
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
