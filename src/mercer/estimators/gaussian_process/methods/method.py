"""What a method offers to the fit of a Gaussian process: evidences to climb, and a posterior."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

from mercer.errors import bad
from mercer.estimators.gaussian_process.covariance import Covariance
from mercer.estimators.gaussian_process.means import Mean
from mercer.solvers.evidence_climb import Evidence
from mercer.typing import Array


class Posterior(Protocol):
    """The process given its targets: all that prediction asks for."""

    @property
    def evidence(self) -> float:
        """log p(Y), or the bound of it that was maximised."""

    @property
    def weights(self) -> Array:
        """b (h, q), the coefficients of the unknown part of the mean."""

    def residual(self) -> float:
        """How well the equations of the mean hold, relative to the targets."""

    def mean_at(self, X: Any) -> Array:
        """E f(x), (m, q), without the known part of the mean."""

    def moments(self, X: Any, prior: Array | None) -> tuple[Array, Array]:
        """Mean (m, q) and variance (m,) of f."""

    def joint(self, X: Any, prior: Array | None) -> tuple[Array, Array]:
        """Mean (m, q) and covariance (m, m) of f."""


class Method(ABC):
    """One way to condition a process on its items."""

    name: str

    @abstractmethod
    def evidences(self, covariance: Covariance, Y: Array, H: Array) -> Sequence[Evidence]:
        """log p(Y | theta) on ever more items, the last on all of them."""

    def settled(self, covariance: Covariance, mean: Mean, Y: Array, H: Array) -> Covariance:
        """After the search: with hyper-parameters that the evidences do not tell well corrected; by default none."""
        return covariance

    @abstractmethod
    def posterior(self, covariance: Covariance, mean: Mean, Y: Array, H: Array) -> Posterior:
        """The process at these hyper-parameters, given its targets."""


def rows_away(what: str) -> ValueError:
    """The error for what needs the training items after a fit to a Dask collection, which left them where they are."""
    return bad("GaussianProcessRegressor", "the items of the fit", f"in memory for {what}", "a Dask collection",
               "Fit to X.compute() and y.compute().")  # fmt: skip


def exact_only(owner: str, what: str, method: str) -> ValueError:
    """The error for what only the whole covariance can tell."""
    return bad(owner, "method", f"'exact' for {what}", repr(method), "Fit again with method='exact', on fewer items.")
