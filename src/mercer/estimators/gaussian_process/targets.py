"""Targets in the units of the model, and predictions back in the units of the user.

inside = (y - centre) / scale,   one column per output;   centre = 0 and scale = 1 unless y is normalised
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from mercer.errors import bad
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Units:
    """The centre and scale of every output; predictions of a single output have no axis for outputs."""

    centre: Array
    scale: Array

    @classmethod
    def of(cls, y: Array, normalize: bool) -> Self:
        """The units of y (n,) or (n, q): its mean and standard deviation, or 0 and 1."""
        Y = columns(y)
        if not normalize:
            return cls.plain(Y.shape[1])
        spread = Y.std(axis=0)
        return cls(Y.mean(axis=0), np.where(spread > 0.0, spread, 1.0))

    @classmethod
    def plain(cls, outputs: int) -> Self:
        """The units of the user."""
        return cls(np.zeros(outputs), np.ones(outputs))

    @property
    def outputs(self) -> int:
        return len(self.scale)

    def inside(self, y: Array) -> Array:
        """y in the units of the model, (n, q)."""
        Y = columns(y)
        if Y.shape[1] != self.outputs:
            raise bad("GaussianProcessRegressor", "y", f"of {self.outputs} output(s), as in fit", f"shape {Y.shape}",
                      "Pass as many columns as in fit.")  # fmt: skip
        return np.asarray((Y - self.centre) / self.scale)

    def mean(self, M: Array) -> Array:
        """Means (m, q) in the user's units; (m,) for one output."""
        return self._flat(M * self.scale + self.centre)

    def std(self, variance: Array) -> Array:
        """Standard deviations, (m,) or (m, q), from variances (m,) that the outputs share."""
        return self._flat(np.sqrt(np.maximum(variance, 0.0))[:, None] * self.scale)

    def covariance(self, C: Array) -> Array:
        """Covariances, (m, m) or (m, m, q), from the (m, m) that the outputs share."""
        return self._flat(C[..., None] * self.scale**2)

    def _flat(self, V: Array) -> Array:
        return np.asarray(V[..., 0] if self.outputs == 1 else V)


def columns(y: Array) -> Array:
    """y as (n, q) numbers in double precision."""
    y = np.asarray(y, dtype=float)
    return y if y.ndim == 2 else y[:, None]
