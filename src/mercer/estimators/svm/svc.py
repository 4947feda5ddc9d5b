"""Support vector classification: C-SVC and nu-SVC, with scikit-learn's arguments and attributes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.estimators.base import positive, share
from mercer.estimators.shared_fits import SharedFits
from mercer.estimators.svm.classifier import Classifier
from mercer.estimators.svm.multiclass import Pairs
from mercer.estimators.training_data import Data
from mercer.solvers.dual import Problems, Solutions, nu_svc, svc
from mercer.solvers.limits import Limits
from mercer.typing import Array

ROUNDING = 1e-13  # share of sum |b_i| K_ii that rounding may make of a value f = 0


class SVC(Classifier):
    """C-SVC: minimise 1/2 |w|^2 + sum_i C_i max(0, 1 - y_i f(x_i)) for every pair of classes.

    Arguments are scikit-learn's; C_i = C * class_weight * sample_weight, and C = inf is the hard margin, which
    refuses data that cannot be separated.  shrinking, cache_size and random_state are accepted and have no effect:
    the solver chooses its active set itself, within the budget of mercer.configure(memory=...), and the folds of
    probability=True are always the same.  Beyond them

    penalty_intercept   adds b^2 / 2 to the objective: kernel k + 1 and no free intercept
    squared             penalises C sum of the squared slacks
    check_psd           "off", "warn" or "raise": what to do about a kernel that is not positive semi-definite
    time_limit          seconds after which the fit returns what it has, with its gap and a warning; Ctrl-C leaves
                        the same and is raised

    After fit: certificate_ (the proof; of the worst pair, with all of them in its `parts`), solution_ (what the
    solver returned, a tuple for more than two classes), and scikit-learn's attributes.
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        penalty_intercept: bool = False,
        squared: bool = False,
        check_psd: str = "warn",
        time_limit: float | None = None,
    ) -> None:
        self.C, self.kernel, self.degree, self.gamma, self.coef0 = C, kernel, degree, gamma, coef0
        self.shrinking, self.probability, self.tol, self.cache_size = shrinking, probability, tol, cache_size
        self.class_weight, self.verbose, self.max_iter = class_weight, verbose, max_iter
        self.decision_function_shape, self.break_ties = decision_function_shape, break_ties
        self.random_state = random_state
        self.penalty_intercept, self.squared = penalty_intercept, squared
        self.check_psd, self.time_limit = check_psd, time_limit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with labels y; weights scale C."""
        positive("SVC", "C", self.C, infinite=True)
        return super().fit(X, y, sample_weight)

    def shared_fits(self, y: Array, *, psd: bool | None, leave_one_out: bool) -> SharedFits | None:
        """All values of C in one call for each fold, as estimators/shared_fits.py says."""
        from mercer.estimators.svm.shared_fits import offer_of_svc

        return offer_of_svc(self, y, psd)

    def _bounds(self, weight: Array, codes: Array) -> Array:
        counts = weight > 0.0  # 0 * inf is no number
        return np.multiply(self.C, weight * self.class_weight_[codes], where=counts, out=np.zeros(len(weight)))

    def _problems(self, pairs: Pairs, bound: Array) -> Problems:
        every = svc(pairs.y, bound[pairs.index], bias=not self.penalty_intercept, squared=self.squared)
        return Problems.cut(every, pairs.index, pairs.ends, "classification")


class NuSVC(Classifier):
    """Nu-SVC: minimise 1/2 |w|^2 - nu n rho + sum_i max(0, rho - y_i f(x_i)), rho too; f / rho is returned.

    nu is at least the share of margin errors and at most the share of support vectors, and feasible up to
    2 min(n+, n-) / n.  Arguments are scikit-learn's; sample_weight scales the bounds of the coefficients, class_weight
    changes nothing, as in LIBSVM, and shrinking, cache_size and random_state have no effect.  check_psd and
    time_limit as in SVC.  The same machine is SVC(C=1 / solution_.margin).
    """

    one_class_left = "All samples with positive weights belong to the same class: the specified nu is infeasible."

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        check_psd: str = "warn",
        time_limit: float | None = None,
    ) -> None:
        self.nu, self.kernel, self.degree, self.gamma, self.coef0 = nu, kernel, degree, gamma, coef0
        self.shrinking, self.probability, self.tol, self.cache_size = shrinking, probability, tol, cache_size
        self.class_weight, self.verbose, self.max_iter = class_weight, verbose, max_iter
        self.decision_function_shape, self.break_ties = decision_function_shape, break_ties
        self.random_state = random_state
        self.check_psd, self.time_limit = check_psd, time_limit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with labels y; weights scale the bounds of the coefficients."""
        share("NuSVC", self.nu)
        return super().fit(X, y, sample_weight)

    def _bounds(self, weight: Array, codes: Array) -> Array:
        return weight

    def _judge(self, found: Solutions, data: Data, limits: Limits) -> None:
        """Keep the proof, and refuse a margin rho = 0, by which f cannot be divided."""
        super()._judge(found, data, limits)
        size = np.add.reduceat(np.abs(found.coef), found.problems.ends[:-1])
        noise = ROUNDING * size * float(np.abs(data.gram().diag()).max())  # of the values of f
        rho = found.margin if data.psd else np.abs(found.margin)  # only an indefinite kernel has one below 0
        flat = ~(rho > noise)
        if self.fit_status_:  # stopped before there was a margin: f itself has the signs that classes are told by
            found.margin = np.where(flat, 1.0, found.margin)
        elif flat.any():
            raise bad("NuSVC", "nu", "so large that a margin is left between the classes (rho > 0)",
                      f"{self.nu}, and rho = 0", "Raise nu, or choose a kernel that tells them apart.")  # fmt: skip

    def _problems(self, pairs: Pairs, bound: Array) -> Problems:
        spans = [pairs.span(p) for p in range(len(pairs))]
        places = [pairs.index[s] for s in spans]
        problems = [nu_svc(pairs.y[s], self.nu, bound[index]) for s, index in zip(spans, places, strict=True)]
        return Problems.of(problems, places, "classification")
