"""What kernel regressions with one target or several share: the shape of y comes back in what they predict."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from mercer.estimators.base import KernelEstimator
from mercer.typing import Array


class KernelRegressor(RegressorMixin, KernelEstimator):  # type: ignore[misc]
    """f(x) = sum_i a_i k(x, x_i) + intercept, one column of coefficients per column of y."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _with_targets(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Array]:
        """Items and numbers, checked; the numbers in columns."""
        X, y = self._checked(X, y, reset=reset, numeric=True, outputs=True)
        if reset:
            self._flat = y.ndim == 1
        return X, columns_of(y)

    def _set_coefficients(self, coef: Array, intercept: Array) -> None:
        """Coefficients as scikit-learn shapes them: (n,) for one target, (n, targets) for a 2-d y."""
        self.dual_coef_ = coef[:, 0] if self._flat else coef
        self.intercept_ = intercept[0] if self._flat else intercept

    @property
    def _coef_columns(self) -> Array:
        return columns_of(np.asarray(self.dual_coef_))

    def _functions(self) -> Any:
        return self._coef_columns

    def predict(self, X: Any) -> Array:
        """f(x) for every item, one column per column of y."""
        X = self._items(X)
        return self._shaped(self._kept.evaluate(X, self._coef_columns) + self.intercept_)

    def _shaped(self, values: Array) -> Array:
        """Columns as the y of the fit had them."""
        return np.asarray(values[:, 0] if self._flat else values)


def columns_of(y: Array) -> Array:
    """y as a matrix of float64, one column per target."""
    return np.asarray(y if y.ndim == 2 else y[:, None], dtype=np.float64)
