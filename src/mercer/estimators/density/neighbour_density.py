"""The density of the nearest neighbours: a ball around x grows until it holds K of the N rows.

    p(x) = K / (N V(x)),      p(x | c) = N_c(x) / (N_c V(x)),      p(c) = N_c / N

V(x) is the volume of the ball and N_c(x) the number of its rows of class c, so that p(c | x) = N_c(x) / K: the vote of
the nearest neighbours.  It is a kernel density with a boxcar window whose bandwidth is the distance of the K-th row.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
from scipy.spatial import KDTree
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from mercer.config import config
from mercer.errors import bad
from mercer.typing import Array
from mercer.windows.window import log_sphere_area

_FAR = 1e150  # twice so many half ranges away, squared distances overflow
_TIE = 1e-12  # relative: distances that differ by rounding only are equal


class NeighbourDensity(DensityMixin, BaseEstimator):  # type: ignore[misc]
    """p(x) = K / (N V), V the volume of the smallest ball around x that holds n_neighbors rows.

    n_neighbors   K

    Rows as far away as the K-th are in the ball too, and K is then their number.  Where the K nearest rows are equal to
    x, so that V would be 0, the ball grows to the nearest other row.  The density does not integrate to 1: its tails
    fall as 1 / |x|^D only.  A row of the training set is one of its own neighbours.

    With labels y in fit, `predict_proba` gives the shares of the classes in the ball, and `predict` the class with
    most rows.  After fit: n_samples_fit_, and classes_ if there were labels.
    """

    classes_: Array
    n_samples_fit_: int
    _codes: Array
    _rows: Array
    _centre: Array
    _unit: float

    def __init__(self, n_neighbors: int = 5) -> None:
        self.n_neighbors = n_neighbors

    def fit(self, X: Any, y: Any = None) -> Self:
        """Keep the rows, and their labels if there are any."""
        owner = type(self).__name__
        X = validate_data(self, X, dtype=np.float64)
        K, n = self.n_neighbors, len(X)
        if not isinstance(K, Integral) or isinstance(K, bool) or K < 1 or n < K:
            samples = f"{n} sample{'s' * (n != 1)}"
            raise bad(owner, "n_neighbors", "an integer from 1 to the number of rows", f"{K!r} with {samples}",
                      "Ask for fewer, or fit to more rows.")  # fmt: skip
        if (X[0] == X).all():
            raise bad(owner, "X", "two distinct rows or more", f"{n} equal ones", "Equal rows have no density.")
        self.n_samples_fit_, self._centre = n, X.min(axis=0) / 2.0 + X.max(axis=0) / 2.0
        self._unit = float((X.max(axis=0) / 2.0 - X.min(axis=0) / 2.0).max())
        self._rows = (X - self._centre) / self._unit
        self._codes = np.zeros(n, dtype=np.intp)
        if hasattr(self, "classes_"):
            del self.classes_
        if y is not None:
            self.classes_, self._codes = np.unique(column_or_1d(y), return_inverse=True)
            if len(self._codes) != n:
                raise bad(owner, "y", f"{n} labels, one per row", f"{len(self._codes)}", "Pass one for each row.")
        return self

    def score_samples(self, X: Any) -> Array:
        """log p(x) of every row."""
        X = self._new_rows(X)
        radius, count = self._balls(X, positive=True)
        return np.asarray(np.log(count) - np.log(self.n_samples_fit_) - self._log_volume(radius))

    def score(self, X: Any, y: Any = None) -> float:
        """The sum of log p(x) over all rows."""
        return float(self.score_samples(X).sum())

    def class_log_densities(self, X: Any) -> Array:
        """(rows, classes): log p(x | c) = log N_c(x) / (N_c V(x)); -inf for a class without a row in the ball."""
        X = self._new_rows(X, labels=True)
        radius, _ = self._balls(X, positive=True)
        with np.errstate(divide="ignore"):
            logs = np.log(self._class_counts(X, radius) / np.bincount(self._codes))
        return np.asarray(logs - self._log_volume(radius)[:, None])

    def predict_proba(self, X: Any) -> Array:
        """p(c | x) = N_c(x) / K, in the order of classes_."""
        X = self._new_rows(X, labels=True)
        counts = self._class_counts(X, self._balls(X, positive=False)[0])
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def predict_log_proba(self, X: Any) -> Array:
        """log p(c | x); -inf for a class without a row in the ball."""
        P = self.predict_proba(X)
        return np.asarray(np.log(P, where=P > 0.0, out=np.full_like(P, -np.inf)))

    def predict(self, X: Any) -> Array:
        """The class with most rows in the ball; the first of classes_ among equals."""
        P = self.predict_proba(X)
        return np.asarray(self.classes_[np.argmax(P, axis=1)])

    def _new_rows(self, X: Any, labels: bool = False) -> Array:
        check_is_fitted(self)
        if labels and not hasattr(self, "classes_"):
            raise bad(type(self).__name__, "y", "given in fit for probabilities of classes", "None", "Fit with labels.")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        far = abs(X / 2.0 - self._centre / 2.0).max(axis=1) > _FAR * self._unit
        if far.any():
            raise bad(type(self).__name__, "X", f"within {2.0 * _FAR:.0e} half ranges of the training rows",
                      f"{X[far][0].tolist()}", "Squares of such distances are no numbers.")  # fmt: skip
        return np.asarray((X - self._centre) / self._unit)

    def _balls(self, X: Array, *, positive: bool) -> tuple[Array, Array]:
        """(radius, rows inside) of the ball around each row of X; with `positive`, of a radius above 0."""
        tree, K, n = KDTree(self._rows), int(self.n_neighbors), self.n_samples_fit_
        radius = np.asarray(tree.query(X, [K], workers=config().threads)[0])[:, 0]
        for i in np.flatnonzero(radius == 0.0) if positive else ():
            near = np.sqrt(((self._rows - X[i]) ** 2).sum(axis=1))
            radius[i] = near[near > 0.0].min()
        count = tree.query_ball_point(X, radius * (1.0 + _TIE), return_length=True, workers=config().threads)
        return radius, np.clip(count, K, n)

    def _class_counts(self, X: Array, radius: Array) -> Array:
        """(rows, classes): N_c(x)."""
        counts = np.empty((len(X), len(self.classes_)))
        for c in range(len(self.classes_)):
            tree = KDTree(self._rows[self._codes == c])
            counts[:, c] = tree.query_ball_point(X, radius * (1.0 + _TIE), return_length=True, workers=config().threads)
        return counts

    def _log_volume(self, radius: Array) -> Array:
        """The logarithm of the volume of a ball, in units of the data."""
        D = self._rows.shape[1]
        return np.asarray(log_sphere_area(D) - np.log(D) + D * (np.log(radius) + np.log(self._unit)))
