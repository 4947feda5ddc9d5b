"""The covariance of noisy values of a Gaussian process, as a function of its hyper-parameters.

    M = K + diag(alpha) + noise I,    theta = (hyper-parameters of the kernel, log noise)

`Covariance` is a value: `at(theta)` gives another one.  M is filled tile by tile into one n x n buffer, which the
caller keeps and may use again; derivatives are summed up from tiles, so that no other n x n array is needed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from mercer import parameters
from mercer.engine.fill import require_memory
from mercer.estimators.training_data import Data
from mercer.linalg.cholesky import factorise
from mercer.parameters import LogOrZero, Parameter, Slot, hyper, value
from mercer.solvers.gaussian_process import Conditioned, condition
from mercer.typing import Array


@dataclass(frozen=True)
class Noise:
    """The variance of the noise, a hyper-parameter like those of kernels; 0 means no noise and is never tuned."""

    variance: Parameter = hyper(0.0, LogOrZero)  # noqa: RUF009

    def __post_init__(self) -> None:
        parameters.check(self)

    @property
    def slots(self) -> list[Slot]:
        return parameters.slots(self)

    @property
    def value(self) -> float:
        return float(value(self.variance))


@dataclass(frozen=True, eq=False)
class Covariance:
    """The items under their kernel, the learned noise, and the known noise variance of every item."""

    data: Data
    noise: Noise
    alpha: Array

    def __len__(self) -> int:
        return len(self.data)

    # ---- hyper-parameters

    @property
    def _slots(self) -> list[Slot]:
        return self.data.slots() + self.noise.slots

    @property
    def theta(self) -> Array:
        return np.concatenate([slot.theta for slot in self._slots] or [np.empty(0)])

    @property
    def bounds(self) -> Array:
        return np.vstack([slot.bounds for slot in self._slots] or [np.empty((0, 2))])

    @property
    def names(self) -> list[str]:
        return [name for slot in self.data.slots() for name in slot.names] + ["noise"] * len(self.noise.slots)

    def at(self, theta: Array) -> Self:
        """The same items at other hyper-parameters."""
        theta = np.asarray(theta, dtype=float)
        noise = self.noise
        if noise.slots:
            noise, theta = Noise(noise.slots[0].at(theta[-1:])), theta[:-1]
        return replace(self, noise=noise, data=self.data.at(theta))

    # ---- items

    def take(self, index: Array) -> Self:
        """Only these items."""
        return replace(self, data=self.data.take(index), alpha=self.alpha[index])

    # ---- matrices

    def fill(self, out: Array) -> None:
        """Write M into `out`, both triangles."""
        self.data.gram().fill(out)
        out.flat[:: len(out) + 1] += self.alpha + self.noise.value

    def buffer(self) -> Array:
        """An n x n array for M, if the memory budget allows it."""
        n = len(self)
        require_memory(f"The covariance of {n} items", 8 * n * n, "Fit a sample of them, or raise the budget.")
        return np.empty((n, n))

    def condition(self, Y: Array, H: Array, buffer: Array) -> Conditioned:
        """The posterior given targets Y and a basis H of the mean; `buffer` becomes the Cholesky factor of M."""
        self.fill(buffer)
        return condition(factorise(buffer), Y, H)

    def slope(self, W: Array) -> Array:
        """d/dtheta of sum_ij W_ij M_ij for a symmetric W."""
        return np.concatenate([self.data.slope(W), [np.trace(W) * self.noise.value] * len(self.noise.slots)])

    def moved_products(self, V: Array) -> list[Array]:
        """(dM/dtheta_j) V for every j."""
        return self.data.jvp_products(V) + [self.noise.value * V] * len(self.noise.slots)
