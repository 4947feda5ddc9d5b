"""From a regressor's arguments and data to its model: the covariance with its hyper-parameters, and the mean.

    kernel                          noise="auto"          mean="auto"
    a name ("rbf", "matern", ..)    learned               constant
    one of scikit-learn's           its WhiteKernel       zero
    anything else                   none                  zero

theta as users see it is that of `kernel`: ours followed by the logarithm of a free noise, or scikit-learn's own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.estimators.base import KernelEstimator
from mercer.estimators.gaussian_process.convert import Converted
from mercer.estimators.gaussian_process.covariance import Covariance, Noise
from mercer.estimators.gaussian_process.means import Mean, mean_for
from mercer.estimators.gaussian_process.starts import NAMES, learned_noise, named_kernel, target_variance
from mercer.estimators.kernel_argument import written
from mercer.estimators.sklearn_kernels import is_foreign
from mercer.estimators.training_data import Data, GivenGram, KernelItems
from mercer.items import Vectors
from mercer.kernels import RBF, Bounded, Fixed, Kernel
from mercer.typing import Array

_ROUNDING = 1e-12  # of theta, on its way between scikit-learn's parameters and ours
NEXT_TO_NOTHING = 1e-10  # scikit-learn's alpha


@dataclass(frozen=True, eq=False)
class ProcessModel:
    """A model before it has seen its targets; `foreign` translates theta for a kernel of scikit-learn."""

    covariance: Covariance
    mean: Mean
    foreign: Converted | None

    @property
    def bounds(self) -> Array:
        """The bounds of our theta."""
        return self.foreign.bounds if self.foreign else self.covariance.bounds

    @property
    def outer_bounds(self) -> Array:
        """The bounds of the user's theta."""
        return np.asarray(self.foreign.original.bounds if self.foreign else self.covariance.bounds).reshape(-1, 2)

    @property
    def outer_names(self) -> list[str]:
        """A name for every entry of the user's theta."""
        if self.foreign is None:
            return self.covariance.names
        free = [h for h in self.foreign.original.hyperparameters if not h.fixed]
        return [f"{h.name}[{j}]" if h.n_elements > 1 else h.name for h in free for j in range(h.n_elements)]

    @property
    def theta(self) -> Array:
        """The user's theta."""
        return self.outer(self.covariance.theta)

    def inner(self, theta: Any) -> Array:
        """Our theta from the user's."""
        theta = np.asarray(theta, dtype=float)
        if theta.shape != self.covariance.theta.shape:
            count = len(self.covariance.theta)
            raise bad("log_marginal_likelihood", "theta", f"{count} numbers", f"shape {theta.shape}",
                      "One entry per free hyper-parameter, the noise last.")  # fmt: skip
        return self.foreign.inner(theta) if self.foreign else theta

    def outer(self, theta: Array) -> Array:
        """The user's theta from ours."""
        if self.foreign is None:
            return theta
        found, bounds = self.foreign.outer(theta), self.outer_bounds.T
        near = np.clip(found, *bounds)
        for bound in bounds:  # a parameter at its bound comes back there to the last digit
            near = np.where(np.isclose(near, bound, rtol=_ROUNDING, atol=_ROUNDING), bound, near)
        return np.where(np.isclose(near, found, rtol=_ROUNDING, atol=_ROUNDING), near, found)

    def at(self, theta: Any) -> ProcessModel:
        """The model at another theta of the user's."""
        return replace(self, covariance=self.covariance.at(self.inner(theta)))

    def slope(self, slope: Array) -> Array:
        """The derivative in the user's theta."""
        return self.foreign.slope(slope) if self.foreign else slope

    def kernel(self) -> Any:
        """The kernel as the user gave it, at the hyper-parameters of this model; None for a matrix."""
        if self.foreign:
            return self.foreign.original.clone_with_theta(self.theta)
        return self.covariance.data.kernel


def set_up(gp: Any, X: Any, Y: Array) -> ProcessModel:
    """The model of a regressor on items X with targets Y (n, q), in the units the model works in."""
    kernel, foreign = kernel_of(gp, X, Y)
    data: Data = GivenGram.of(np.asarray(X, dtype=float)) if kernel is None else KernelItems.of(kernel, X).double()
    noise = noise_of(gp, foreign, Y)
    covariance = Covariance(data, noise, _alpha(gp, Y))
    vectors = isinstance(data.items, Vectors)
    return ProcessModel(covariance, mean_for(type(gp).__name__, mean_name(gp), X, vectors=vectors), foreign)


def kernel_of(gp: Any, X: Any, Y: Array | None) -> tuple[Kernel | None, Converted | None]:
    """The kernel on these data, None for a precomputed matrix; without data (Y is None) in units of 1."""
    given = gp.kernel
    if given is None:
        return 1.0 * RBF(1.0), None
    if (found := written(given)) is not None:
        return found, None
    if is_foreign(given):
        foreign = Converted.of(given, np.shape(X)[1] if len(np.shape(X)) == 2 else None)
        return foreign.kernel, foreign
    if isinstance(given, str) and given == "precomputed":
        return None, None
    if isinstance(given, str) and given in NAMES:
        V = X.values if isinstance(X, Vectors) else X
        return named_kernel(
            given, X if Y is not None else np.zeros((1, V.shape[1])), np.zeros(1) if Y is None else Y
        ), None
    return KernelEstimator._kernel_for(gp, X), None


def refuse_compound(gp: Any) -> None:
    """Refuse scikit-learn's stack of kernels, whose value is not one matrix."""
    if is_foreign(gp.kernel) and type(gp.kernel).__name__ == "CompoundKernel":
        raise bad(type(gp).__name__, "kernel", "a single kernel", "a CompoundKernel, whose values are several matrices",
                  "Pass one of its kernels, or their sum.")  # fmt: skip


def by_name(gp: Any) -> bool:
    """Whether the kernel is given by its form alone."""
    return isinstance(gp.kernel, str) and gp.kernel in NAMES


def mean_name(gp: Any) -> Any:
    """The mean that is meant."""
    if isinstance(gp.mean, str) and gp.mean == "auto":
        return "constant" if by_name(gp) else "zero"
    return gp.mean


def noise_of(gp: Any, foreign: Converted | None, Y: Array) -> Noise:
    """The noise that is meant."""
    given = gp.noise
    if isinstance(given, str) and given == "auto":
        if foreign is not None and foreign.noise is not None:
            return foreign.noise
        given = "learn" if by_name(gp) else None
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
              "Variances known for every item are `alpha`.")  # fmt: skip


def _alpha(gp: Any, Y: Array) -> Array:
    """The known noise variance of every item; that of the default is next to nothing, also where targets are small."""
    n = len(Y)
    if by_name(gp) and isinstance(gp.alpha, float) and gp.alpha == NEXT_TO_NOTHING:
        return np.full(n, NEXT_TO_NOTHING * min(1.0, target_variance(Y)))
    alpha = np.asarray(gp.alpha, dtype=float) if not isinstance(gp.alpha, str) else np.empty((0, 0))
    if alpha.ndim == 0 or alpha.shape == (1,):
        alpha = np.full(n, float(alpha.ravel()[0]))
    if alpha.shape != (n,) or not np.isfinite(alpha).all() or (alpha < 0.0).any():
        raise bad(type(gp).__name__, "alpha", f"a number >= 0, or one for each of the {n} items",
                  repr(gp.alpha) if alpha.size < 9 else f"shape {alpha.shape}, smallest {alpha.min()}",
                  "It is the variance of the noise; 'noise' is the one that is learned.")  # fmt: skip
    return alpha
