"""Generalised linear models on explicit features: g(E[y]) = w' phi(x) + b, linear in w.

phi is all monomials up to a degree, the feature map of a kernel, or any function of the items.  With the feature map
of k and no intercept the regression is kernel ridge with k and the same alpha: (K + alpha I)^-1 y.
"""

from __future__ import annotations

from math import comb
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from mercer.errors import bad
from mercer.estimators.base import KernelEstimator
from mercer.estimators.feature_machines import ridge_weights
from mercer.estimators.feature_machines.design import Design, Weights, require_squares
from mercer.estimators.feature_machines.machine import Method, fit_labels, fit_numbers, log_probabilities, most_probable
from mercer.items import Vectors
from mercer.items.vectors import is_sparse
from mercer.kernels import FeatureMap, Kernel
from mercer.kernels.maps import guard
from mercer.solvers.losses import Link, LogMean, Poisson, offering
from mercer.typing import Array

LINKS = {"gaussian": ("identity", "log"), "poisson": ("log",)}  # the links of each family, the canonical one first
BINARY = offering(Link)  # links of two classes that are not the logit


class ExplicitFeatures(Method):
    """phi(x) is computed from the items themselves; every feature has a weight."""

    def takes_gram(self, machine: Any) -> bool:
        return False

    def check(self, machine: Any) -> None:
        owner, features = type(machine).__name__, machine.features
        ridge_weights.check_alpha(owner, machine.alpha)
        ridge_weights.check_effort(owner, machine.tol, machine.max_iter)
        degree = isinstance(features, Integral) and not isinstance(features, bool) and int(features) >= 1
        if not (degree or callable(features) or isinstance(features, Kernel)):
            raise bad(owner, "features", "a degree >= 1, a kernel with a finite feature map, or a function",
                      repr(features), "E.g. features=3 for a cubic.")  # fmt: skip
        machine._check_link()

    def design(self, machine: Any, X: Any, target: Array, weight: Array) -> Design:
        machine._map = machine.kernel if isinstance(machine.kernel, Kernel) else _monomials(machine, _array(X))
        used = np.flatnonzero(weight)
        Phi = machine._phi(X)
        _require_own(machine, X, Phi)
        return Design(Phi[used], target[used], weight[used], None, used)

    def solve(self, machine: Any, design: Design) -> Weights:
        return machine._solve(design)  # type: ignore[no-any-return]

    def keep(self, machine: Any, X: Any, design: Design, found: Weights) -> None:
        machine._coef, machine.intercept_ = np.ascontiguousarray(found.W.T), found.intercept


def _monomials(machine: Any, X: Array) -> Any:
    from sklearn.preprocessing import PolynomialFeatures

    (n, D), degree = X.shape, int(machine.features)
    guard(type(machine).__name__, n, comb(D + degree, D) - 1)
    return PolynomialFeatures(degree, include_bias=False).fit(X)


def _require_own(machine: Any, X: Any, Phi: Array) -> None:
    """Refuse features of an item that depend on the other items, as counts of the words of all of them do."""
    last = np.array([len(Phi) - 1])
    alone = machine._phi(X[last])
    if alone.shape[1:] != Phi.shape[1:] or not np.allclose(alone, Phi[last]):
        raise bad(type(machine).__name__, "features", "computed from each item alone",
                  f"{machine.features!r}, which gives the last item other features when it is alone",
                  "Use a function with fixed features, or a machine with this kernel, such as L2VM.")  # fmt: skip


class FeatureGLM(KernelEstimator):
    """The features, and the weights as coef_ and intercept_."""

    _method = ExplicitFeatures()
    features: Any
    _map: Any

    @property
    def kernel(self) -> Any:
        """The kernel that checks the items: the one whose features these are, or a name if items are arrays."""
        if isinstance(self.features, Kernel):
            return self.features
        return FeatureMap(self.features) if callable(self.features) else "linear"

    @property
    def takes_gram(self) -> bool:
        return False  # features are not kernel values

    def _phi(self, X: Any) -> Array:
        """The features of checked items."""
        with np.errstate(over="ignore", invalid="ignore"):  # overflow is refused below
            found = self._map.feature_map(X) if isinstance(self._map, Kernel) else self._map.transform(_array(X))
        Phi = np.asarray(_array(found), dtype=float)
        require_squares(type(self).__name__, Phi)
        return Phi

    @property
    def coef_(self) -> Array:
        """The weights of the features, one row per function."""
        if not hasattr(self, "_coef"):
            raise AttributeError(f"{type(self).__name__} has coef_ after fit")
        return np.asarray(self._coef)

    def _functions_at(self, X: Any) -> Array:
        """w' phi(x) + b of new items, one column per function."""
        check_is_fitted(self, "_coef")
        X = self._checked(X, reset=False)
        return np.asarray(self._phi(X) @ self._coef.T + self.intercept_)


def _array(X: Any) -> Array:
    """Numbers as a dense array."""
    V = X.values if isinstance(X, Vectors) else X
    return np.asarray(V.toarray() if is_sparse(V) else V)


