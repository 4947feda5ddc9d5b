"""Regression with any convex loss, and quantile regression."""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from mercer.errors import bad
from mercer.estimators.base import KernelEstimator, positive, weights
from mercer.estimators.cells.fitting import takes_cells
from mercer.estimators.low_rank import takes_landmarks
from mercer.estimators.risk.fitting import checked_limits, exact_work, fit_risk
from mercer.estimators.risk.losses import loss_of
from mercer.estimators.risk.problem import RiskProblem
from mercer.solvers.losses import Pinball
from mercer.solvers.risk.summed_loss import AnyLoss
from mercer.typing import Array


class RiskRegressor(RegressorMixin, KernelEstimator):  # type: ignore[misc]
    """A subclass names its loss."""

    C: float
    _numeric = True  # targets are numbers

    def _loss(self) -> AnyLoss:
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with numbers y; weights scale C."""
        limits = checked_limits(self)
        X, y = self._checked(X, y, reset=True, numeric=True)
        fit_risk(self, X, *self._posed(y, sample_weight), limits)
        return self

    def _posed(self, y: Array, sample_weight: Any) -> tuple[list[RiskProblem], Array]:
        """The problem, and the positions of the items that count."""
        owner = type(self).__name__
        C, loss, weight = positive(owner, "C", self.C), self._loss(), weights(owner, sample_weight, len(y))
        used = np.flatnonzero(weight)
        return [RiskProblem(loss, y[used].astype(np.float64), C * weight[used])], used

    def predict(self, X: Any) -> Array:
        """f(x) for every item."""
        return self._values(self._items(X))


@takes_cells
@takes_landmarks(exact_work, products=200.0)
class KernelRiskRegressor(RiskRegressor):
    """Minimise 1/2 |h|^2 + C sum_i w_i loss(y_i - f(x_i)) with the loss of your choice.

    loss            "squared_error" (z^2 / 2), "huber", "epsilon_insensitive", "pinball", such a loss of
                    mercer.solvers.losses with its parameter (Huber(0.5)), or a function (y, f) -> (values, slopes in f)
                    that is convex in f and has no kinks; it may return curvatures too
    C               the weight of the losses; kernel ridge regression with lambda is "squared_error" with C = 1 / lambda
    fit_intercept   whether f has an intercept, which is not penalised
    tol             the relative duality gap at which to stop; for a function that is not convex, of the squared
                    gradient
    max_iter        steps: of Newton's method, or of the dual solver for losses made of straight lines; -1: no limit
    kernel, gamma, degree, coef0, check_psd, time_limit   as in SVR
    method, n_landmarks, landmarks, cell_rows   as in KernelRidge; estimate_cost(X) tells what each method would take

    After fit: dual_coef_, support_, intercept_, n_iter_, converged_ and certificate_.
    """

    def __init__(
        self,
        loss: Any = "huber",
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int = -1,
        check_psd: str = "warn",
        time_limit: float | None = None,
        method: str = "exact",
        n_landmarks: int | None = None,
        landmarks: Any = "rpcholesky",
        cell_rows: int = 2000,
    ) -> None:
        self.loss, self.C, self.fit_intercept = loss, C, fit_intercept
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.tol, self.max_iter, self.check_psd, self.time_limit = tol, max_iter, check_psd, time_limit
        self.method, self.n_landmarks, self.landmarks, self.cell_rows = method, n_landmarks, landmarks, cell_rows

    def _loss(self) -> AnyLoss:
        return loss_of(type(self).__name__, self.loss, labels=False)


@takes_cells
@takes_landmarks(exact_work, products=200.0)
class KernelQuantileRegressor(RiskRegressor):
    """The conditional quantile of y: minimise 1/2 |h|^2 + C sum_i w_i pinball(y_i - f(x_i)).

    With an intercept, at most a share `quantile` of the training targets lies below f and at most 1 - quantile above,
    whatever the kernel.  Other arguments as in KernelRiskRegressor.
    """

    def __init__(
        self,
        *,
        quantile: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int = -1,
        check_psd: str = "warn",
        time_limit: float | None = None,
        method: str = "exact",
        n_landmarks: int | None = None,
        landmarks: Any = "rpcholesky",
        cell_rows: int = 2000,
    ) -> None:
        self.quantile, self.C, self.fit_intercept = quantile, C, fit_intercept
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.tol, self.max_iter, self.check_psd, self.time_limit = tol, max_iter, check_psd, time_limit
        self.method, self.n_landmarks, self.landmarks, self.cell_rows = method, n_landmarks, landmarks, cell_rows

    def _loss(self) -> AnyLoss:
        if not isinstance(self.quantile, Real) or not 0.0 < float(self.quantile) < 1.0:
            raise bad("KernelQuantileRegressor", "quantile", "a number between 0 and 1", repr(self.quantile),
                      "0.5 is the median.")  # fmt: skip
        return Pinball(float(self.quantile))
