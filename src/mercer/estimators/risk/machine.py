"""What all machines of regularised risk share.

    minimise  1/2 |h|^2 + C sum_i w_i loss(y_i, f(x_i)),      f = h + intercept

The minimiser has the form h = sum_i c_i k(., x_i).  A subclass poses its problems; `fit` has them solved on the
Gram of the items that count, and keeps those with a coefficient.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.estimators.base import warn_open
from mercer.estimators.kernel_machine import KernelMachine
from mercer.estimators.positivity import require_positive
from mercer.estimators.risk.certificate import RiskCertificate, certificate_of, worst_of
from mercer.estimators.risk.problem import RiskProblem
from mercer.estimators.training_data import Data
from mercer.gram import FeatureGram
from mercer.solvers.limits import Limits
from mercer.solvers.risk import RiskSolution
from mercer.solvers.risk.minimise import stored
from mercer.typing import Array, Gram

SHARE = 10  # items per column from which on a linear machine is solved on its features


class RiskMachine(KernelMachine):
    """Limits, the Gram of the items that count, and what is kept of a solution."""

    fit_intercept: bool
    tol: float
    max_iter: int
    time_limit: float | None
    check_psd: str
    _numeric: bool  # whether targets are numbers

    def _posed(self, y: Array, sample_weight: Any) -> tuple[Sequence[RiskProblem], Array]:
        """The problems that targets and weights pose, and the positions of the items that count."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with numbers or labels y; weights scale C."""
        limits = self._limits()
        X, y = self._checked(X, y, reset=True, numeric=self._numeric)
        problems, used = self._posed(y, sample_weight)
        data, gram = self._training(X, used)
        gram = stored(gram) if len(problems) > 1 else gram  # once for all of them
        found = [problem.solve(gram, bias=self.fit_intercept, limits=limits) for problem in problems]
        proofs = [certificate_of(f, p.loss, data.psd, p.name) for f, p in zip(found, problems, strict=True)]
        self._take(X, data, used, found, proofs)
        return self

    def _limits(self) -> Limits:
        """How exactly, how long: checked."""
        owner, steps, seconds = type(self).__name__, self.max_iter, self.time_limit
        if not isinstance(self.tol, Real) or not 0.0 < float(self.tol) < np.inf:
            raise bad(owner, "tol", "a positive number", repr(self.tol), "It bounds the relative duality gap.")
        if not isinstance(steps, Integral) or steps < -1:
            raise bad(owner, "max_iter", "an integer >= -1", repr(steps), "-1 means no limit.")
        if seconds is not None and not (isinstance(seconds, Real) and float(seconds) > 0.0):
            raise bad(owner, "time_limit", "a positive number of seconds, or None", repr(seconds), "None: no limit.")
        return Limits(float(self.tol), None if steps == -1 else int(steps), seconds)

    def _training(self, X: Any, used: Array) -> tuple[Data, Any]:
        """The items for prediction, and the Gram of those that count for the solver."""
        data = self._data(X)
        require_positive(self, data)
        gram = data.double().gram()
        return data, _on_features(gram if len(used) == len(data) else gram.sub(used))

    def _take(
        self, X: Any, data: Data, used: Array, found: Sequence[RiskSolution], proofs: Sequence[RiskCertificate]
    ) -> None:
        """Keep the functions of all solutions, and their proof."""
        columns = np.column_stack([solution.coef for solution in found])
        some = np.flatnonzero(columns.any(axis=1))
        self._keep(X, data, used[some], columns[some], np.concatenate([solution.bias for solution in found]))
        self.certificate_ = worst_of(proofs)
        self.n_iter_ = max(solution.n_iter for solution in found)
        self.converged_ = all(solution.converged for solution in found)
        if not self.converged_:
            self._warn(self.certificate_)

    def _warn(self, proof: RiskCertificate) -> None:
        """Say how far from the optimum a fit ended, and what would help."""
        cures = {"time_limit": "Raise time_limit or loosen tol.", "max_iter": "Raise max_iter or loosen tol."}
        warn_open(
            f"{type(self).__name__}: stopped early ({proof.reason}) after {proof.n_iter} steps with a relative duality "
            f"gap of {proof.relative_gap:.1e}, asked {self.tol:.1e}. "
            + cures.get(proof.reason, "Scale the columns (StandardScaler), lower C, or loosen tol.")
        )


def _on_features(gram: Gram) -> Gram:
    """The Gram of a linear kernel by its features, when they are few and dense."""
    Z = gram.linear_rows
    if isinstance(Z, np.ndarray) and len(Z) >= SHARE * Z.shape[1]:
        return FeatureGram(Z.astype(np.float64, copy=False))
    return gram