class FeatureGLMRegressor(RegressorMixin, FeatureGLM):  # type: ignore[misc]
    """y of a family with mean w' phi(x) + b ("gaussian") or exp(w' phi(x) + b) ("poisson"), and alpha/2 |w|^2.

    link        None is the canonical one of the family; family="gaussian" also has "log", for a mean exp(w' phi(x) + b)
                with noise that does not grow with it

    features    a degree (all monomials up to it), a kernel with a finite feature map, or a function of all items that
                returns one row of numbers for each

    alpha = 0 is plain maximum likelihood; linearly dependent features then get the weights of least norm, with a
    warning.  After fit: coef_, intercept_, certificate_.
    """

    def __init__(
        self,
        features: Any = 1,
        *,
        family: str = "gaussian",
        link: str | None = None,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        tol: float = 1e-10,
        max_iter: int = 100,
    ) -> None:
        self.features, self.family, self.link = features, family, link
        self.alpha, self.fit_intercept, self.tol, self.max_iter = alpha, fit_intercept, tol, max_iter

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with numbers y."""
        fit_numbers(self, X, y, sample_weight)
        return self

    def _check_link(self) -> None:
        owner = type(self).__name__
        if self.family not in LINKS:
            raise bad(owner, "family", f"one of {tuple(LINKS)}", repr(self.family),
                      "For classes use FeatureGLMClassifier.")  # fmt: skip
        if self.link not in (None, *LINKS[self.family]):
            raise bad(owner, "link", f"one of {LINKS[self.family]} for family={self.family!r}", repr(self.link),
                      "None is the canonical one.")  # fmt: skip

    @property
    def _exponential(self) -> bool:
        """Whether the mean is exp(f)."""
        return (self.link or LINKS[self.family][0]) == "log"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.family == "poisson"
        return tags

    def _solve(self, design: Design) -> Weights:
        owner, alpha = type(self).__name__, float(self.alpha)
        if not self._exponential:
            return ridge_weights.from_least_squares(
                ridge_weights.regression(owner, design, alpha, fit_intercept=self.fit_intercept)
            )
        family = Poisson() if self.family == "poisson" else LogMean()
        return ridge_weights.from_likelihood(ridge_weights.likelihood(
            owner, design, family, alpha, fit_intercept=self.fit_intercept, tol=self.tol, max_iter=self.max_iter
        ))  # fmt: skip

    def predict(self, X: Any) -> Array:
        """E[y | x]."""
        f = self._functions_at(X)[:, 0]
        return np.asarray(np.exp(f)) if self._exponential else f


class FeatureGLMClassifier(ClassifierMixin, FeatureGLM):  # type: ignore[misc]
    """P(y | x) logistic or softmax in w' phi(x) + b, with a ridge alpha/2 |w|^2.

    link        None is the logit; for two classes also "probit", P = Phi(f), and "cloglog", P = 1 - exp(-exp(f))

    features as in FeatureGLMRegressor; alpha is scikit-learn's 1 / C, and alpha = 0 refuses classes that the features
    separate.  After fit: coef_, intercept_, classes_, certificate_.
    """

    def __init__(
        self,
        features: Any = 1,
        *,
        link: str | None = None,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-10,
        max_iter: int = 100,
    ) -> None:
        self.features, self.link, self.class_weight = features, link, class_weight
        self.alpha, self.fit_intercept, self.tol, self.max_iter = alpha, fit_intercept, tol, max_iter

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with labels y."""
        fit_labels(self, X, y, sample_weight)
        return self

    def _check_link(self) -> None:
        """What a link may be depends on the number of classes: `_solve` checks it."""

    def _solve(self, design: Design) -> Weights:
        owner, classes = type(self).__name__, len(self.classes_)
        if self.link not in (None, "logit", *BINARY) or (self.link in BINARY and classes > 2):
            expected = "'logit', or for two classes " + " or ".join(map(repr, BINARY))
            raise bad(owner, "link", expected, f"{self.link!r} for {classes} classes", "None is the logit.")
        family: Any = ridge_weights.family_of(classes) if self.link in (None, "logit") else BINARY[str(self.link)]
        return ridge_weights.from_likelihood(ridge_weights.likelihood(
            owner, design, family, float(self.alpha), fit_intercept=self.fit_intercept, tol=self.tol,
            max_iter=self.max_iter,
        ))  # fmt: skip

    def decision_function(self, X: Any) -> Array:
        """The log odds of the second class; for more than two classes one column per class, equal up to a constant."""
        f = self._functions_at(X)
        f = f[:, 0] if len(self.classes_) == 2 else f
        return BINARY[self.link].log_odds(f) if self.link in BINARY else f

    def predict(self, X: Any) -> Array:
        """The most probable class."""
        codes = most_probable(self.decision_function(X))
        return np.asarray(self.classes_[codes])

    def predict_log_proba(self, X: Any) -> Array:
        """log P(class | x) in the order of classes_."""
        return log_probabilities(self.decision_function(X))

    def predict_proba(self, X: Any) -> Array:
        """P(class | x) in the order of classes_."""
        return np.asarray(np.exp(self.predict_log_proba(X)))
