"""The model that the arguments of a regressor and its data stand for: a covariance with hyper-parameters, and a mean.

    kernel                          noise="auto"          mean="auto"
    a name ("rbf", "matern", ..)    learned               constant
    one of scikit-learn's           its WhiteKernel       zero
    anything else                   none                  zero

Our theta is that of the kernel, followed by the logarithm of a free noise.  The user's theta is the same, except for
kernels of scikit-learn, where it is the theta of scikit-learn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from mercer.distributed import Rows
from mercer.errors import bad
from mercer.estimators.base import KernelEstimator
from mercer.estimators.gaussian_process.converted_kernel import Converted
from mercer.estimators.gaussian_process.covariance import Covariance, Noise
from mercer.estimators.gaussian_process.means import Mean, mean_for
from mercer.estimators.gaussian_process.starts import NAMES, learned_noise, named_kernel, target_variance
from mercer.estimators.kernel_argument import written
from mercer.estimators.sklearn_kernels import is_foreign
from mercer.estimators.training_data import Data, GivenGram, KernelItems
from mercer.items import Vectors
from mercer.kernels import RBF, Bounded, Fixed, Kernel
from mercer.typing import Array

_ROUNDING = 1e-12  # of theta, in the conversion between scikit-learn's parameters and ours
_AT_BOUND = 1e-5  # relative distance in theta within which a parameter counts as at its bound
_DEFAULT_ALPHA = 1e-10  # the same as in scikit-learn


@dataclass(frozen=True, eq=False)
class ProcessModel:
    """Covariance and mean; `foreign` translates theta for a kernel of scikit-learn."""

    covariance: Covariance
    mean: Mean
    foreign: Converted | None

    @property
    def bounds(self) -> Array:
        """The bounds of our theta."""
        return self.foreign.bounds if self.foreign else self.covariance.bounds

    @property
    def at_bounds(self) -> Array:
        """Which entries of our theta are at a bound."""
        low, high = self.bounds.T
        return np.asarray(at_bound(self.covariance.theta, low) | at_bound(self.covariance.theta, high))

    @property
    def user_bounds(self) -> Array:
        """The bounds of the user's theta."""
        return np.asarray(self.foreign.original.bounds if self.foreign else self.covariance.bounds).reshape(-1, 2)

    @property
    def user_names(self) -> list[str]:
        """A name for every entry of the user's theta."""
        if self.foreign is None:
            return self.covariance.names
        free = [h for h in self.foreign.original.hyperparameters if not h.fixed]
        return [f"{h.name}[{j}]" if h.n_elements > 1 else h.name for h in free for j in range(h.n_elements)]

    @property
    def user_theta(self) -> Array:
        """The user's theta."""
        return self.to_user(self.covariance.theta)

    def from_user(self, theta: Any) -> Array:
        """Our theta from the user's."""
        theta = np.asarray(theta, dtype=float)
        if theta.shape != self.covariance.theta.shape:
            count = len(self.covariance.theta)
            raise bad("log_marginal_likelihood", "theta", f"{count} numbers", f"shape {theta.shape}",
                      "One entry per free hyper-parameter, the noise last.")  # fmt: skip
        return self.foreign.ours(theta) if self.foreign else theta

    def to_user(self, theta: Array) -> Array:
        """The user's theta from ours."""
        if self.foreign is None:
            return theta
        found, bounds = self.foreign.theirs(theta), self.user_bounds.T
        near = np.clip(found, *bounds)
        for bound in bounds:  # rounding must not move a parameter away from its bound
            near = np.where(np.isclose(near, bound, rtol=_ROUNDING, atol=_ROUNDING), bound, near)
        return np.where(np.isclose(near, found, rtol=_ROUNDING, atol=_ROUNDING), near, found)

    def at(self, theta: Any) -> ProcessModel:
        """The model at another theta of the user's."""
        return replace(self, covariance=self.covariance.at(self.from_user(theta)))

    def user_slope(self, slope: Array) -> Array:
        """The derivative in the user's theta, from that in ours."""
        return self.foreign.slope(slope) if self.foreign else slope

    def kernel(self) -> Any:
        """The kernel in the form the user gave it, at the hyper-parameters of this model; None for a matrix."""
        if self.foreign:
            return self.foreign.original.clone_with_theta(self.user_theta)
        return self.covariance.data.kernel


def at_bound(theta: Any, bound: Any) -> Any:
    """Whether a parameter is at a bound."""
    return np.isfinite(bound) & (np.abs(theta - bound) <= _AT_BOUND * (1.0 + np.abs(bound)))


