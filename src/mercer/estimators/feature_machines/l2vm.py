"""L2VM: every training item is a prototype, and the weights have a ridge.

    minimise  -log likelihood(w' phi(x_i) + b) + alpha/2 |w|^2,    phi(x) = [k(x, x_1), ..., k(x, x_n)]

Not kernel ridge, whose penalty is w'Kw: the two agree where K = I.  alpha="evidence" is the alpha (and with tune_kernel
the kernel's hyper-parameters) of largest marginal likelihood under w ~ N(0, 1/alpha).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.estimators.feature_machines import ridge_weights
from mercer.estimators.feature_machines.design import Design, Weights
from mercer.estimators.feature_machines.machine import FeatureClassifier, FeatureRegressor, Method, by_rows
from mercer.estimators.feature_machines.placement import check_prototypes
from mercer.estimators.feature_machines.shared_fits import offer_of_least_squares
from mercer.estimators.feature_machines.tuning import tuned
from mercer.estimators.shared_fits import SharedFits
from mercer.estimators.training_data import Data, KernelItems
from mercer.solvers.least_squares import Centred, Spectral
from mercer.solvers.weight_evidence import best_evidence
from mercer.typing import Array


class L2VM(Method):
    """alpha as a number or by evidence, and the tuning of the kernel."""

    def takes_gram(self, machine: Any) -> bool:
        return bool(machine._precomputed or not machine.tune_kernel)

    def check(self, machine: Any) -> None:
        owner = type(machine).__name__
        check_prototypes(owner, machine.n_prototypes)
        ridge_weights.check_count(owner, "n_restarts", machine.n_restarts, 0)
        if hasattr(machine, "max_iter"):
            ridge_weights.check_effort(owner, machine.tol, machine.max_iter)
        if not _by_evidence(machine):
            ridge_weights.check_alpha(owner, machine.alpha)
            if machine.tune_kernel:
                raise bad(owner, "alpha", "'evidence' for tune_kernel=True", repr(machine.alpha),
                          "Kernel and alpha are tuned together.")  # fmt: skip
        if machine.tune_kernel and machine._precomputed:
            raise bad(owner, "kernel", "a kernel for tune_kernel=True", "'precomputed'", "Pass the items themselves.")

    def data(self, machine: Any, X: Any) -> Data:
        return KernelItems.of(machine.kernel_, X) if machine.tune_kernel else super().data(machine, X)

    def design(self, machine: Any, X: Any, target: Array, weight: Array) -> Design:
        if machine.tune_kernel:
            used = np.flatnonzero(weight)

            def evidence(Phi: Array) -> Any:
                best = machine._evidence(Phi, target[used], weight[used])
                return best.value, best.slope

            start, owner = machine._kernel_for(X), type(machine).__name__
            machine.kernel_ = tuned(owner, start, X, used, evidence, machine.n_restarts, machine.random_state)
        return super().design(machine, X, target, weight)

    def solve(self, machine: Any, design: Design) -> Weights:
        machine.alpha_ = self._chosen_alpha(machine, design)
        return machine._solve(design)  # type: ignore[no-any-return]

    def _chosen_alpha(self, machine: Any, design: Design) -> float:
        if not _by_evidence(machine):
            return float(machine.alpha)
        best = machine._evidence(design.Phi, design.target, design.weight)
        machine.log_evidence_ = float(best.value)
        return float(best.alpha)


def _by_evidence(machine: Any) -> bool:
    return isinstance(machine.alpha, str) and machine.alpha == "evidence"


class BestRidge:
    """The largest evidence of a Gaussian model, as best_evidence gives that of other families."""

    def __init__(self, problem: Centred) -> None:
        self.spectral = Spectral.of(problem)
        self.alpha = self.spectral.best_alpha()
        self.value = self.spectral.evidence(self.alpha)

    def slope(self) -> Array:
        """d value / d Phi."""
        return self.spectral.evidence_slope(self.alpha)


class L2VMRegressor(FeatureRegressor):
    """y ~ N(w' phi(x) + b, s^2) with a ridge: w = (Phi'Phi + alpha I)^-1 Phi'y when there is no intercept.

    alpha is a number >= 0 or "evidence"; tune_kernel also chooses the free hyper-parameters of the kernel by evidence,
    from n_restarts more starting points.  alpha = 0 on a singular Phi gives the weights of least norm, with a warning.
    n_prototypes takes so many landmarks among the training items as prototypes; None takes them all.

    After fit: alpha_, noise_variance_ (s^2 for a weight of 1), log_evidence_ and kernel_ where they were asked for,
    certificate_, and what kernel machines have.
    """

    _method = L2VM()

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        alpha: Any = 1.0,
        tune_kernel: bool = False,
        fit_intercept: bool = True,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        n_restarts: int = 0,
        random_state: Any = None,
        n_prototypes: int | None = None,
    ) -> None:
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.alpha, self.tune_kernel, self.fit_intercept = alpha, tune_kernel, fit_intercept
        self.n_restarts, self.random_state, self.n_prototypes = n_restarts, random_state, n_prototypes

    def shared_fits(self, y: Array, *, psd: bool | None, leave_one_out: bool) -> SharedFits | None:
        """Leaving one item out in closed form, as estimators/shared_fits.py says."""
        return offer_of_least_squares(self, y, leave_one_out) if self.n_prototypes is None else None

    def _evidence(self, Phi: Array, target: Array, weight: Array) -> BestRidge:
        """The largest evidence over alpha."""
        return BestRidge(Centred.of(Phi, target, weight, fit_intercept=self.fit_intercept))

    def _solve(self, design: Design) -> Weights:
        """The weights for alpha_."""
        found = ridge_weights.regression(type(self).__name__, design, self.alpha_, fit_intercept=self.fit_intercept)
        self.noise_variance_ = found.noise
        mean = design.weight @ design.Phi / design.weight.sum() if self.fit_intercept else np.zeros(len(found.w))
        kept = np.flatnonzero(found.w)
        R = found.root()
        self._root, self._middle = R[kept], mean @ R
        self._level = 1.0 / float(design.weight.sum()) if self.fit_intercept else 0.0
        return ridge_weights.from_least_squares(found)

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """w' phi(x) + b; with return_std also the standard deviation of y given x, noise and weights together.

        var = s^2 (1 + |R' (phi(x) - mean)|^2 + 1/n), R R' = (Phi'Phi + alpha I)^-1 of the centred Phi.
        """
        if not return_std:
            return super().predict(X)
        X = self._items(X)
        spread = by_rows(self, X, lambda Phi: ((Phi @ self._root - self._middle) ** 2).sum(axis=1))
        return self._values(X), np.sqrt(self.noise_variance_ * (1.0 + spread + self._level))


class L2VMClassifier(FeatureClassifier):
    """P(y | x) logistic or softmax in w' phi(x) + b with a ridge, by Newton's method.

    alpha is a number >= 0 (scikit-learn's 1 / C) or "evidence", in Laplace's approximation; tune_kernel also chooses
    the free hyper-parameters of the kernel by evidence, from n_restarts more starting points.  alpha = 0 refuses
    classes that the features separate: no finite weights are optimal then.  n_prototypes as in L2VMRegressor.

    After fit: alpha_, log_evidence_ and kernel_ where they were asked for, certificate_ (the duality gap), classes_,
    and what kernel machines have.
    """

    _method = L2VM()

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        alpha: Any = 1.0,
        tune_kernel: bool = False,
        fit_intercept: bool = True,
        class_weight: Any = None,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-10,
        max_iter: int = 100,
        n_restarts: int = 0,
        random_state: Any = None,
        n_prototypes: int | None = None,
    ) -> None:
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.alpha, self.tune_kernel, self.fit_intercept = alpha, tune_kernel, fit_intercept
        self.class_weight, self.tol, self.max_iter = class_weight, tol, max_iter
        self.n_restarts, self.random_state, self.n_prototypes = n_restarts, random_state, n_prototypes

    def _evidence(self, Phi: Array, target: Array, weight: Array) -> Any:
        """The largest evidence over alpha: an object with alpha, value and slope."""
        return best_evidence(Phi, target, self._family(), weight=weight, fit_intercept=self.fit_intercept)

    def _solve(self, design: Design) -> Weights:
        """The weights for alpha_."""
        found = ridge_weights.likelihood(
            type(self).__name__, design, self._family(), self.alpha_,
            fit_intercept=self.fit_intercept, tol=self.tol, max_iter=self.max_iter,
        )  # fmt: skip
        return ridge_weights.from_likelihood(found)
