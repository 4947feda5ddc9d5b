"""L1VM: every training item is a prototype, and an l1 penalty keeps few of them.

    minimise  sum_i s_i loss(y_i, w' phi(x_i) + b) + alpha sum_j |w_j|,    phi(x) = [k(x, x_1), ..., k(x, x_n)]

The loss is (y - f)^2 / 2, or -log P(y | x) of a logistic model; with more than two classes the weights of an item form
a group, penalised by alpha |W_j|_2, so that an item is kept for all classes or for none.  The problem is convex
whatever the kernel, and every answer comes with its duality gap (solvers/sparse).

alpha is a number, or chosen by cross-validation: "cv" tries a path from the alpha that keeps nothing down to a
thousandth of it, a sequence tries these.  The items of a fold are fitted by themselves: they are the
prototypes, their part of the design matrix is used, and alpha is multiplied by their share of the total weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np

from mercer.engine import fill
from mercer.engine.interrupts import until_interrupted
from mercer.errors import bad
from mercer.estimators.feature_machines.design import Design, Weights
from mercer.estimators.feature_machines.machine import FeatureClassifier, FeatureRegressor, Method
from mercer.estimators.feature_machines.placement import check_prototypes
from mercer.estimators.feature_machines.ridge_weights import check_effort
from mercer.solvers.sparse import SparseSolution, lambda_grid, lambda_max, sparse_path
from mercer.typing import Array


class L1VM(Method):
    """The choice of alpha, and the path of solutions down to it."""

    def check(self, machine: Any) -> None:
        owner = type(machine).__name__
        check_prototypes(owner, machine.n_prototypes)
        check_effort(owner, machine.tol, machine.max_iter)
        given = np.atleast_1d(np.asarray(machine.alpha, dtype=object))
        if not _whole_path(machine) and not (
            given.size and all(isinstance(a, Real) and 0.0 < float(a) < np.inf for a in given.ravel())
        ):
            raise bad(owner, "alpha", "a positive number, several, or 'cv'", repr(machine.alpha),
                      "It multiplies |w|_1; without a penalty use L2VM with a small alpha.")  # fmt: skip
        if not isinstance(machine.n_alphas, Integral) or machine.n_alphas < 1:
            raise bad(owner, "n_alphas", "an integer >= 1", repr(machine.n_alphas), "50 are usual.")

    def solve(self, machine: Any, design: Design) -> Weights:
        if isinstance(machine.alpha, Real):
            machine.alpha_, machine.lambda_path_ = float(machine.alpha), np.array([float(machine.alpha)])
        else:
            machine.lambda_path_ = self._candidates(machine, design)
            machine.cv_loss_ = self._held_out(machine, design, machine.lambda_path_)
            machine.alpha_ = float(machine.lambda_path_[np.argmin(machine.cv_loss_.mean(axis=0))])
        path = machine.lambda_path_[machine.lambda_path_ >= machine.alpha_]
        Phi = _by_columns(design.Phi)
        machine.path_ = tuple(self._path(machine, Phi, design.target, design.weight, path))
        best = machine.path_[-1]
        return Weights(best.W, best.intercept, best)

    def _path(self, machine: Any, Phi: Array, target: Array, weight: Array, lambdas: Array) -> list[SparseSolution]:
        return sparse_path(
            Phi, target, machine._family(), lambdas.tolist(), weight=weight, fit_intercept=machine.fit_intercept,
            tol=machine.tol, max_iter=machine.max_iter,
        )  # fmt: skip

    # ---- the choice of alpha

    def _candidates(self, machine: Any, design: Design) -> Array:
        """The alphas to choose from, largest first."""
        if not _whole_path(machine):
            return np.sort(np.asarray(machine.alpha, dtype=float).ravel())[::-1]
        largest = lambda_max(
            _by_columns(design.Phi), design.target, machine._family(),
            weight=design.weight, fit_intercept=machine.fit_intercept,
        )  # fmt: skip
        return lambda_grid(largest, machine.n_alphas)

    def _held_out(self, machine: Any, design: Design, lambdas: Array) -> Array:
        """(folds, lambdas): the mean loss of every fold under the machines fitted to the others.

        After an interrupt the complete folds are used; if there is none, alpha cannot be chosen.
        """
        family, s = machine._family(), design.weight
        losses: list[list[float]] = []
        t, work = family.statistic(design.target), until_interrupted()
        assert design.used is not None
        rows_of_prototypes = np.searchsorted(design.used, design.places)
        for train, test in self._folds(machine, design.target):
            fill.require_memory("The design matrix of a fold", 8 * len(train) ** 2, "Pass alpha as a number.")
            own = np.flatnonzero(np.isin(rows_of_prototypes, train))
            Phi = design.Phi[np.ix_(train, own)]
            share = s[train].sum() / s.sum()
            found = self._path(machine, _by_columns(Phi), design.target[train], s[train], share * lambdas)
            if work.came() and losses:
                break
            if work.came():
                raise KeyboardInterrupt("L1VM was interrupted before the first fold was complete.")
            cross = design.Phi[np.ix_(test, own)]
            scores = [family.hidden(cross[:, m.support] @ m.weights + m.intercept) for m in found]
            losses.append([s[test] @ family.loss(f, t[test]) / s[test].sum() for f in scores])
        return np.array(losses)

    def _folds(self, machine: Any, target: Array) -> Iterator[tuple[Array, Array]]:
        """Pairs (train, test) of positions; a number of folds is shuffled, and stratified when there are classes."""
        from sklearn.model_selection import KFold, StratifiedKFold, check_cv

        owner, classes = type(machine).__name__, isinstance(machine, FeatureClassifier)
        if not isinstance(machine.cv, Integral):
            splitter = check_cv(machine.cv, target, classifier=classes)
        elif not 2 <= int(machine.cv) <= len(target):
            raise bad(owner, "cv", f"between 2 and the number of items ({len(target)})", machine.cv,
                      "Or pass alpha as a number.")  # fmt: skip
        else:
            kind = StratifiedKFold if classes else KFold
            splitter = kind(int(machine.cv), shuffle=True, random_state=machine.random_state)
        for train, test in splitter.split(np.zeros(len(target)), target):
            if classes and len(np.unique(target[train])) < len(machine.classes_):
                raise bad(owner, "cv", "folds that leave items of every class to learn from", machine.cv,
                          "Or pass alpha as a number.")  # fmt: skip
            yield train, test


def _by_columns(Phi: Array) -> Array:
    """Phi with contiguous columns."""
    return np.asfortranarray(Phi)


def _whole_path(machine: Any) -> bool:
    return isinstance(machine.alpha, str) and machine.alpha == "cv"


class L1VMRegressor(FeatureRegressor):
    """y = w' phi(x) + b with an l1 penalty: the lasso on kernel values.

    alpha multiplies |w|_1 beside sum (y - f)^2 / 2; it is a number, "cv" (n_alphas of them), or several to choose from
    by cross-validation with `cv` folds or a splitter.  scikit-learn's Lasso(a) on k(X) is this at alpha = a n.  tol
    bounds the relative duality gap, max_iter the linear systems per alpha.  n_prototypes takes so many landmarks among
    the training items as prototypes; None takes them all.

    After fit: alpha_; lambda_path_, the alphas tried, and cv_loss_ (folds, alphas) when it was chosen; path_, the
    solutions down to alpha_; certificate_, the duality gap; and what kernel machines have: support_ are the items kept.
    """

    _method = L1VM()

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        alpha: Any = 1.0,
        n_alphas: int = 50,
        cv: Any = 5,
        fit_intercept: bool = True,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        random_state: Any = 0,
        n_prototypes: int | None = None,
    ) -> None:
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.alpha, self.n_alphas, self.cv, self.fit_intercept = alpha, n_alphas, cv, fit_intercept
        self.tol, self.max_iter, self.random_state = tol, max_iter, random_state
        self.n_prototypes = n_prototypes


class L1VMClassifier(FeatureClassifier):
    """P(y | x) logistic or softmax in w' phi(x) + b with an l1 penalty, group by group for more than two classes.

    alpha multiplies |w|_1, or sum_j |W_j|_2, beside the negative log likelihood: scikit-learn's 1 / C; it is a number,
    "cv" (n_alphas of them), or several to choose from by cross-validation with `cv` folds or a splitter.  tol bounds
    the relative duality gap, max_iter the linear systems per alpha.  n_prototypes as in L1VMRegressor.

    After fit: alpha_; lambda_path_, the alphas tried, and cv_loss_ (folds, alphas) when it was chosen; path_, the
    solutions down to alpha_; certificate_, the duality gap; classes_; and what kernel machines have: support_ are the
    items kept.
    """

    _method = L1VM()

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        alpha: Any = 1.0,
        n_alphas: int = 50,
        cv: Any = 5,
        fit_intercept: bool = True,
        class_weight: Any = None,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        random_state: Any = 0,
        n_prototypes: int | None = None,
    ) -> None:
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.alpha, self.n_alphas, self.cv, self.fit_intercept = alpha, n_alphas, cv, fit_intercept
        self.class_weight, self.tol, self.max_iter, self.random_state = class_weight, tol, max_iter, random_state
        self.n_prototypes = n_prototypes
