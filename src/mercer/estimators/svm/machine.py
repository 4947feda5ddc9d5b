"""What all support vector machines share: a dual problem, its solution, and the proof.

`fit` of a subclass checks, builds the problems of solvers/dual, has them solved, and keeps the support vectors.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.errors import bad
from mercer.estimators.base import KernelEstimator, warn_open, weights
from mercer.estimators.positivity import require_positive
from mercer.estimators.svm.certificate import Certificate, worst_of
from mercer.estimators.svm.record import Record
from mercer.estimators.training_data import Data
from mercer.gram import StoredGram
from mercer.items.vectors import is_sparse
from mercer.solvers.dual import DualSolution, Problem, Problems, Solutions, solve_all
from mercer.solvers.dual.room import room_for
from mercer.solvers.dual.solve import MANY
from mercer.solvers.limits import Limits
from mercer.typing import Array

STORED = 1000  # items whose Gram is stored in full precision, for all problems of a fit, ...
PAIR = 32  # ... if the budget has so many bytes for every pair of them: a quarter of it is theirs

ProblemOf = Callable[[Array, Array], Problem]


class SupportVectorMachine(KernelEstimator):
    """A kernel expansion over support vectors; `copies` is how often a problem lists an item."""

    copies = 1
    hopeless = "training items that no machine with this kernel separates"  # for which C must be finite
    cure = "The data are not separable: choose a finite C."
    penalty_intercept = False
    tol: Any
    max_iter: Any
    time_limit: Any
    verbose: Any
    n_iter_: Any
    _record: Record

    @property
    def solution_(self) -> Any:
        """What the solver returned, on the support vectors; a tuple for more than two classes."""
        self._require_fit("solution_")
        found = self._record.solutions
        return found[0] if len(found) == 1 else found

    @property
    def certificate_(self) -> Certificate:
        """The proof; of the worst problem, with all of them in its `parts`."""
        self._require_fit("certificate_")
        return worst_of(self._record.certificates(self._names()))

    def _names(self) -> list[str]:
        """What to call each problem of the fit."""
        return [""] * len(self._record.reason)

    def _limits(self) -> Limits:
        """The limits this machine was given, checked."""
        owner, tol, steps, seconds = type(self).__name__, self.tol, self.max_iter, self.time_limit
        if not isinstance(tol, Real) or not 0.0 < float(tol) < np.inf:
            raise bad(owner, "tol", "a positive number", repr(tol), "1e-3 is the default.")
        if not isinstance(steps, Integral) or steps < -1:
            raise bad(owner, "max_iter", "an integer >= -1", repr(steps), "-1 means no limit.")
        if seconds is not None and not (isinstance(seconds, Real) and float(seconds) > 0.0):
            raise bad(owner, "time_limit", "a positive number of seconds, or None", repr(seconds), "None: no limit.")
        return Limits(
            float(tol), None if steps == -1 else int(steps), None if seconds is None else float(seconds),
            self._tell if self.verbose else None,
        )  # fmt: skip

    def _tell(self, active: int, violation: float, dual: float) -> None:
        owner = type(self).__name__
        sys.stdout.write(f"[{owner}] {active} active items, violation {violation:.2e}, dual {dual:.8g}\n")

    def _weighed(self, sample_weight: Any, n: int) -> tuple[Array, Array]:
        """Weights of all items, and the positions of those that count: those of positive weight."""
        weight = weights(type(self).__name__, sample_weight, n, negative_is_absent=True)
        return weight, np.flatnonzero(weight)

    def _items(self, X: Any) -> Any:
        """New items, checked against those of the fit; sparse rows after a sparse fit only, as in scikit-learn."""
        if is_sparse(X):
            check_is_fitted(self)
            if not is_sparse(self.dual_coef_):
                owner = type(self).__name__
                raise ValueError(f"cannot use sparse input in {owner!r} trained on dense data: pass X.toarray()")
        return super()._items(X)

    def _training(self, X: Any) -> tuple[Data, Any]:
        """The items for prediction, and the Gram for the solver, stored if it is small."""
        data = self._data(X)
        require_positive(self, data)
        exact = data.double()
        gram = (exact.plus_one() if self.penalty_intercept else exact).gram()
        if len(gram) <= room_for(STORED if gram.linear_rows is None else MANY, PAIR):
            gram = StoredGram.of(gram.dense(), X=gram.linear_rows)
        return data, gram

    def _fit_one(self, X: Any, sample_weight: Any, task: str, problem_of: ProblemOf) -> DualSolution:
        """Solve the one problem that problem_of(items that count, their weights) is, and keep the support vectors."""
        limits = self._limits()
        data, gram = self._training(X)
        weight, used = self._weighed(sample_weight, len(data))
        problems = Problems.of([problem_of(used, weight[used])], [np.tile(used, self.copies)], task)
        found = solve_all(gram, problems, limits)
        self._judge(found, data, limits)
        solution = found[0]
        coef = solution.coef.reshape(self.copies, -1).sum(axis=0)
        support = np.flatnonzero(coef)
        bias = coef.sum() if self.penalty_intercept else solution.bias
        self._keep(X, data, used[support], coef[support, None], np.array([bias]))
        self.n_support_ = np.array([len(support)], dtype=np.int32)
        self.n_iter_ = solution.n_iter
        if self.fit_status_:
            self._warn(limits)
        return solution

    def _judge(self, found: Solutions, data: Data, limits: Limits) -> None:
        """Keep the proof, and refuse an unbounded dual."""
        if "unbounded" in found.reason or not np.isfinite(found.coef).all():
            raise bad(type(self).__name__, "C", f"finite for {self.hopeless}", "inf, and an unbounded dual", self.cure)
        self._record = Record.of(found, data.psd)
        self.fit_status_ = int(not found.converged)

    def _warn(self, limits: Limits) -> None:
        """Say how far from the optimum the fit ended, and what would help."""
        cures = {"time_limit": "Raise time_limit or loosen tol."}
        if limits.max_iter is not None:
            cures["max_iter"] = (
                f"Raise max_iter or loosen tol. Solver terminated early (max_iter={limits.max_iter}).  Consider "
                "pre-processing your data with StandardScaler or MinMaxScaler."  # scikit-learn's words, for filters
            )
        proof = self.certificate_
        warn_open(
            f"{type(self).__name__}: stopped early ({proof.reason}) after {proof.n_iter} steps with the optimality "
            f"conditions violated by {proof.kkt:.1e}, asked {limits.tol:.1e}. The objective is within the gap "
            f"{proof.gap:.1e} ({proof.relative_gap:.1e} relative) of the best possible. "
            + cures.get(proof.reason, "Scale the columns (StandardScaler), lower C, or loosen tol.")
        )
