"""One-class SVM: the smallest region that holds all but a share nu of the items."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import OutlierMixin

from mercer.estimators.base import share
from mercer.estimators.svm.fitting import limits_of, training_gram
from mercer.estimators.svm.single_problem import SingleProblemMachine, used_weights
from mercer.solvers.dual import DualProblems, one_class, solve_all
from mercer.typing import Array


class OneClassSVM(OutlierMixin, SingleProblemMachine):  # type: ignore[misc]
    """Minimise 1/2 |w|^2 - nu n rho + sum_i max(0, rho - <w, phi(x_i)>), rho too; f = <w, phi(x)> - rho.

    Items with f < 0 are novel.  nu is an upper bound of the share of training items outside and a lower bound of the
    share of support vectors.  Arguments are scikit-learn's (shrinking and cache_size have no effect); check_psd and
    time_limit are as in SVR.
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        check_psd: str = "warn",
        time_limit: float | None = None,
    ) -> None:
        self.kernel, self.degree, self.gamma, self.coef0 = kernel, degree, gamma, coef0
        self.tol, self.nu = tol, nu
        self.shrinking, self.cache_size, self.verbose, self.max_iter = shrinking, cache_size, verbose, max_iter
        self.check_psd, self.time_limit = check_psd, time_limit

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to items X; y is ignored, weights scale the bounds of the coefficients."""
        nu = share("OneClassSVM", self.nu)
        limits = limits_of(self)
        X = self._checked(X, reset=True)
        data, gram = training_gram(self, X)
        weight, used = used_weights("OneClassSVM", sample_weight, len(data))
        found = solve_all(gram, DualProblems.of([one_class(len(used), nu, weight)], [used], "novelty"), limits)
        self._keep_single(X, data, used, found, limits)
        self.offset_ = -self.intercept_
        return self

    def decision_function(self, X: Any) -> Array:
        """<w, phi(x)> - rho: positive inside, negative outside."""
        return self._f(X)

    def score_samples(self, X: Any) -> Array:
        """<w, phi(x)>, the decision function without its offset."""
        return np.asarray(self.decision_function(X) + self.offset_)

    def predict(self, X: Any) -> Array:
        """+1 for items inside, -1 for novel ones."""
        return np.where(self.decision_function(X) > 0.0, 1, -1)
