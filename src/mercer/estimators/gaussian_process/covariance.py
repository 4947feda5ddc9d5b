"""The covariance of noisy values of a Gaussian process, as a function of its hyper-parameters.

    M = K + diag(alpha) + noise I,    theta = (hyper-parameters of the kernel, log noise)

`Covariance` is a value: `at(theta)` gives another one.  Matrices are filled tile by tile into a buffer the caller owns,
and derivatives are folded from tiles, so that the buffer is all the memory there is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from mercer import parameters
from mercer.estimators.training_data import Data
from mercer.parameters import LogOrZero, Parameter, Slot, hyper, value
from mercer.typing import Array


@dataclass(frozen=True)
class Noise:
    """The variance of the noise, a hyper-parameter like those of kernels; 0 is none and stays so."""

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
        return np.vstack([np.empty((0, 2)), *(slot.bounds for slot in self._slots)])

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

    def slope(self, weights: Callable[[slice, slice], Array], trace: float) -> Array:
        """d/dtheta of sum_ij W_ij M_ij from tiles of W under the diagonal (off it counted twice) and its trace."""
        return np.concatenate([self.data.slope(weights), [trace * self.noise.value] * len(self.noise.slots)])

    def moved_products(self, V: Array) -> list[Array]:
        """(dM/dtheta_j) V for every j."""
        return self.data.jvp_products(V) + [self.noise.value * V] * len(self.noise.slots)
