"""The loss of the complementary log-log model, which is not symmetric in the two classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mercer.solvers.losses.log_mean import finite_exp
from mercer.typing import Array

_LEAST = 1e-300  # keeps logarithms and quotients finite


@dataclass(frozen=True)
class ComplementaryLogLog:
    """-log P(y), P(y = 1) = 1 - exp(-e^f): whether a Poisson count of mean e^f is positive; y > 0 is the class 1."""

    labels: ClassVar[bool] = True
    convex: ClassVar[bool] = True

    def __call__(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        """(values, slopes, curvatures).

        With m = e^f and s = m / (e^m - 1): m, m, m for y = 0; -log(1 - e^-m), -s, s (m + s - 1) for y = 1.
        """
        m = finite_exp(f)
        share = _share(m)
        values = np.where(y > 0.0, -np.log(-np.expm1(-np.maximum(m, _LEAST))), m)
        curvatures = np.where(y > 0.0, np.maximum(share * (m + share - 1.0), 0.0), m)
        return values, np.where(y > 0.0, -share, m), curvatures

    def log_odds(self, f: Array) -> Array:
        m = finite_exp(f)
        return np.asarray(m + np.log(-np.expm1(-np.maximum(m, _LEAST))))

    def constant(self, mean: float) -> float:
        return float(np.log(-np.log1p(-mean)))


def _share(m: Array) -> Array:
    """m / (e^m - 1), 1 at 0."""
    m = np.minimum(m, 700.0)
    return np.asarray(m / np.maximum(np.expm1(m), _LEAST))
