"""Regression by the mean of the nearest neighbours in the feature space of a kernel."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from mercer.engine.tiles import cuts
from mercer.estimators.neighbours.machine import KernelNeighbours
from mercer.estimators.shared_fits import SharedFits
from mercer.typing import Array

_PANEL = 4096  # items whose neighbours' targets are gathered at a time


class KernelKNeighborsRegressor(RegressorMixin, KernelNeighbours):  # type: ignore[misc]
    """The mean of y over the n_neighbors training items nearest to x; y may have several columns.

    Near by d^2(x, y) = k(x, x) + k(y, y) - 2 k(x, y), the distance of feature vectors; items at equal distances are
    taken in their order.

    n_neighbors     how many items the mean is over
    weights         "uniform", "distance" (1 / d), or a function of the array of distances
    kernel          an object, a name, an expression, a function or "precomputed"; then X has k(x, x_j) in its rows
    gamma, degree, coef0    parameters of named kernels, as in SVC
    check_psd       "off", "warn" or "raise": what to do about a kernel that is not positive semi-definite

    After fit: n_samples_fit_, certificate_.  Memory is linear in the number of items.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Remember the items X with numbers y, in one column or several."""
        X, y = self._checked(X, y, reset=True, numeric=True, outputs=True)
        self._remember(X)
        self._y = np.asarray(y, dtype=np.float64)
        return self

    def shared_fits(self, y: Array, *, psd: bool | None, leave_one_out: bool) -> SharedFits | None:
        """All numbers of neighbours in one call, as estimators/shared_fits.py says."""
        from mercer.estimators.neighbours.shared_fits import offer_of_regressor

        return offer_of_regressor(self, y, psd)

    def predict(self, X: Any) -> Array:
        """The mean for every item, one column per column of y."""
        check_is_fitted(self)
        found = self._neighbours(X)
        return means(self._y, found.index, self._weighed(found))


def means(y: Array, index: Array, weight: Array | None) -> Array:
    """sum_p w_ip y[index_ip] / sum_p w_ip for every row of the index; None are equal weights."""
    out = np.empty((len(index), *y.shape[1:]))
    share = None if weight is None else weight / weight.sum(axis=1, keepdims=True)
    for r in cuts(len(index), _PANEL):
        near = y[index[r]]
        out[r] = near.mean(axis=1) if share is None else np.einsum("ip,ip...->i...", share[r], near)
    return out
