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
from mercer.engine.fill import fold_rows, require_memory
from mercer.estimators.training_data import Data, GivenGram, KernelItems
from mercer.gram import LazyGram
from mercer.kernels.base import gram_of
from mercer.linalg.cholesky import factorise
from mercer.parameters import LogOrZero, Parameter, Slot, hyper, value
from mercer.solvers.gaussian_process import Conditioned, condition
from mercer.typing import Array

_STEP = 1e-3  # in theta, for kernels whose derivatives are taken by differences


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
        own = self.data.kernel.slots() if isinstance(self.data, KernelItems) else []
        return own + self.noise.slots

    @property
    def theta(self) -> Array:
        return np.concatenate([slot.theta for slot in self._slots] or [np.empty(0)])

    @property
    def bounds(self) -> Array:
        return np.vstack([slot.bounds for slot in self._slots] or [np.empty((0, 2))])

    @property
    def names(self) -> list[str]:
        own = self.data.kernel.theta_names if isinstance(self.data, KernelItems) else []
        return own + ["noise"] * len(self.noise.slots)

    def at(self, theta: Array) -> Self:
        """The same items at other hyper-parameters."""
        theta = np.asarray(theta, dtype=float)
        noise, data = self.noise, self.data
        if noise.slots:
            noise, theta = Noise(noise.slots[0].at(theta[-1:])), theta[:-1]
        if isinstance(data, KernelItems):
            kernel = data.kernel.with_theta(theta)
            data = KernelItems(kernel, data.items, kernel.prepare(data.items))
        return replace(self, noise=noise, data=data)

    # ---- items

    def take(self, index: Array) -> Self:
        """Only these items."""
        if isinstance(self.data, KernelItems):
            kept: Data = self.data.keep(index)
        else:
            K = self.data.gram().sub(index).dense()
            kept = GivenGram(K, len(index), np.arange(len(index)))
        return replace(self, data=kept, alpha=self.alpha[index])

    # ---- matrices

    def fill(self, out: Array) -> None:
        """Write M into `out`, both triangles."""
        if isinstance(self.data, KernelItems):
            gram_of(self.data.kernel, self.data.prepared, self.data.prepared, out=out)
        else:
            out[...] = self.data.gram().dense()
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
        own = np.empty(0)
        if isinstance(self.data, KernelItems) and self.data.kernel.slots():
            own = LazyGram.of(self.data.kernel, self.data.prepared).vjp(W)
        return np.concatenate([own, [np.trace(W) * self.noise.value] * len(self.noise.slots)])

    def moved_products(self, V: Array) -> list[Array]:
        """(dM/dtheta_j) V for every j."""
        products: list[Array] = []
        if isinstance(self.data, KernelItems) and self.data.kernel.slots():
            products = _jvp_products(self.data, V) or _differences(self.data, V)
        return products + [self.noise.value * V] * len(self.noise.slots)


def _jvp_products(data: KernelItems, V: Array) -> list[Array] | None:
    """(dK/dtheta_j) V for every j by the kernel's own formula; None if it has none."""
    kernel, A = data.kernel, data.prepared

    def products(r: slice, c: slice) -> Array | None:
        return kernel.jvp_products(A[r], A[c], V[c])

    few = products(slice(0, 1), slice(0, 1))
    if few is None:
        return None
    out = np.zeros((len(few), *V.shape))

    def add(r: slice, c: slice) -> None:
        out[:, r] += products(r, c)

    fold_rows(add, (len(V), len(V)))
    return list(out[1:])


def _differences(data: KernelItems, V: Array) -> list[Array]:
    """(dK/dtheta_j) V for every j by differences of K V."""
    theta, high = data.kernel.theta, data.kernel.bounds[:, 1]

    def product(at: Array) -> Array:
        kernel = data.kernel.with_theta(at)
        return LazyGram.of(kernel, kernel.prepare(data.items)) @ V

    here, steps = product(theta), np.where(theta + _STEP > high, -_STEP, _STEP)
    return [(product(theta + step) - here) / step.sum() for step in np.diag(steps)]
