"""Classification by the vote of the nearest neighbours in the feature space of a kernel."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from mercer.estimators.labels import Labels
from mercer.estimators.neighbours.machine import KernelNeighbours
from mercer.estimators.shared_fits import SharedFits
from mercer.typing import Array


class KernelKNeighborsClassifier(ClassifierMixin, KernelNeighbours):  # type: ignore[misc]
    """The class with most votes among the n_neighbors training items nearest to x.

    Near by d^2(x, y) = k(x, x) + k(y, y) - 2 k(x, y), the distance of feature vectors; items at equal distances are
    taken in their order.  Of classes with equal votes, that of the nearest neighbour is taken.

    n_neighbors     how many items vote
    weights         "uniform", "distance" (1 / d), or a function of the array of distances
    kernel          an object, a name, an expression, a function or "precomputed"; then X has k(x, x_j) in its rows
    gamma, degree, coef0    parameters of named kernels, as in SVC
    check_psd       "off", "warn" or "raise": what to do about a kernel that is not positive semi-definite

    After fit: classes_, n_samples_fit_, certificate_.  Memory is linear in the number of items.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Remember the items X with labels y."""
        X, y = self._checked(X, y, reset=True)
        labels = Labels.of(type(self).__name__, y)
        self._remember(X)
        self.classes_, self._codes = labels.classes, labels.codes
        return self

    def shared_fits(self, y: Array, *, psd: bool | None, leave_one_out: bool) -> SharedFits | None:
        """All numbers of neighbours in one call, as estimators/shared_fits.py says."""
        from mercer.estimators.neighbours.shared_fits import offer_of_classifier

        return offer_of_classifier(self, y, psd)

    def predict(self, X: Any) -> Array:
        """The class of every item."""
        P = self.predict_proba(X)
        return np.asarray(self.classes_[np.argmax(P, axis=1)])

    def predict_proba(self, X: Any) -> Array:
        """The share of each class in the votes, in the order of classes_.

        Of equal largest shares that of the nearest neighbour is larger by its last bit.
        """
        check_is_fitted(self)
        found = self._neighbours(X)
        return shares(self._codes[found.index], self._weighed(found), len(self.classes_))

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithm of `predict_proba`; -inf for a class without a vote."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


def shares(codes: Array, weight: Array | None, classes: int) -> Array:
    """(items, classes): the share of each class in the weights of the neighbours; None are equal weights.

    Where several have the largest share, one bit is added to that of the nearest neighbour among them.
    """
    m = len(codes)
    cells = (np.arange(m)[:, None] * classes + codes).ravel()
    votes = np.bincount(cells, None if weight is None else weight.ravel(), m * classes).reshape(m, classes)
    P = np.asarray(votes / votes.sum(axis=1, keepdims=True))
    best = P.max(axis=1, keepdims=True) == P
    tied = np.flatnonzero(best.sum(axis=1) > 1)
    first = np.argmax(np.take_along_axis(best[tied], codes[tied], axis=1), axis=1)
    winner = codes[tied, first]
    P[tied, winner] = np.nextafter(P[tied, winner], 1.0)
    return P
