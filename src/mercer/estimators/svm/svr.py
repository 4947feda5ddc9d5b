"""Support vector regression: epsilon-SVR and nu-SVR, with scikit-learn's arguments and attributes."""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from mercer.errors import bad
from mercer.estimators.base import positive, share
from mercer.estimators.cells.fitting import takes_cells
from mercer.estimators.low_rank import takes_landmarks
from mercer.estimators.shared_fits import SharedFits
from mercer.estimators.svm.fitting import exact_work, limits_of, training_gram
from mercer.estimators.svm.single_problem import SingleProblemMachine, used_weights
from mercer.solvers.dual import DualProblems, nu_svr, solve_all, svr
from mercer.typing import Array


@takes_cells
@takes_landmarks(exact_work, products=200.0)
class SVR(RegressorMixin, SingleProblemMachine):  # type: ignore[misc]
    """Epsilon-SVR: minimise 1/2 |w|^2 + C sum_i max(0, |y_i - f(x_i)| - epsilon).

    Arguments are scikit-learn's; C = inf is the hard tube, which refuses targets that no f follows to within epsilon.
    shrinking and cache_size are accepted and have no effect: the solver chooses its active set itself, within the
    budget of mercer.configure(memory=...).  Further arguments:

    penalty_intercept   adds b^2 / 2 to the objective: kernel k + 1 and no free intercept
    squared             penalises C times the sum of the squared excess
    check_psd           "off", "warn" or "raise": what to do about a kernel that is not positive semi-definite
    time_limit          seconds after which the fit ends with the solution so far, its gap and a warning
    method, n_landmarks, landmarks, cell_rows   as in KernelRidge; estimate_cost(X) tells what each method would take

    After fit: certificate_ (the proof of optimality), solution_ (what the solver returned), and scikit-learn's
    attributes.
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
        method: str = "exact",
        n_landmarks: int | None = None,
        landmarks: Any = "rpcholesky",
        cell_rows: int = 2000,
    ) -> None:
        self.kernel, self.degree, self.gamma, self.coef0 = kernel, degree, gamma, coef0
        self.tol, self.C, self.epsilon = tol, C, epsilon
        self.shrinking, self.cache_size, self.verbose, self.max_iter = shrinking, cache_size, verbose, max_iter
        self.penalty_intercept, self.squared = penalty_intercept, squared
        self.check_psd, self.time_limit = check_psd, time_limit
        self.method, self.n_landmarks, self.landmarks, self.cell_rows = method, n_landmarks, landmarks, cell_rows

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with numbers y; weights scale C."""
        C = positive("SVR", "C", self.C, infinite=True)
        if not isinstance(self.epsilon, Real) or not 0.0 <= float(self.epsilon) < np.inf:
            raise bad("SVR", "epsilon", "a number >= 0", repr(self.epsilon), "It is half the width of the tube.")
        limits = limits_of(self)
        X, y = self._checked(X, y, reset=True, numeric=True)
        weight, used = used_weights("SVR", sample_weight, len(y))
        data, gram = training_gram(self, X)
        problem = svr(y[used], C * weight, self.epsilon, bias=not self.penalty_intercept, squared=self.squared)
        found = solve_all(gram, DualProblems.of([problem], [used], "regression"), limits)
        self._keep_single(X, data, used, found, limits)
        return self

    def predict(self, X: Any) -> Array:
        """f(x) for every item."""
        return self._f(X)

    def shared_fits(self, y: Array, *, psd: bool | None, leave_one_out: bool) -> SharedFits | None:
        """All values of C and epsilon in one call for each fold, as estimators/shared_fits.py says."""
        from mercer.estimators.svm.shared_fits import offer_of_svr

        return offer_of_svr(self, y, psd) if self.takes_gram else None


class NuSVR(RegressorMixin, SingleProblemMachine):  # type: ignore[misc]
    """Nu-SVR: minimise 1/2 |w|^2 + C (nu n epsilon + sum_i max(0, |y_i - f(x_i)| - epsilon)), epsilon too.

    nu is an upper bound of the share of items outside the tube and a lower bound of the share of support vectors.
    Arguments are scikit-learn's (shrinking and cache_size have no effect); check_psd and time_limit are as in SVR.
    After fit epsilon_ is half the width of the tube that was found.
    """

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
        limits = limits_of(self)
        X, y = self._checked(X, y, reset=True, numeric=True)
        weight, used = used_weights("NuSVR", sample_weight, len(y))
        data, gram = training_gram(self, X)
        problem = nu_svr(y[used], nu, C * weight)
        found = solve_all(gram, DualProblems.of([problem], [np.tile(used, 2)], "regression"), limits)
        solution = self._keep_single(X, data, used, found, limits)
        self.epsilon_ = max(solution.margin, 0.0)
        return self

    def predict(self, X: Any) -> Array:
        """f(x) for every item."""
        return self._f(X)
