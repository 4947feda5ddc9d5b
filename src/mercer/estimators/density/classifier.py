"""Classification by Bayes' rule from a kernel density of every class: p(c | x) is proportional to p(c) p(x | c)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer.errors import bad, warn
from mercer.estimators.base import numbers, weights
from mercer.estimators.density.class_bandwidths import class_bandwidths
from mercer.estimators.density.kernel_density import KernelDensity
from mercer.estimators.labels import Labels
from mercer.typing import Array
from mercer.windows import window_of

_RTOL = 1e-6  # of the density of each class


class BeyondReach(UserWarning):
    """New rows at which every class has density 0."""


class KernelDensityClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The class c with the largest p(c) p(x | c), p(x | c) a kernel density of the rows of class c.

    bandwidth   a number, one per column, or a rule: "scott", "silverman", "normal", "isj", "sj", "lscv" or "lcv";
                a rule is applied to each class by itself
    kernel      the window: "gaussian", "epanechnikov", "tricube", "boxcar", ..., or an object of mercer.windows
    priors      p(c) in the order of classes_; the shares of the classes in the training rows if None

    After fit: classes_, class_prior_, densities_ (a fitted KernelDensity for every class), bandwidths_ (classes,
    columns), and pooled_, which marks the columns that do not vary within a class, for which a rule has no answer: they
    take the bandwidth of all rows, or 1 if no row differs.

    All is computed with logarithms, so that probabilities are right far from all rows too, where every density
    underflows.  Where all densities are 0, beyond the reach of a compact window, the probabilities are the priors,
    with a warning (BeyondReach); `covered` says where that is.
    """

    def __init__(self, bandwidth: Any = "silverman", *, kernel: Any = "gaussian", priors: Any = None) -> None:
        self.bandwidth, self.kernel, self.priors = bandwidth, kernel, priors

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Keep the rows of every class, and choose their bandwidths."""
        owner = type(self).__name__
        if y is None:
            raise ValueError(f"{owner} requires y to be passed, but the target y is None.")
        X, y = validate_data(self, X, y, dtype=np.float64)
        labels = Labels.of(owner, y)
        w = weights(owner, sample_weight, len(X))
        labels.require_all(owner, w > 0.0)
        rows, codes, w = X[w > 0.0], labels.codes[w > 0.0], w[w > 0.0]
        window = window_of(self.kernel, owner)
        share = np.bincount(codes, w) / w.sum()
        self.class_prior_ = share if self.priors is None else _priors(owner, self.priors, len(share))
        self.bandwidths_, self.pooled_ = class_bandwidths(owner, self.bandwidth, rows, codes, w, window)
        self.classes_ = labels.classes
        self.densities_ = []
        for c, h in enumerate(self.bandwidths_):
            density = KernelDensity(bandwidth=h, kernel=self.kernel, rtol=_RTOL)
            self.densities_.append(density.fit(rows[codes == c], sample_weight=w[codes == c]))
        return self

    def class_log_densities(self, X: Any) -> Array:
        """(rows, classes): log p(x | c); -inf where a class has density 0."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.column_stack([density.score_samples(X) for density in self.densities_])

    def covered(self, X: Any) -> Array:
        """Whether some class has a density above 0, for every row."""
        return np.asarray((self.class_log_densities(X) > -np.inf).any(axis=1))

    def predict_log_proba(self, X: Any) -> Array:
        """log p(c | x), in the order of classes_."""
        with np.errstate(divide="ignore"):
            prior = np.log(self.class_prior_) if hasattr(self, "class_prior_") else 0.0
        joint = self.class_log_densities(X) + prior
        outside = ~(joint > -np.inf).any(axis=1)
        if outside.any():
            warn(f"{type(self).__name__}: {outside.sum()} of {len(joint)} rows are beyond the reach of the window from "
                 "all training rows; their probabilities are the priors.", BeyondReach)  # fmt: skip
            joint[outside] = prior
        return np.asarray(log_softmax(joint, axis=1))

    def predict_proba(self, X: Any) -> Array:
        """p(c | x), in the order of classes_."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> Array:
        """The most probable class of every row."""
        logs = self.predict_log_proba(X)
        return np.asarray(self.classes_[np.argmax(logs, axis=1)])


def _priors(owner: str, given: Any, classes: int) -> Array:
    p = numbers(owner, "priors", given)
    if p.shape != (classes,) or not (np.isfinite(p) & (p >= 0.0)).all() or not np.isclose(p.sum(), 1.0):
        raise bad(owner, "priors", f"{classes} numbers >= 0 of sum 1, in the order of the classes", repr(given),
                  "Leave it out for the shares in the training rows.")  # fmt: skip
    return np.asarray(p / p.sum())
