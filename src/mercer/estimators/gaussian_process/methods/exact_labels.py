"""Labels under the whole covariance: one factor of n x n for each step of Newton's method."""

from __future__ import annotations

from mercer.estimators.gaussian_process.class_posterior import ClassPosterior, LabelProblem
from mercer.estimators.gaussian_process.covariance import Covariance
from mercer.estimators.gaussian_process.label_evidence import LabelEvidence, on_subsets
from mercer.estimators.gaussian_process.methods.label_method import LabelMethod
from mercer.estimators.training_data import Data
from mercer.typing import Array


class ExactLabels(LabelMethod):
    """Laplace's approximation under the kernel itself."""

    name = "exact"

    def evidences(
        self, problem: LabelProblem, covariance: Covariance, start: Array | None, max_iter: int
    ) -> list[LabelEvidence]:
        return on_subsets(problem, covariance, start, max_iter)

    def posterior(
        self, problem: LabelProblem, data: Data, kept: Data, start: Array | None, max_iter: int
    ) -> ClassPosterior:
        return ClassPosterior.of(problem, kept, data.gram().dense(), start, max_iter)

    def evidence_of(self, posterior: ClassPosterior, covariance: Covariance, max_iter: int) -> LabelEvidence:
        return LabelEvidence(posterior.problem, covariance, max_iter, posterior.mode.coef)
