"""Support vector machines that are one dual problem: regression and novelty detection."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.estimators.base import KernelEstimator, weights
from mercer.estimators.svm.certificate import Certificate
from mercer.estimators.svm.fitting import keep_proof, new_items, warn_unsolved
from mercer.estimators.svm.proof_record import Record
from mercer.estimators.training_data import Data
from mercer.solvers.dual import DualSolution, DualSolutions
from mercer.solvers.limits import Limits
from mercer.typing import Array


class SingleProblemMachine(KernelEstimator):
    """One function f over support vectors; a subclass states and solves its problem in `fit`."""

    impossible = "targets that no function with this kernel follows to within epsilon"  # needs a finite C
    cure = "Choose a finite C or a larger epsilon."
    penalty_intercept = False
    fit_status_: int
    n_iter_: Any
    _record: Record

    @property
    def solution_(self) -> DualSolution:
        """What the solver returned, on the support vectors."""
        self._require_fit("solution_")
        return self._record.solutions[0]

    @property
    def certificate_(self) -> Certificate:
        """The proof of optimality."""
        self._require_fit("certificate_")
        return self._record.certificate([""])

    def _keep_single(self, X: Any, data: Data, used: Array, found: DualSolutions, limits: Limits) -> DualSolution:
        """Keep the support vectors and the proof of the one problem, on the items `used`; warn if it is unsolved."""
        keep_proof(self, found, data)
        solution = found[0]
        coef = solution.coef.reshape(-1, len(used)).sum(axis=0)  # nu-SVR lists every item twice
        support = np.flatnonzero(coef)
        intercept = coef.sum() if self.penalty_intercept else solution.bias
        self._keep(X, data, used[support], coef[support, None], np.array([intercept]))
        self.n_support_ = np.array([len(support)], dtype=np.int32)
        self.n_iter_ = solution.n_iter
        if self.fit_status_:
            warn_unsolved(self, limits)
        return solution

    def _f(self, X: Any) -> Array:
        """f(x) for every item."""
        return self._values(new_items(self, X))


def used_weights(owner: str, sample_weight: Any, n: int) -> tuple[Array, Array]:
    """(weights above 0, positions of their items)."""
    weight = weights(owner, sample_weight, n, negative_is_absent=True)
    used = np.flatnonzero(weight)
    return weight[used], used
