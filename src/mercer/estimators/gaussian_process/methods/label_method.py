"""What a method offers to the fit of a classifier: evidences to climb, and a posterior of labels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

from mercer.estimators.gaussian_process.class_posterior import LabelProblem
from mercer.estimators.gaussian_process.covariance import Covariance
from mercer.estimators.training_data import Approximation, Data
from mercer.solvers.evidence_climb import Evidence
from mercer.solvers.laplace import Mode
from mercer.typing import Array


class LabelEvidences(Evidence, Protocol):
    """An evidence of labels, which remembers the last maximum of the posterior."""

    start: Array | None


class LabelPosterior(Protocol):
    """A problem given its labels: all that prediction asks for."""

    @property
    def problem(self) -> LabelProblem: ...

    @property
    def data(self) -> Data:
        """The items."""

    @property
    def mode(self) -> Mode:
        """The maximum of the posterior, and its proof."""

    @property
    def evidence(self) -> float:
        """log q(y)."""

    @property
    def approximation(self) -> Approximation | None:
        """How far the prior is from the exact one; None where it is that."""

    def expansion(self) -> tuple[Array, Array]:
        """Positions among all items of the fit, and rows of coefficients, with f(x) = sum_j k(x, x_j) c_j."""

    def mean(self, X: Any) -> Array:
        """The mean of f at new items, one column per class where there are several functions."""

    def latent(self, X: Any, prior: Any) -> tuple[Array, Array]:
        """Mean and variance of f at new items; (m, C) and (m, C, C) where there are several functions."""

    def probabilities(self, X: Any, prior: Any) -> Array:
        """The probability of every label of the problem, averaged over the posterior of f."""


class LabelMethod(ABC):
    """One way to condition a latent process on labels."""

    name: str

    @abstractmethod
    def evidences(
        self, problem: LabelProblem, covariance: Covariance, start: Array | None, max_iter: int
    ) -> Sequence[LabelEvidences]:
        """log q(y | theta) on ever more items, the last on all of them."""

    @abstractmethod
    def posterior(
        self, problem: LabelProblem, data: Data, kept: Data, start: Array | None, max_iter: int
    ) -> LabelPosterior:
        """The posterior of a problem; `data` are its items with their Gram, `kept` what prediction needs of them."""

    @abstractmethod
    def evidence_of(self, posterior: Any, covariance: Covariance, max_iter: int) -> LabelEvidences:
        """The evidence of a fitted problem as a function of theta; `covariance` is that of its items."""
