"""Support vector classification: C-SVC and nu-SVC, with scikit-learn's arguments and attributes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.estimators.base import positive, share
from mercer.estimators.cells.fitting import takes_cells
from mercer.estimators.low_rank import takes_landmarks
from mercer.estimators.shared_fits import SharedFits
from mercer.estimators.svm.classifier import PairwiseClassifier
from mercer.estimators.svm.fitting import exact_work, keep_proof, limits_of, training_gram
from mercer.estimators.svm.multiclass import pairs_of
from mercer.estimators.training_data import Data
from mercer.solvers.dual import DualProblems, DualSolutions, nu_svc, solve_all, svc
from mercer.typing import Array

ROUNDING = 1e-13  # rounding error of f, as a share of sum |b_i| max K_ii


@takes_cells
@takes_landmarks(exact_work, products=200.0)
class SVC(PairwiseClassifier):
    """C-SVC: minimise 1/2 |w|^2 + sum_i C_i max(0, 1 - y_i f(x_i)) for every pair of classes.

    Arguments are scikit-learn's; C_i = C * class_weight * sample_weight, and C = inf is the hard margin, which
    refuses data that cannot be separated.  shrinking, cache_size and random_state are accepted and have no effect:
    the solver chooses its active set itself, within the budget of mercer.configure(memory=...), and the folds of
    probability=True are always the same.  Further arguments:

    penalty_intercept   adds b^2 / 2 to the objective: kernel k + 1 and no free intercept
    squared             penalises C times the sum of the squared slacks
    check_psd           "off", "warn" or "raise": what to do about a kernel that is not positive semi-definite
    time_limit          seconds after which the fit ends with the solution so far, its gap and a warning; Ctrl-C does
                        the same and is then raised
    method, n_landmarks, landmarks, cell_rows   as in KernelRidge; estimate_cost(X) tells what each method would take

    After fit: certificate_ (the proof of optimality; of the worst pair, with all of them in its `parts`), solution_
    (what the solver returned, a tuple for more than two classes), and scikit-learn's attributes.
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
        method: str = "exact",
        n_landmarks: int | None = None,
        landmarks: Any = "rpcholesky",
        cell_rows: int = 2000,
    ) -> None:
        self.C, self.kernel, self.degree, self.gamma, self.coef0 = C, kernel, degree, gamma, coef0
        self.shrinking, self.probability, self.tol, self.cache_size = shrinking, probability, tol, cache_size
        self.class_weight, self.verbose, self.max_iter = class_weight, verbose, max_iter
        self.decision_function_shape, self.break_ties = decision_function_shape, break_ties
        self.random_state = random_state
        self.penalty_intercept, self.squared = penalty_intercept, squared
        self.check_psd, self.time_limit = check_psd, time_limit
        self.method, self.n_landmarks, self.landmarks, self.cell_rows = method, n_landmarks, landmarks, cell_rows

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with labels y; weights scale C."""
        # check
        positive("SVC", "C", self.C, infinite=True)
        limits = limits_of(self)
        X, codes, weight = self._checked_labels(X, y, sample_weight)
        # compute
        data, gram = training_gram(self, X)
        pairs = pairs_of(codes, np.flatnonzero(weight), len(self.classes_))
        C = self._bounds(weight, codes)[pairs.index]
        # solve
        problem = svc(pairs.y, C, bias=not self.penalty_intercept, squared=self.squared)
        problems = DualProblems(problem, pairs.index, pairs.ends, "classification")
        found = solve_all(gram, problems, limits)
        # keep
        keep_proof(self, found, data)
        self._keep_pairs(X, data, codes, pairs, found)
        self._keep_sigmoids(gram, pairs, weight, found, limits)
        return self

    def _bounds(self, weight: Array, codes: Array) -> Array:
        """C_i of every item; 0 for weight 0, also if C is infinite."""
        counts = weight > 0.0
        bounds: Array = np.zeros(len(weight))
        np.multiply(self.C, weight * self.class_weight_[codes], where=counts, out=bounds)
        return bounds

    def shared_fits(self, y: Array, *, psd: bool | None, leave_one_out: bool) -> SharedFits | None:
        """All values of C in one call for each fold, as estimators/shared_fits.py says."""
        from mercer.estimators.svm.shared_fits import offer_of_svc

        return offer_of_svc(self, y, psd) if self.takes_gram else None


class NuSVC(PairwiseClassifier):
    """Nu-SVC: minimise 1/2 |w|^2 - nu n rho + sum_i max(0, rho - y_i f(x_i)), rho too; f / rho is returned.

    nu is an upper bound of the share of margin errors and a lower bound of the share of support vectors; it must be at
    most 2 min(n+, n-) / n.  Arguments are scikit-learn's; sample_weight scales the bounds of the coefficients,
    class_weight has no effect, as in LIBSVM, nor have shrinking, cache_size and random_state.  check_psd and time_limit
    are as in SVC.  SVC(C=1 / solution_.margin) is the same machine.
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
        # check
        share("NuSVC", self.nu)
        limits = limits_of(self)
        X, codes, weight = self._checked_labels(X, y, sample_weight)
        # compute
        data, gram = training_gram(self, X)
        pairs = pairs_of(codes, np.flatnonzero(weight), len(self.classes_))
        # solve
        spans = [pairs.span(p) for p in range(len(pairs))]
        places = [pairs.index[span] for span in spans]
        each = [nu_svc(pairs.y[span], self.nu, weight[index]) for span, index in zip(spans, places, strict=True)]
        found = solve_all(gram, DualProblems.of(each, places, "classification"), limits)
        # keep
        keep_proof(self, found, data)
        found.margin = self._divisors(found, data)
        self._keep_pairs(X, data, codes, pairs, found)
        self._keep_sigmoids(gram, pairs, weight, found, limits)
        return self

    def _divisors(self, found: DualSolutions, data: Data) -> Array:
        """The margins rho by which f is divided; rho = 0 is refused."""
        size = np.add.reduceat(np.abs(found.coef), found.problems.ends[:-1])
        noise = ROUNDING * size * float(np.abs(data.gram().diag()).max())
        rho = found.margin if data.psd else np.abs(found.margin)  # below 0 only if the kernel is indefinite
        flat = ~(rho > noise)
        if flat.any() and not self.fit_status_:
            raise bad("NuSVC", "nu", "so large that a margin is left between the classes (rho > 0)",
                      f"{self.nu}, and rho = 0", "Raise nu, or choose a kernel that tells the classes apart."
                      )  # fmt: skip
        return np.asarray(np.where(flat, 1.0, found.margin))  # flat after an early stop only: f itself has the signs
