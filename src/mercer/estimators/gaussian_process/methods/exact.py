"""One factor of the whole covariance: O(n^3), and everything follows from it."""

from __future__ import annotations

from mercer.estimators.gaussian_process.covariance import Covariance
from mercer.estimators.gaussian_process.means import Mean
from mercer.estimators.gaussian_process.methods.method import Method
from mercer.estimators.gaussian_process.posterior import RegressionPosterior
from mercer.estimators.gaussian_process.regression_evidence import RegressionEvidence, on_subsets
from mercer.typing import Array


class Exact(Method):
    """The n x n buffer of the last evidence is used again for the posterior."""

    name = "exact"

    def __init__(self) -> None:
        self._last: RegressionEvidence | None = None

    def evidences(self, covariance: Covariance, Y: Array, H: Array) -> list[RegressionEvidence]:
        found = on_subsets(covariance, Y, H)
        self._last = found[-1]
        return found

    def posterior(self, covariance: Covariance, mean: Mean, Y: Array, H: Array) -> RegressionPosterior:
        buffer = None if self._last is None else self._last.buffer
        return RegressionPosterior.of(covariance, mean, Y, H, buffer)
