"""The scalers of grids by name, fitted to the training items of every fold."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.preprocessing import StandardScaler

from mercer.estimators.robust_scale import centre_and_deviation
from mercer.items.vectors import is_sparse


class SteadyScaler(StandardScaler):  # type: ignore[misc]
    """StandardScaler, with a centre and a deviation of every column that a few wild values do not move."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the centres and deviations of the columns; y and the weights are ignored."""
        with np.errstate(over="ignore", invalid="ignore"):
            super().fit(X, y)  # the checks and the names of the columns
            self.mean_, deviation = centre_and_deviation(X)
            self.scale_ = np.where(deviation > 0.0, deviation, 1.0)
            self.var_ = self.scale_**2
        return self


def scaler_for(grid: str, X: Any) -> StandardScaler:
    """That of the grid; sparse rows are not centred, which a Gaussian kernel does not see."""
    return (SteadyScaler if grid == "auto" else StandardScaler)(with_mean=not is_sparse(X))
