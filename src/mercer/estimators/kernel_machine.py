"""What all kernel machines predict with: f(x) = sum_j c_j k(x, x_j) + intercept over the items x_j they keep.

`fit` of a subclass finds the coefficients and calls `_keep`: only items with a nonzero coefficient stay.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.estimators.base import KernelEstimator
from mercer.estimators.training_data import Data
from mercer.items.vectors import is_sparse
from mercer.typing import Array


class KernelMachine(KernelEstimator):
    """A kernel expansion: `support_` are the positions of the kept items, `dual_coef_` their coefficients."""

    # ---- fitting

    def _keep(self, X: Any, data: Data, support: Array, columns: Array, intercept: Array) -> None:
        """The machine as it predicts: items `support`, one column of coefficients per function."""
        self.support_ = support.astype(np.int32)
        self.intercept_ = intercept
        self.dual_coef_ = np.ascontiguousarray(columns.T)
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (len(data),)
        self._kept = data.keep(support)
        if is_sparse(X):
            from scipy.sparse import csr_matrix

            self.dual_coef_ = csr_matrix(self.dual_coef_)

    # ---- what is known after it

    @property
    def support_vectors_(self) -> Any:
        """The support vectors as they were passed; none for a precomputed matrix."""
        self._require_fit("support_vectors_")
        return self._kept.as_passed()

    @property
    def coef_(self) -> Any:
        """The weights w of f(x) = <w, x> + intercept, one row per function; for the linear kernel only."""
        self._require_fit("coef_")
        if not self._kept.linear:
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef = self._functions().T @ self._kept.linear_rows
        coef = coef.tocsr() if is_sparse(coef) else coef
        (coef.data if is_sparse(coef) else coef).flags.writeable = False
        return coef

    def _functions(self) -> Any:
        """(support vectors, functions): the coefficients of each decision function, sparse like the data."""
        return self.dual_coef_.T

    def _require_fit(self, name: str) -> None:
        if not hasattr(self, "_kept"):
            raise AttributeError(f"{type(self).__name__} has {name} after fit")

    # ---- prediction

    @property
    def _coef_columns(self) -> Array:
        """(kept items, functions): `dual_coef_` by columns.  Prediction reads it, so whoever changes it changes f."""
        rows: Any = self.dual_coef_
        return np.ascontiguousarray((rows.toarray() if is_sparse(rows) else np.asarray(rows)).T)

    def _items(self, X: Any) -> Any:
        """New items, checked against those of the fit."""
        check_is_fitted(self)
        return self._checked(X, reset=False)

    def _values(self, X: Any) -> Array:
        """f on checked items, of a machine that has one function."""
        return np.asarray(self._kept.evaluate(X, self._coef_columns[:, 0]) + self.intercept_[0])

    def _all_values(self, X: Any) -> Array:
        """f on checked items, one column per function."""
        return np.asarray(self._kept.evaluate(X, self._coef_columns) + self.intercept_)
