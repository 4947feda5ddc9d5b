"""Support vector regression: epsilon-SVR and nu-SVR, with scikit-learn's arguments and attributes."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from mercer.errors import bad
from mercer.estimators.base import positive
from mercer.estimators.certificate import certificate_of
from mercer.estimators.effort import Effort
from mercer.estimators.machine import SupportVectorMachine
from mercer.solvers.dual import DualSolution, Problem, nu_svr, svr
from mercer.typing import Array


class Regressor(RegressorMixin, SupportVectorMachine):  # type: ignore[misc]
    """What both regressions share; `copies` is how often the problem lists an item."""

    copies = 1

    def _fit(self, X: Any, y: Any, sample_weight: Any, problem_of: Callable[[Array, Array], Problem]) -> DualSolution:
        """Check, solve the problem of (y, weights), and keep the support vectors."""
        effort = Effort.of(self)
        X, y = self._checked(X, y, reset=True, numeric=True)
        y = y.astype(np.float64)
        weight, used = self._weighed(sample_weight, len(y))
        problem = problem_of(y[used], weight[used])
        data, gram = self._training(X)
        rows = np.tile(used, self.copies)
        solution = effort.solve(gram if len(rows) == len(data) else gram.sub(rows), problem)
        self._judge([solution], [certificate_of(solution, problem, "regression", psd=data.psd)], effort)
        coef = solution.coef.reshape(self.copies, -1).sum(axis=0)
        support = np.flatnonzero(coef)
        bias = coef.sum() if self.penalty_intercept else solution.bias
        self._keep(X, data, used[support], coef[support, None], np.array([bias]))
        self.n_support_ = np.array([len(support)], dtype=np.int32)
        self.n_iter_ = solution.n_iter
        return solution

    def predict(self, X: Any) -> Array:
        """f(x) for every item."""
        return self._values(self._items(X))


class SVR(Regressor):
    """Epsilon-SVR: minimise 1/2 |w|^2 + C sum_i max(0, |y_i - f(x_i)| - epsilon) (M26).

    Arguments are scikit-learn's.  shrinking and cache_size are accepted and have no effect: the solver shrinks by its
    own lights within the budget of mercer.configure(memory=...).  Beyond them

    penalty_intercept   adds b^2 / 2 to the objective (M28): kernel k + 1 and no free intercept
    squared             penalises C sum of the squared excess (M29)
    check_psd           "off", "warn" or "raise": what to do about a kernel that is not positive semi-definite
    time_limit          seconds after which the fit returns what it has, with its gap

    After fit: certificate_ (the proof), solution_ (what the solver returned), and scikit-learn's attributes.
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        penalty_intercept: bool = False,
        squared: bool = False,
        check_psd: str = "warn",
        time_limit: float | None = None,
    ) -> None:
        self.kernel, self.degree, self.gamma, self.coef0 = kernel, degree, gamma, coef0
        self.tol, self.C, self.epsilon = tol, C, epsilon
        self.shrinking, self.cache_size, self.verbose, self.max_iter = shrinking, cache_size, verbose, max_iter
        self.penalty_intercept, self.squared = penalty_intercept, squared
        self.check_psd, self.time_limit = check_psd, time_limit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with numbers y; weights scale C."""
        C = positive("SVR", "C", self.C)
        if not isinstance(self.epsilon, Real) or not 0.0 <= float(self.epsilon) < np.inf:
            raise bad("SVR", "epsilon", "a number >= 0", repr(self.epsilon), "It is half the width of the tube.")

        def problem(y: Array, weight: Array) -> Problem:
            return svr(y, C * weight, self.epsilon, bias=not self.penalty_intercept, squared=self.squared)

        self._fit(X, y, sample_weight, problem)
        return self


class NuSVR(Regressor):
    """Nu-SVR: minimise 1/2 |w|^2 + C (nu n epsilon + sum_i max(0, |y_i - f(x_i)| - epsilon)), epsilon too (M27).

    nu is at least the share of items outside the tube and at most the share of support vectors.  Arguments are
    scikit-learn's (shrinking and cache_size have no effect); check_psd and time_limit as in SVR.  After fit
    epsilon_ is the half width of the tube that was found.
    """

    copies = 2

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        check_psd: str = "warn",
        time_limit: float | None = None,
    ) -> None:
        self.nu, self.C, self.tol = nu, C, tol
        self.kernel, self.degree, self.gamma, self.coef0 = kernel, degree, gamma, coef0
        self.shrinking, self.cache_size, self.verbose, self.max_iter = shrinking, cache_size, verbose, max_iter
        self.check_psd, self.time_limit = check_psd, time_limit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with numbers y; weights scale C."""
        C, nu = positive("NuSVR", "C", self.C), share("NuSVR", self.nu)
        solution = self._fit(X, y, sample_weight, lambda y, weight: nu_svr(y, nu, C * weight))
        self.epsilon_ = max(solution.margin, 0.0)
        return self


def share(owner: str, nu: Any) -> float:
    """The nu of a nu-machine: 0 < nu <= 1."""
    if not isinstance(nu, Real) or not 0.0 < float(nu) <= 1.0:
        raise bad(owner, "nu", "a number with 0 < nu <= 1", repr(nu), "It bounds a share of the items.")
    return float(nu)
