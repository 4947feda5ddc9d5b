"""Support vector regression: epsilon-SVR and nu-SVR, with scikit-learn's arguments and attributes."""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from mercer.errors import bad
from mercer.estimators.base import positive, share
from mercer.estimators.shared_fits import SharedFits
from mercer.estimators.svm.machine import SupportVectorMachine
from mercer.solvers.dual import Problem, nu_svr, svr
from mercer.typing import Array


class Regressor(RegressorMixin, SupportVectorMachine):  # type: ignore[misc]
    """What both regressions share."""

    def _targets(self, X: Any, y: Any) -> tuple[Any, Array]:
        """Items and numbers, checked."""
        X, y = self._checked(X, y, reset=True, numeric=True)
        return X, y.astype(np.float64)

    def predict(self, X: Any) -> Array:
        """f(x) for every item."""
        return self._values(self._items(X))


class SVR(Regressor):
    """Epsilon-SVR: minimise 1/2 |w|^2 + C sum_i max(0, |y_i - f(x_i)| - epsilon).

    Arguments are scikit-learn's; C = inf is the hard tube, which refuses targets that no f follows to within epsilon.
    shrinking and cache_size are accepted and have no effect: the solver chooses its
    active set itself, within the budget of mercer.configure(memory=...).  Beyond them

    penalty_intercept   adds b^2 / 2 to the objective: kernel k + 1 and no free intercept
    squared             penalises C sum of the squared excess
    check_psd           "off", "warn" or "raise": what to do about a kernel that is not positive semi-definite
    time_limit          seconds after which the fit returns what it has, with its gap

    After fit: certificate_ (the proof), solution_ (what the solver returned), and scikit-learn's attributes.
    """

    hopeless = "targets that no function with this kernel follows to within epsilon"
    cure = "Choose a finite C or a larger epsilon."

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
        C = positive("SVR", "C", self.C, infinite=True)
        if not isinstance(self.epsilon, Real) or not 0.0 <= float(self.epsilon) < np.inf:
            raise bad("SVR", "epsilon", "a number >= 0", repr(self.epsilon), "It is half the width of the tube.")
        X, y = self._targets(X, y)

        def problem(used: Array, weight: Array) -> Problem:
            return svr(y[used], C * weight, self.epsilon, bias=not self.penalty_intercept, squared=self.squared)

        self._fit_one(X, sample_weight, "regression", problem)
        return self

    def shared_fits(self, y: Array, *, psd: bool | None, leave_one_out: bool) -> SharedFits | None:
        """All values of C and epsilon in one call for each fold, as estimators/shared_fits.py says."""
        from mercer.estimators.svm.shared_fits import offer_of_svr

        return offer_of_svr(self, y, psd)


class NuSVR(Regressor):
    """Nu-SVR: minimise 1/2 |w|^2 + C (nu n epsilon + sum_i max(0, |y_i - f(x_i)| - epsilon)), epsilon too.

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
        X, y = self._targets(X, y)
        solution = self._fit_one(X, sample_weight, "regression", lambda used, weight: nu_svr(y[used], nu, C * weight))
        self.epsilon_ = max(solution.margin, 0.0)
        return self
