"""What all support vector machines share: f(x) = sum_j c_j k(x, x_j) + intercept over the support vectors x_j.

`fit` of a subclass checks, builds a problem of solvers/dual, has it solved, and calls `_keep`: only items with a
nonzero coefficient stay in the machine.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from mercer.errors import NotConverged, bad
from mercer.estimators.base import KernelEstimator, weights
from mercer.estimators.certificate import Certificate, certificate_of, worst_of
from mercer.estimators.effort import Effort
from mercer.estimators.expansion import Data, GivenGram
from mercer.estimators.positivity import require_positive
from mercer.items.vectors import is_sparse
from mercer.solvers.dual import DualSolution, Problem
from mercer.typing import Array

ProblemOf = Callable[[Array, Array], Problem]


class OpenFit(NotConverged, ConvergenceWarning):  # type: ignore[misc]
    """NotConverged, under the name that programs written for scikit-learn filter."""


class SupportVectorMachine(KernelEstimator):
    """A kernel expansion over support vectors; `copies` is how often a problem lists an item."""

    copies = 1
    penalty_intercept = False
    n_iter_: Any

    # ---- fitting

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

    def _keep(self, X: Any, data: Data, support: Array, columns: Array, intercept: Array) -> None:
        """The machine as it predicts: items `support`, one column of coefficients per function."""
        self.support_ = support.astype(np.int32)
        self.intercept_ = intercept
        self.dual_coef_ = np.ascontiguousarray(columns.T)
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (len(data),)
        self._kept, self._columns = data.keep(support), np.ascontiguousarray(columns)
        if is_sparse(X):
            from scipy.sparse import csr_matrix

            self.dual_coef_ = csr_matrix(self.dual_coef_)

    # ---- what is known after it

    @property
    def support_vectors_(self) -> Any:
        """The support vectors as they were passed; none for a precomputed matrix."""
        self._require_fit("support_vectors_")
        if isinstance(self._kept, GivenGram):
            return np.empty((0, 0))
        return getattr(self._kept.items, "values", self._kept.items)

    @property
    def coef_(self) -> Any:
        """The weights w of f(x) = <w, x> + intercept, one row per function; for the linear kernel only."""
        self._require_fit("coef_")
        if isinstance(self._kept, GivenGram) or not self._kept.linear:
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef = self._functions().T @ self._kept.items.values  # type: ignore[attr-defined]
        coef = coef.tocsr() if is_sparse(coef) else coef
        (coef.data if is_sparse(coef) else coef).flags.writeable = False
        return coef

    def _functions(self) -> Any:
        """(support vectors, functions): the coefficients of each decision function, sparse like the data."""
        return self.dual_coef_.T

    def _require_fit(self, name: str) -> None:
        if not hasattr(self, "_kept"):
            raise AttributeError(f"{type(self).__name__} has {name} after fit")

    # ---- prediction

    def _items(self, X: Any) -> Any:
        """New items, checked against those of the fit."""
        check_is_fitted(self)
        return self._checked(X, reset=False)

    def _values(self, X: Any) -> Array:
        """f on checked items, of a machine that has one function."""
        return np.asarray(self._kept.evaluate(X, self._columns[:, 0]) + self.intercept_[0])


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
