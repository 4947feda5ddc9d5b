"""Matern processes of one column in O(n), exact: solvers/state_space.py with kernels and hyper-parameters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mercer.engine.fill import require_memory
from mercer.errors import bad
from mercer.estimators.gaussian_process.covariance import Covariance
from mercer.estimators.gaussian_process.means import Mean
from mercer.estimators.gaussian_process.methods.method import Method, exact_only
from mercer.items import Vectors
from mercer.kernels import Exponential, Kernel, Matern, Scaled
from mercer.parameters import value
from mercer.solvers.evidence_search import LEAST
from mercer.solvers.state_space import ORDERS, LineProcess
from mercer.typing import Array


@dataclass(frozen=True)
class LineKernel:
    """variance Matern(lengthscale, nu), read off a kernel."""

    nu: float
    lengthscale: float
    variance: float

    @classmethod
    def of(cls, kernel: Kernel | None) -> LineKernel | None:
        """None for a kernel of another form."""
        if isinstance(kernel, Scaled):
            inner = cls.of(kernel.kernel)
            return inner and cls(inner.nu, inner.lengthscale, inner.variance * float(value(kernel.factor)))
        if isinstance(kernel, Exponential | Matern) and np.size(value(kernel.lengthscale)) == 1:
            nu = 0.5 if isinstance(kernel, Exponential) else float(kernel.nu)
            return cls(nu, float(np.ravel(value(kernel.lengthscale))[0]), 1.0) if nu in ORDERS else None
        return None


def in_theta(kernel: Kernel, slope: Array, form: LineKernel) -> Array:
    """Slopes in log lengthscale and log variance as slopes in the theta of the kernel."""
    if isinstance(kernel, Scaled):
        own = kernel.in_theta({"factor": slope[1] / float(value(kernel.factor))})
        return np.concatenate([own, in_theta(kernel.kernel, slope, form)])
    return kernel.in_theta({"lengthscale": slope[0] / form.lengthscale})


def line_of(covariance: Covariance, Y: Array, H: Array, order: Array) -> LineProcess:
    """The process at the items in ascending order."""
    form = LineKernel.of(covariance.data.kernel)
    assert form is not None
    places = np.asarray(covariance.data.items.values, dtype=float)[order, 0]
    noise = np.ascontiguousarray(covariance.alpha[order] + covariance.noise.value)
    return LineProcess(places, Y[order], H[order], noise, form.nu, form.lengthscale, form.variance)


class LineEvidence:
    """log p(Y | theta) of a process on a line."""

    has_curvature = False
    least_gain = LEAST

    def __init__(self, covariance: Covariance, Y: Array, H: Array) -> None:
        self.covariance, self.Y, self.H, self.size = covariance, Y, H, len(Y)
        self.order = np.argsort(covariance.data.items.values[:, 0], kind="stable")

    def value_and_slope(self, theta: Array, *, at_least: float = -np.inf) -> tuple[float, Array | None]:
        """The evidence, and its slope if it is finite and >= at_least."""
        covariance = self.covariance.at(theta)
        kernel, noise = covariance.data.kernel, covariance.noise
        form = LineKernel.of(kernel)
        assert kernel is not None
        assert form is not None
        try:
            found, slope = line_of(covariance, self.Y, self.H, self.order).evidence(slopes=True)
        except np.linalg.LinAlgError:
            return -np.inf, None
        if not np.isfinite(found) or not np.isfinite(slope).all():
            return -np.inf, None
        if found < at_least:
            return found, None
        return found, np.concatenate([in_theta(kernel, slope, form), [slope[2] * noise.value] * len(noise.slots)])

    def curvature(self, theta: Array) -> None:
        """Not known: L-BFGS-B learns it from slopes, which are cheap."""


@dataclass(frozen=True, eq=False)
class LinePosterior:
    """The posterior of a process on a line."""

    covariance: Covariance
    mean: Mean
    Y: Array
    H: Array

    @cached_property
    def line(self) -> LineProcess:
        """The process, in the order of its places."""
        order = np.argsort(self.covariance.data.items.values[:, 0], kind="stable")
        return line_of(self.covariance, self.Y, self.H, order)

    @cached_property
    def evidence(self) -> float:
        return self.line.evidence()[0]

    @cached_property
    def weights(self) -> Array:
        return self.line.weights()

    def residual(self) -> float:
        """0: the filter solves the equations place by place, and leaves none."""
        return 0.0

    def mean_at(self, X: Any) -> Array:
        return self.moments(X, None)[0]

    def moments(self, X: Any, prior: Array | None) -> tuple[Array, Array]:
        V = X.values if isinstance(X, Vectors) else X
        return self.line.moments(np.asarray(V, dtype=float)[:, 0], self.mean.basis(X, len(V)))

    def joint(self, X: Any, prior: Array | None) -> tuple[Array, Array]:
        raise exact_only("GaussianProcessRegressor", "covariances of new items", StateSpace.name)


class StateSpace(Method):
    """Exact, in O(n), for a Matern kernel of order 1/2, 3/2 or 5/2 on one column."""

    name = "statespace"

    def evidences(self, covariance: Covariance, Y: Array, H: Array) -> list[LineEvidence]:
        self._require(covariance, Y, H)
        return [LineEvidence(covariance, Y, H)]

    def posterior(self, covariance: Covariance, mean: Mean, Y: Array, H: Array) -> LinePosterior:
        self._require(covariance, Y, H)
        return LinePosterior(covariance, mean, Y, H)

    @staticmethod
    def fits(covariance: Covariance) -> bool:
        """Whether the items are one column of numbers under such a kernel."""
        items = covariance.data.items
        one = isinstance(items, Vectors) and not items.sparse and items.width == 1
        return one and LineKernel.of(covariance.data.kernel) is not None

    def _require(self, covariance: Covariance, Y: Array, H: Array) -> None:
        if not self.fits(covariance):
            raise bad("GaussianProcessRegressor", "kernel", "Matern of order 0.5, 1.5 or 2.5 on one column of numbers "
                      "for method='statespace'", repr(covariance.data.kernel), "Use another method.")  # fmt: skip
        columns = Y.shape[1] + H.shape[1]
        require_memory(f"The states of {len(Y)} items", 16 * len(Y) * (3 * columns + 9), "Pass fewer outputs.")
