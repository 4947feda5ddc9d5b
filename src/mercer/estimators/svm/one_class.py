"""One-class SVM: the smallest region that holds all but a share nu of the items."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import OutlierMixin

from mercer.estimators.base import share
from mercer.estimators.svm.machine import SupportVectorMachine
from mercer.solvers.dual import one_class
from mercer.typing import Array


class OneClassSVM(OutlierMixin, SupportVectorMachine):  # type: ignore[misc]
    """Minimise 1/2 |w|^2 - nu n rho + sum_i max(0, rho - <w, phi(x_i)>), rho too; f = <w, phi(x)> - rho.

    Items with f < 0 are novel.  nu is at least the share of training items outside and at most that of support
    vectors.  Arguments are scikit-learn's (shrinking and cache_size have no effect); check_psd and time_limit as in
    SVR.
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
        X = self._checked(X, reset=True)
        self._fit_one(X, sample_weight, "novelty", lambda used, weight: one_class(len(used), nu, weight))
        self.offset_ = -self.intercept_
        return self

    def decision_function(self, X: Any) -> Array:
        """<w, phi(x)> - rho: positive inside, negative outside."""
        return self._values(self._items(X))

    def score_samples(self, X: Any) -> Array:
        """<w, phi(x)>, the decision function without its offset."""
        return np.asarray(self.decision_function(X) + self.offset_)

    def predict(self, X: Any) -> Array:
        """+1 for items inside, -1 for novel ones."""
        return np.where(self.decision_function(X) > 0.0, 1, -1)
