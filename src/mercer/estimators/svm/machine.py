"""What all support vector machines share: a dual problem, its solution, and the proof.

`fit` of a subclass checks, builds a problem of solvers/dual, has it solved, and keeps the support vectors.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.estimators.base import OpenFit, weights
from mercer.estimators.expander import Expander
from mercer.estimators.expansion import Data
from mercer.estimators.positivity import require_positive
from mercer.estimators.svm.certificate import Certificate, certificate_of, worst_of
from mercer.estimators.svm.effort import Effort
from mercer.solvers.dual import DualSolution, Problem
from mercer.typing import Array

ProblemOf = Callable[[Array, Array], Problem]


class SupportVectorMachine(Expander):
    """A kernel expansion over support vectors; `copies` is how often a problem lists an item."""

    copies = 1
    penalty_intercept = False
    n_iter_: Any

    def _weighed(self, sample_weight: Any, n: int) -> tuple[Array, Array]:
        """Weights of all items, and the positions of those that count: weight 0 is absence."""
        weight = weights(type(self).__name__, sample_weight, n)
        return weight, np.flatnonzero(weight)

    def _training(self, X: Any) -> tuple[Data, Any]:
        """The items for prediction, and the Gram for the solver."""
        data = self._data(X)
        require_positive(self, data)
        exact = data.double()
        return data, (exact.plus_one() if self.penalty_intercept else exact).gram()

    def _fit_one(self, X: Any, sample_weight: Any, task: str, problem_of: ProblemOf) -> DualSolution:
        """Solve the one problem that problem_of(items that count, their weights) is, and keep the support vectors."""
        effort = Effort.of(self)
        data, gram = self._training(X)
        weight, used = self._weighed(sample_weight, len(data))
        problem = problem_of(used, weight[used])
        if self.copies > 1 or len(used) < len(data):
            gram = gram.sub(np.tile(used, self.copies))
        solution = effort.solve(gram, problem)
        self._judge([solution], [certificate_of(solution, problem, task, psd=data.psd)], effort)
        coef = solution.coef.reshape(self.copies, -1).sum(axis=0)
        support = np.flatnonzero(coef)
        bias = coef.sum() if self.penalty_intercept else solution.bias
        self._keep(X, data, used[support], coef[support, None], np.array([bias]))
        self.n_support_ = np.array([len(support)], dtype=np.int32)
        self.n_iter_ = solution.n_iter
        return solution

    def _judge(self, solutions: Sequence[DualSolution], proofs: Sequence[Certificate], effort: Effort) -> None:
        """Keep the proof, refuse an endless dual, and warn when the tolerance was not reached."""
        if any(s.reason == "unbounded" or not np.isfinite(s.coef).all() for s in solutions):
            raise bad(type(self).__name__, "C", "finite for training items that no machine with this kernel separates",
                      "inf, and an unbounded dual", "The data are not separable: choose a finite C.")  # fmt: skip
        kept = tuple(_on_support(s) for s in solutions)
        self.solution_ = kept[0] if len(kept) == 1 else kept
        self.certificate_ = worst_of(proofs)
        self.fit_status_ = int(not all(s.converged for s in solutions))
        if self.fit_status_:
            _warn(self.certificate_, effort)


def _on_support(s: DualSolution) -> DualSolution:
    """The solution with the numbers of its support vectors only."""
    J = np.flatnonzero(s.coef)
    return replace(s, coef=s.coef[J], gradient=s.gradient[J])


def _warn(proof: Certificate, effort: Effort) -> None:
    """Say how far from the optimum a fit ended, and what would help."""
    cures = {"interrupted": "Fit again without interrupting it.", "time_limit": "Raise time_limit or loosen tol."}
    if effort.max_iter is not None:
        cures["max_iter"] = "Raise max_iter or loosen tol."
    warnings.warn(
        f"{effort.owner}: stopped early ({proof.reason}) after {proof.n_iter} steps with the optimality conditions "
        f"violated by {proof.kkt:.1e}, asked {effort.tol:.1e}. The objective is within the gap {proof.gap:.1e} "
        f"({proof.relative_gap:.1e} relative) of the best possible. "
        + cures.get(proof.reason, "Scale the columns (StandardScaler), lower C, or loosen tol."),
        OpenFit, stacklevel=5,
    )  # fmt: skip
