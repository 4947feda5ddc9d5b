"""Stationary kernels with lengthscales: how their data are prepared.

One lengthscale: data are left as they are and a tile of distances is divided by it, so that all such kernels of
an expression share one matrix of distances.  One per column (ARD): columns are divided by their lengthscale
beforehand; an infinite lengthscale drops its column.  Radial kernels (of the Euclidean distance) are in
radial.py, the Laplacian (of the absolute distance) in additive.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.prepared_rows import Rows, centre, real, shared_differences
from mercer.parameters import Parameter, hyper, value
from mercer.typing import Array

_EXTREME = 1e18  # the square of a lengthscale above this, or below its inverse, is outside the range of float32


@kernel
class Stationary(Kernel):
    """k(x, y) = f(x - y) with f(0) = 1, measured in one lengthscale or in one per column."""

    lengthscale: Parameter = hyper(1.0, vector=True)

    psd = True
    stationary = True

    @property
    def scales(self) -> Any:
        """The lengthscale as a number, or one for each column as an array."""
        return value(self.lengthscale)

    @property
    def ard(self) -> bool:
        """One lengthscale per column."""
        return isinstance(self.scales, np.ndarray)

    @property
    def scales_columns(self) -> bool:
        """Whether the data are divided by the lengthscale beforehand, rather than a tile of distances."""
        return self.ard or not 1.0 / _EXTREME < self.scales < _EXTREME

    def prepare_in(self, X: Any, frame: Any, pool: Pool) -> Rows:
        lengthscale = np.atleast_1d(self.scales)
        if self.ard and len(X) and len(lengthscale) != X.width:
            raise bad(type(self).__name__, "lengthscale", f"one number or one per column ({X.width})",
                      f"{len(lengthscale)} numbers", "Give as many lengthscales as X has columns.")  # fmt: skip
        X = real(X, pool)
        scales = np.resize(lengthscale, X.width) if self.scales_columns else None
        return shared_differences(X, frame or centre(X, pool), scales, pool)

    def diag(self, A: Rows) -> Array:
        return np.ones_like(A.sqnorm)

    def per_lengthscale(self, moments: Array) -> Array:
        """sum_k moments_k / l_k over the columns of each lengthscale; 0 for an infinite one."""
        lengthscale = np.atleast_1d(self.scales)
        summed = moments.reshape(-1, len(lengthscale), *moments.shape[1:]).sum(axis=0)
        return np.asarray((summed.T / lengthscale).T)

    def unscaled(self, gradient: Array) -> Array:
        """The derivative in x, from that in the rows as they were prepared: x / l if columns are scaled, else x."""
        return np.asarray(gradient / self.scales if self.scales_columns else gradient)
