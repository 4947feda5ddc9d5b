"""Classification with any convex loss, and logistic regression of two classes or more."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin

from mercer.estimators.base import KernelEstimator, positive, weights
from mercer.estimators.cells.fitting import takes_cells
from mercer.estimators.feature_machines.machine import log_probabilities, most_probable
from mercer.estimators.labels import Labels
from mercer.estimators.low_rank import takes_landmarks
from mercer.estimators.risk.fitting import checked_limits, exact_work, fit_risk
from mercer.estimators.risk.losses import loss_of
from mercer.estimators.risk.problem import SOFTMAX, RiskProblem
from mercer.solvers.losses import Logistic
from mercer.typing import Array


class RiskClassifier(ClassifierMixin, KernelEstimator):  # type: ignore[misc]
    """One function for two classes, positive for the second; one per class for more."""

    C: float
    class_weight: Any
    _numeric = False  # targets are labels

    def _problems(self, codes: Array, c: Array) -> list[RiskProblem]:
        """Of classes numbered from 0, with weights c of the items."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with labels y; weights scale C."""
        limits = checked_limits(self)
        X, y = self._checked(X, y, reset=True)
        fit_risk(self, X, *self._posed(y, sample_weight), limits)
        return self

    def _posed(self, y: Array, sample_weight: Any) -> tuple[list[RiskProblem], Array]:
        """The problems, and the positions of the items that count; sets classes_ and class_weight_."""
        owner = type(self).__name__
        C, labels = positive(owner, "C", self.C), Labels.of(owner, y, self.class_weight)
        weight = C * weights(owner, sample_weight, len(y)) * labels.weight[labels.codes]
        used = np.flatnonzero(weight)
        labels.require_all(owner, used)
        self.classes_, self.class_weight_ = labels.classes, labels.weight
        return self._problems(labels.codes[used], weight[used]), used

    def decision_function(self, X: Any) -> Array:
        """f(x): (items,) for two classes, positive for the second, else (items, classes)."""
        X = self._items(X)
        return self._values(X) if len(self.classes_) == 2 else self._all_values(X)

    def predict(self, X: Any) -> Array:
        """The class with the largest f."""
        codes = most_probable(self.decision_function(X))
        return np.asarray(self.classes_[codes])


@takes_cells
@takes_landmarks(exact_work, products=200.0)
class KernelRiskClassifier(RiskClassifier):
    """Minimise 1/2 |h|^2 + C sum_i w_i loss(y_i f(x_i)), y = -1 or +1, with the loss of your choice.

    loss            "hinge" (the support vector machine), "squared_hinge", "log_loss", "probit", "cloglog",
                    "exponential", one of regression for y - f ("squared_error" is the least-squares machine), such a
                    loss of mercer.solvers.losses, or a function (y, f) -> (values, slopes in f) that is convex in f
                    and has no kinks
    class_weight    None, "balanced" or {label: weight}
    tol             the relative duality gap at which to stop
    C, fit_intercept, max_iter, kernel, method, ...   as in KernelRiskRegressor

    More than two classes are one machine for each, against the rest.  After fit: classes_, dual_coef_, support_,
    intercept_, n_iter_, converged_ and certificate_ (of the worst class, with all of them in its `parts`).
    """

    def __init__(
        self,
        loss: Any = "squared_hinge",
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-4,
        max_iter: int = -1,
        check_psd: str = "warn",
        time_limit: float | None = None,
        method: str = "exact",
        n_landmarks: int | None = None,
        landmarks: Any = "rpcholesky",
        cell_rows: int = 2000,
    ) -> None:
        self.loss, self.C, self.fit_intercept, self.class_weight = loss, C, fit_intercept, class_weight
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.tol, self.max_iter, self.check_psd, self.time_limit = tol, max_iter, check_psd, time_limit
        self.method, self.n_landmarks, self.landmarks, self.cell_rows = method, n_landmarks, landmarks, cell_rows

    def _problems(self, codes: Array, c: Array) -> list[RiskProblem]:
        loss = loss_of(type(self).__name__, self.loss, labels=True)
        if len(self.classes_) == 2:
            return [RiskProblem(loss, _signs(codes, 1), c)]
        return [
            RiskProblem(loss, _signs(codes, k), c, f"{label} against the rest") for k, label in enumerate(self.classes_)
        ]


@takes_cells
@takes_landmarks(exact_work, products=200.0)
class KernelLogisticRegression(RiskClassifier):
    """Logistic regression in the space of a kernel: minimise 1/2 sum_k |h_k|^2 - C sum_i w_i log P(y_i | x_i).

    P is the sigmoid of f for two classes and the softmax of one f per class for more, so probabilities are those of the
    model itself.  Separable data are no difficulty, for |h| is penalised.

    C               as in scikit-learn's LogisticRegression, which is this with kernel="linear"
    tol             the relative duality gap at which to stop
    max_iter        Newton steps; -1: no limit
    fit_intercept, class_weight, kernel, method, ...   as in KernelRiskClassifier
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-6,
        max_iter: int = 100,
        check_psd: str = "warn",
        time_limit: float | None = None,
        method: str = "exact",
        n_landmarks: int | None = None,
        landmarks: Any = "rpcholesky",
        cell_rows: int = 2000,
    ) -> None:
        self.C, self.fit_intercept, self.class_weight = C, fit_intercept, class_weight
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.tol, self.max_iter, self.check_psd, self.time_limit = tol, max_iter, check_psd, time_limit
        self.method, self.n_landmarks, self.landmarks, self.cell_rows = method, n_landmarks, landmarks, cell_rows

    def _problems(self, codes: Array, c: Array) -> list[RiskProblem]:
        if len(self.classes_) == 2:
            return [RiskProblem(Logistic(), _signs(codes, 1), c)]
        return [RiskProblem(SOFTMAX, codes, c, outputs=len(self.classes_))]

    def predict_log_proba(self, X: Any) -> Array:
        """log P(class | x) in the order of classes_."""
        return log_probabilities(self.decision_function(X))

    def predict_proba(self, X: Any) -> Array:
        """P(class | x) in the order of classes_."""
        return np.asarray(np.exp(self.predict_log_proba(X)))


def _signs(codes: Array, k: int) -> Array:
    """+1 for the items of class k, -1 for the others."""
    return np.where(codes == k, 1.0, -1.0)
