"""Independent columns of 0 and 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.models import argument_checks as check
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Bernoulli:
    """p(x) = prod_j t_j^x_j (1 - t_j)^(1 - x_j) on {0, 1}^D."""

    probabilities: Array

    def __post_init__(self) -> None:
        found = check.numbers("Bernoulli", "probabilities", self.probabilities, 1)
        if found.size and not (found.min() >= 0.0 and found.max() <= 1.0):
            raise bad("Bernoulli", "probabilities", "in [0, 1]", repr(self.probabilities), "One for every column.")
        object.__setattr__(self, "probabilities", found)

    @classmethod
    def fit(cls, X: Any, pseudo_count: float = 0.0) -> Self:
        """The share of ones in every column; `pseudo_count` ones and zeros are added to each."""
        X, extra = _bits(X, 1), check.amount("Bernoulli", "pseudo_count", pseudo_count)
        return cls((X.sum(axis=0) + extra) / (len(X) + 2.0 * extra))

    of = fit

    @property
    def width(self) -> int:
        """D."""
        return len(self.probabilities)

    def log_density(self, X: Any) -> Array:
        """log p(x) of every row."""
        bits, t = _bits(X, 0), self.probabilities
        ones, zeros = check.log_or_minus_infinity(t), check.log_or_minus_infinity(1.0 - t)
        return np.asarray(np.where(bits > 0.0, ones, zeros).sum(axis=1))

    def scores(self, X: Any) -> Array:
        """d log p / d t_j = (x_j - t_j) / (t_j (1 - t_j)), of the columns in which both values occur."""
        free = self._free
        t = self.probabilities[free]
        return np.asarray((_bits(X, 0)[:, free] - t) / (t * (1.0 - t)))

    def information(self) -> Array:
        """The diagonal of the information: 1 / (t_j (1 - t_j))."""
        t = self.probabilities[self._free]
        return np.asarray(1.0 / (t * (1.0 - t)))

    @property
    def _free(self) -> Array:
        return np.asarray((self.probabilities > 0.0) & (self.probabilities < 1.0))

    @staticmethod
    def log_products(A: Sequence[Bernoulli], B: Sequence[Bernoulli], rho: float, length: int | None) -> Array:
        """log prod_j [(t t')^rho + ((1 - t)(1 - t'))^rho] for all pairs."""
        t, u = (np.array([model.probabilities for model in models]) for models in (A, B))
        out = np.empty((len(t), len(u)))
        for row, p in zip(out, t, strict=True):
            terms = (p * u) ** rho + ((1.0 - p) * (1.0 - u)) ** rho
            row[:] = check.log_or_minus_infinity(terms).sum(axis=1)
        return out


def _bits(given: Any, least: int) -> Array:
    X = check.rows("Bernoulli", given, least)
    if not np.isin(X, (0.0, 1.0)).all():
        raise bad("Bernoulli", "X", "zeros and ones", "other numbers", "Pass X > threshold, or choose another model.")
    return X
