"""Kernel discriminant analysis of two classes or more; the mathematics is in solvers/discriminant.py."""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from mercer.errors import NotPositiveDefinite, bad
from mercer.estimators.base import KernelEstimator, numbers
from mercer.estimators.labels import Labels
from mercer.estimators.positivity import require_positive
from mercer.estimators.ridge.kernel_ridge import owned_gram
from mercer.linalg.spectrum import Spectrum
from mercer.solvers import ridge
from mercer.solvers.discriminant import Discriminant, class_targets, discriminant
from mercer.solvers.ridge import Expansion, Targets
from mercer.typing import Array, Gram

CANDIDATES = tuple(10.0 ** (p / 2.0) for p in range(-12, 5))  # shrinkages that "auto" chooses from
ROWS = 2000  # items on which it chooses; of more, a sample of every class


class KernelLDA(ClassNamePrefixFeaturesOutMixin, ClassifierMixin, TransformerMixin, KernelEstimator):  # type: ignore[misc]
    """Directions that part classes in the space of a kernel, and the classifier of normal clouds along them.

    They maximise (w, S_b w) / (w, (S_w + delta) w), scatter between classes over scatter within; found by one
    factorisation of K + delta I and a solve for each class but one.

    kernel, gamma, degree, coef0   as in SVC, on any kind of item
    n_components    axes that `transform` gives, at most classes - 1, which is the default
    shrinkage       delta in units of the mean of k(x, x) after centring, so that it does not depend on the scale of the
                    kernel; "auto" chooses it by the squared leave-one-out error of the class scores, exactly (among
                    more than 2000 items on a sample)
    priors          probabilities of the classes in the order of classes_; None: their shares
    check_psd       "off", "warn" or "raise": what to do about a kernel that is not positive semi-definite

    Coordinates are those of `transform`: the covariance within classes is I, also of new items, as it is estimated
    from scores that leave their own item out; so are the probabilities.  Of two classes the axis points to the second.

    After fit: classes_, priors_, means_ (classes, axes), shrinkage_, explained_variance_ratio_ (shares of the variance
    between classes), dual_coef_, intercept_, certificate_; for "auto" loo_error_ of every candidate.
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        n_components: int | None = None,
        shrinkage: Any = "auto",
        priors: Any = None,
        check_psd: str = "warn",
    ) -> None:
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.n_components, self.shrinkage, self.priors, self.check_psd = n_components, shrinkage, priors, check_psd

    # ---- fitting

    def fit(self, X: Any, y: Any) -> Self:
        """Fit to items X with labels y."""
        X, y = self._checked(X, y, reset=True)
        labels = Labels.of("KernelLDA", y)
        classes, codes = len(labels.classes), labels.codes
        if len(codes) <= classes:
            raise bad("KernelLDA", "X", "more items than classes", f"{len(codes)} items of {classes} classes",
                      "Within a class of one item there is no scatter.")  # fmt: skip
        self._axes = self._count(classes)
        self.classes_, self.priors_ = labels.classes, self._shares(codes, classes)
        data = self._data(X)
        require_positive(self, data)
        gram, targets = data.double().gram(), _targets(codes, classes)
        self.shrinkage_ = self._shrinkage(gram, codes)
        answer, left, Ka, alpha = _solved(gram, targets, self.shrinkage_)
        alone = np.bincount(codes)[codes] == 1  # of its class the others know nothing
        left[alone] = (Ka + answer.intercept)[alone]
        if not np.isfinite(left).all():
            raise NotPositiveDefinite(
                "KernelLDA: K + delta I must be positive definite; got scores of left-out items that are not finite, "
                f"with shrinkage = {self.shrinkage_:.3g}. Use a kernel with psd=True, mercer.repair, or more shrinkage."
            )
        found = discriminant(left, codes, self.priors_)
        self.certificate_ = ridge.certify_ridge(targets, answer, alpha, Ka, psd=data.psd)
        self.n_iter_, self.converged_ = 1, self.certificate_.converged
        self._describe(found)
        coef = answer.coef @ found.projection
        self._keep(X, data, np.arange(len(codes)), coef, (answer.intercept - found.centre) @ found.projection)
        return self

    def _count(self, classes: int) -> int:
        n = self.n_components
        if n is None:
            return classes - 1
        if not isinstance(n, (int, np.integer)) or isinstance(n, bool) or not 1 <= n <= classes - 1:
            raise bad("KernelLDA", "n_components", f"an integer from 1 to {classes - 1}, the classes less one", repr(n),
                      "None is all of them.")  # fmt: skip
        return int(n)

    def _shares(self, codes: Array, classes: int) -> Array:
        """The probabilities of the classes."""
        if self.priors is None:
            return np.asarray(np.bincount(codes, minlength=classes) / len(codes))
        priors = numbers("KernelLDA", "priors", self.priors)
        if priors.shape != (classes,) or not (priors > 0.0).all() or not np.isclose(priors.sum(), 1.0):
            raise bad("KernelLDA", "priors", f"{classes} positive numbers with the sum 1", repr(self.priors),
                      "None takes the shares of the classes.")  # fmt: skip
        return np.asarray(priors / priors.sum())

    def _shrinkage(self, gram: Gram, codes: Array) -> float:
        self.__dict__.pop("loo_error_", None)
        given = self.shrinkage
        if isinstance(given, Real) and not isinstance(given, bool) and 0.0 < float(given) < np.inf:
            return float(given)
        if not isinstance(given, str) or given != "auto":
            raise bad("KernelLDA", "shrinkage", "'auto' or a positive number", repr(given),
                      "It is added to the diagonal of the Gram.")  # fmt: skip
        some = _sample(codes)
        part = gram if len(some) == len(codes) else gram.sub(some)
        classes, own = np.unique(codes[some], return_inverse=True)
        K, unit = _unit(part)
        alphas = unit * np.array(CANDIDATES)
        with np.errstate(invalid="ignore", divide="ignore"):  # of an indefinite Gram: no candidate
            found = ridge.leave_one_out(Spectrum.of_matrix(K), _targets(own, len(classes)), alphas)
        self.loo_error_ = np.where(np.isfinite(found.errors), found.errors, np.inf)
        return float(CANDIDATES[int(np.argmin(self.loo_error_))])

    def _describe(self, found: Discriminant) -> None:
        """What is known of the classes, along the axes."""
        total = float(found.strength.sum())
        self._classes, self.means_ = found, found.means
        self.explained_variance_ratio_ = found.strength / total if total > 0.0 else np.zeros_like(found.strength)

    # ---- what follows from it

    @property
    def _n_features_out(self) -> int:
        """The number of axes, for get_feature_names_out."""
        return self._axes

    def transform(self, X: Any) -> Array:
        """Coordinates of items along the axes, the best first; the covariance within classes is about I."""
        X = self._items(X)
        return self._all_values(X)[:, : self._axes]

    def _log_joint(self, X: Any) -> Array:
        X = self._items(X)
        return self._classes.log_joint(self._all_values(X))

    def decision_function(self, X: Any) -> Array:
        """log P(class) - |z - mean|^2 / 2 for every class; of two the difference, positive for the second."""
        f = self._log_joint(X)
        return f[:, 1] - f[:, 0] if f.shape[1] == 2 else f

    def predict(self, X: Any) -> Array:
        """The most probable class."""
        f = self._log_joint(X)
        return np.asarray(self.classes_[np.argmax(f, axis=1)])

    def predict_log_proba(self, X: Any) -> Array:
        """log P(class | x) in the order of classes_."""
        f = self._log_joint(X)
        f -= f.max(axis=1, keepdims=True)
        return np.asarray(f - np.log(np.exp(f).sum(axis=1, keepdims=True)))

    def predict_proba(self, X: Any) -> Array:
        """P(class | x) in the order of classes_."""
        return np.asarray(np.exp(self.predict_log_proba(X)))


def _targets(codes: Array, classes: int) -> Targets:
    return Targets(class_targets(codes, classes), np.ones(len(codes)), intercept=True)


def _unit(gram: Gram) -> tuple[Array, float]:
    """The Gram as an array that may be overwritten, and the mean of its diagonal after centring, 1 where that is 0."""
    K = owned_gram(gram)
    mean = float(np.diagonal(K).mean())
    unit = mean - float(K.mean())
    return K, unit if unit > 1e-14 * abs(mean) else 1.0


def _solved(gram: Gram, targets: Targets, shrinkage: float) -> tuple[Expansion, Array, Array, float]:
    """The regression, the scores of each item by the others, K a, and delta.

    Without an item its class has a smaller share, which moves the level of all scores against it, by y / (n - 1); that
    would look like a difference between classes where there is none, and is taken back.
    """
    K, unit = _unit(gram)
    alpha = shrinkage * unit
    system = ridge.factorised(K, alpha)
    with np.errstate(invalid="ignore", divide="ignore"):  # of an indefinite Gram, which is refused
        answer = ridge.solve_ridge(system, targets, alpha)
        left = targets.Y - ridge.leave_one_out_residuals(system, targets, alpha)
    left += targets.Y / (len(left) - 1)
    Ka = system.times(answer.coef) if isinstance(system, ridge.Factored) else gram @ answer.coef
    return answer, left, np.asarray(Ka), alpha


def _sample(codes: Array) -> Array:
    """Positions of at most about ROWS items, of every class its share and at least two if there are."""
    if len(codes) <= ROWS:
        return np.arange(len(codes))
    order = np.random.default_rng(0).permutation(len(codes))
    share = ROWS / len(codes)
    parts = [order[codes[order] == k] for k in range(int(codes.max()) + 1)]
    return np.sort(np.concatenate([part[: max(2, round(share * len(part)))] for part in parts]))
