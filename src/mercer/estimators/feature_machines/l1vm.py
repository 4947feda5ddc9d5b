"""L1VM: every training item is a prototype, and an l1 penalty keeps few of them.

    minimise  sum_i s_i loss(y_i, w' phi(x_i) + b) + alpha sum_j |w_j|,    phi(x) = [k(x, x_1), ..., k(x, x_n)]

The loss is (y - f)^2 / 2, or -log P(y | x) of a logistic model; with more than two classes the weights of an item form
a group, penalised by alpha |W_j|_2, so that an item is kept for all classes or for none.  The problem is convex
whatever the kernel, and every answer comes with its duality gap (solvers/sparse).

alpha is a number, or chosen by cross-validation: "cv" tries a path from the alpha that keeps nothing down to a
thousandth of it, a sequence tries these.  A fold is fitted as if it were all there is, with its own items as
prototypes, on its part of the one design matrix, and with alpha in proportion to its weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np

from mercer.engine import fill
from mercer.engine.interrupts import until_interrupted
from mercer.errors import bad
from mercer.estimators.feature_machines.design import (
    Design,
    FeatureClassifier,
    FeatureMachine,
    FeatureRegressor,
    Weights,
)
from mercer.estimators.feature_machines.ridge import check_effort, family_of
from mercer.solvers.losses import Family, Gaussian
from mercer.solvers.sparse import SparseSolution, lambda_grid, lambda_max, sparse_path
from mercer.typing import Array


class L1VM(FeatureMachine):
    """What both share: the choice of alpha, and the path."""

    alpha: Any
    n_alphas: int
    cv: Any
    fit_intercept: bool
    tol: float
    max_iter: int
    random_state: Any

    def _family(self) -> Family:
        raise NotImplementedError

    def _check_options(self) -> None:
        owner = type(self).__name__
        check_effort(owner, self.tol, self.max_iter)
        given = np.atleast_1d(np.asarray(self.alpha, dtype=object))
        if not self._whole_path and not (
            given.size and all(isinstance(a, Real) and 0.0 < float(a) < np.inf for a in given.ravel())
        ):
            raise bad(owner, "alpha", "a positive number, several, or 'cv'", repr(self.alpha),
                      "It multiplies |w|_1; without a penalty use L2VM with a small alpha.")  # fmt: skip
        if not isinstance(self.n_alphas, Integral) or self.n_alphas < 1:
            raise bad(owner, "n_alphas", "an integer >= 1", repr(self.n_alphas), "50 are usual.")

    @property
    def _whole_path(self) -> bool:
        return isinstance(self.alpha, str) and self.alpha == "cv"

    # ---- fitting

    def _solve(self, design: Design) -> Weights:
        if isinstance(self.alpha, Real):
            self.alpha_, self.lambda_path_ = float(self.alpha), np.array([float(self.alpha)])
        else:
            self.lambda_path_ = self._candidates(design)
            self.cv_loss_ = self._held_out(design, self.lambda_path_)
            self.alpha_ = float(self.lambda_path_[np.argmin(self.cv_loss_.mean(axis=0))])
        path = self.lambda_path_[self.lambda_path_ >= self.alpha_]
        self.path_ = tuple(self._path(design.Phi.T, design.target, design.weight, path))  # K = K', in the better order
        best = self.path_[-1]
        return Weights(best.W, best.intercept, best)

    def _path(self, Phi: Array, target: Array, weight: Array, lambdas: Array) -> list[SparseSolution]:
        return sparse_path(
            Phi, target, self._family(), lambdas.tolist(), weight=weight, fit_intercept=self.fit_intercept,
            tol=self.tol, max_iter=self.max_iter,
        )  # fmt: skip

    # ---- the choice of alpha

    def _candidates(self, design: Design) -> Array:
        """The alphas to choose from, largest first."""
        if not self._whole_path:
            return np.sort(np.asarray(self.alpha, dtype=float).ravel())[::-1]
        largest = lambda_max(
            design.Phi.T, design.target, self._family(), weight=design.weight, fit_intercept=self.fit_intercept
        )
        return lambda_grid(largest, self.n_alphas)

    def _held_out(self, design: Design, lambdas: Array) -> Array:
        """(folds, lambdas): the mean loss of every fold under the machines fitted to the others.

        An interrupt leaves the folds that are complete; without one there is nothing to choose by.
        """
        family, s = self._family(), design.weight
        losses: list[list[float]] = []
        t, work = family.statistic(design.target), until_interrupted()
        for train, test in self._folds(design.target):
            fill.require_memory("The design matrix of a fold", 8 * len(train) ** 2, "Pass alpha as a number.")
            Phi = design.Phi[np.ix_(train, train)]
            share = s[train].sum() / s.sum()
            found = self._path(Phi.T, design.target[train], s[train], share * lambdas)
            if work.came() and losses:
                break
            if work.came():
                raise KeyboardInterrupt("L1VM was interrupted before the first fold was complete.")
            cross = design.Phi[np.ix_(test, train)]
            scores = [family.hidden(cross[:, m.support] @ m.weights + m.intercept) for m in found]
            losses.append([s[test] @ family.loss(f, t[test]) / s[test].sum() for f in scores])
        return np.array(losses)

    def _folds(self, target: Array) -> Iterator[tuple[Array, Array]]:
        """Pairs (train, test) of positions; a number of folds is shuffled, and stratified when there are classes."""
        from sklearn.model_selection import KFold, StratifiedKFold, check_cv

        classes = isinstance(self, FeatureClassifier)
        if not isinstance(self.cv, Integral):
            splitter = check_cv(self.cv, target, classifier=classes)
        elif not 2 <= int(self.cv) <= len(target):
            raise bad(type(self).__name__, "cv", f"between 2 and the number of items ({len(target)})", self.cv,
                      "Or pass alpha as a number.")  # fmt: skip
        else:
            kind = StratifiedKFold if classes else KFold
            splitter = kind(int(self.cv), shuffle=True, random_state=self.random_state)
        for train, test in splitter.split(np.zeros(len(target)), target):
            if classes and len(np.unique(target[train])) < len(self.classes_):
                raise bad(type(self).__name__, "cv", "folds that leave items of every class to learn from", self.cv,
                          "Or pass alpha as a number.")  # fmt: skip
            yield train, test


class L1VMRegressor(L1VM, FeatureRegressor):
    """y = w' phi(x) + b with an l1 penalty: the lasso on kernel values.

    alpha multiplies |w|_1 beside sum (y - f)^2 / 2; it is a number, "cv" (n_alphas of them), or several to choose from
    by cross-validation with `cv` folds or a splitter.  scikit-learn's Lasso(a) on k(X) is this at alpha = a n.  tol
    bounds the relative duality gap, max_iter the linear systems per alpha.

    After fit: alpha_; lambda_path_, the alphas tried, and cv_loss_ (folds, alphas) when it was chosen; path_, the
    solutions down to alpha_; certificate_, the duality gap; and what kernel machines have: support_ are the items kept.
    """

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
    ) -> None:
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.alpha, self.n_alphas, self.cv, self.fit_intercept = alpha, n_alphas, cv, fit_intercept
        self.tol, self.max_iter, self.random_state = tol, max_iter, random_state

    def _family(self) -> Gaussian:
        return Gaussian()


class L1VMClassifier(L1VM, FeatureClassifier):
    """P(y | x) logistic or softmax in w' phi(x) + b with an l1 penalty, group by group for more than two classes.

    alpha multiplies |w|_1, or sum_j |W_j|_2, beside the negative log likelihood: scikit-learn's 1 / C; it is a number,
    "cv" (n_alphas of them), or several to choose from by cross-validation with `cv` folds or a splitter.  tol bounds
    the relative duality gap, max_iter the linear systems per alpha.

    After fit: alpha_; lambda_path_, the alphas tried, and cv_loss_ (folds, alphas) when it was chosen; path_, the
    solutions down to alpha_; certificate_, the duality gap; classes_; and what kernel machines have: support_ are the
    items kept.
    """

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
    ) -> None:
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.alpha, self.n_alphas, self.cv, self.fit_intercept = alpha, n_alphas, cv, fit_intercept
        self.class_weight, self.tol, self.max_iter, self.random_state = class_weight, tol, max_iter, random_state

    def _family(self) -> Family:
        return family_of(len(self.classes_))