def set_up(gp: Any, X: Any, Y: Array) -> ProcessModel:
    """The model of a regressor on items X with targets Y (n, q) in the units of the model."""
    kernel, foreign = kernel_of(gp, X, Y)
    data, vectors = _data(gp, kernel, X)
    noise = noise_of(gp, foreign, Y)
    covariance = Covariance(data, noise, _alpha(gp, Y))
    mean = mean_for(type(gp).__name__, mean_name(gp), X, vectors=vectors, level=Y.mean(axis=0))
    return ProcessModel(covariance, mean, foreign)


def _data(gp: Any, kernel: Kernel | None, X: Any) -> tuple[Data, bool]:
    """The items under their kernel, and whether they are rows of numbers."""
    if isinstance(X, Rows) and kernel is not None:
        from mercer.estimators.training_data.spread import SpreadItems

        return SpreadItems.of(type(gp).__name__, kernel, X), X.columns is None
    data = GivenGram.of(np.asarray(X, dtype=float)) if kernel is None else KernelItems.of(kernel, X).double()
    return data, isinstance(data.items, Vectors)


def kernel_of(gp: Any, X: Any, Y: Array | None) -> tuple[Kernel | None, Converted | None]:
    """The kernel on these data, None for a precomputed matrix; without data (Y is None) in units of 1."""
    given = gp.kernel
    if given is None:
        return 1.0 * RBF(1.0), None
    if (found := written(given)) is not None:
        return found, None
    if is_foreign(given):
        if type(given).__name__ == "CompoundKernel":
            raise bad(type(gp).__name__, "kernel", "a single kernel", "a CompoundKernel, which has several matrices",
                      "Pass one of its kernels, or their sum.")  # fmt: skip
        foreign = Converted.of(given, np.shape(X)[1] if len(np.shape(X)) == 2 else None)
        return foreign.kernel, foreign
    if isinstance(given, str) and given == "precomputed":
        return None, None
    if kernel_from_data(gp):
        if Y is None:
            width = (X.values if isinstance(X, Vectors) else X).shape[1]
            return named_kernel(given, np.zeros((1, width)), np.zeros(1)), None
        return named_kernel(given, X, Y), None
    return KernelEstimator._kernel_for(gp, X), None


def kernel_from_data(gp: Any) -> bool:
    """Whether the kernel is given by its form alone ("rbf"), with starts and bounds from the data."""
    return isinstance(gp.kernel, str) and gp.kernel in NAMES


def mean_name(gp: Any) -> Any:
    """The argument `mean`, with "auto" replaced by its meaning."""
    if isinstance(gp.mean, str) and gp.mean == "auto":
        return "constant" if kernel_from_data(gp) else "zero"
    return gp.mean


def noise_of(gp: Any, foreign: Converted | None, Y: Array) -> Noise:
    """The noise that the argument `noise` stands for."""
    given = gp.noise
    if isinstance(given, str) and given == "auto":
        if foreign is not None and foreign.noise is not None:
            return foreign.noise
        given = "learn" if kernel_from_data(gp) else None
    elif foreign is not None:
        raise bad(type(gp).__name__, "noise", "'auto' with a kernel of scikit-learn", repr(given), "Add a WhiteKernel.")
    if given is None:
        return Noise(Fixed(0.0))
    if isinstance(given, str) and given == "learn":
        return Noise(learned_noise(Y))
    if isinstance(given, (Fixed, Bounded)):
        return Noise(given)
    if isinstance(given, Real) and not isinstance(given, bool):
        return Noise(float(given))
    raise bad(type(gp).__name__, "noise", "'auto', 'learn', None, a number >= 0, Fixed(..) or Bounded(..)", repr(given),
              "Pass variances that are known for every item as `alpha`.")  # fmt: skip


def _alpha(gp: Any, Y: Array) -> Array:
    """The known noise variance of every item; the default is scaled down for targets of small variance."""
    n = len(Y)
    if kernel_from_data(gp) and isinstance(gp.alpha, float) and gp.alpha == _DEFAULT_ALPHA:
        return np.full(n, _DEFAULT_ALPHA * min(1.0, target_variance(Y)))
    alpha = np.asarray(gp.alpha, dtype=float) if not isinstance(gp.alpha, str) else np.empty((0, 0))
    if alpha.ndim == 0 or alpha.shape == (1,):
        alpha = np.full(n, float(alpha.ravel()[0]))
    if alpha.shape != (n,) or not np.isfinite(alpha).all() or (alpha < 0.0).any():
        raise bad(type(gp).__name__, "alpha", f"a number >= 0, or one for each of the {n} items",
                  repr(gp.alpha) if alpha.size < 9 else f"shape {alpha.shape}, smallest {alpha.min()}",
                  "It is the known variance of the noise; `noise` is the variance that is learned.")  # fmt: skip
    return alpha
