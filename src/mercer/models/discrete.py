"""One draw from a finite set, and counts of many draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.models import argument_checks as check
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Discrete:
    """One draw from {0, ..., V - 1} with these probabilities."""

    probabilities: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "probabilities", check.probabilities("Discrete", "probabilities", self.probabilities))

    @classmethod
    def of(cls, counts: Any, pseudo_count: float = 0.0) -> Self:
        """The shares of counts, after `pseudo_count` is added to each: the model of one text or histogram."""
        return cls(_shares("Discrete", counts, pseudo_count))

    @property
    def width(self) -> int:
        """V."""
        return len(self.probabilities)

    @staticmethod
    def log_products(A: Sequence[Discrete], B: Sequence[Discrete], rho: float, length: int | None) -> Array:
        """log sum_x p(x)^rho q(x)^rho for all pairs."""
        P, Q = (np.array([model.probabilities for model in models]) ** rho for models in (A, B))
        return check.log_or_minus_infinity(P @ Q.T)


@dataclass(frozen=True, eq=False)
class Multinomial:
    """Counts of `draws` independent draws from {0, ..., V - 1}."""

    probabilities: Array
    draws: int = 1

    def __post_init__(self) -> None:
        found = check.probabilities("Multinomial", "probabilities", self.probabilities)
        object.__setattr__(self, "probabilities", found)
        check.count("Multinomial", "draws", self.draws)

    @classmethod
    def of(cls, counts: Any, draws: int, pseudo_count: float = 0.0) -> Self:
        """The model of one text by its counts; `draws` is the length of the texts that it would generate."""
        return cls(_shares("Multinomial", counts, pseudo_count), draws)

    @classmethod
    def fit(cls, X: Any, pseudo_count: float = 0.0) -> Self:
        """One model of all rows of counts; `draws` is their mean total, rounded, at least 1."""
        X = _counts(X, 1)
        draws = max(round(float(X.sum(axis=1).mean())), 1)
        return cls(_shares("Multinomial", X.sum(axis=0), pseudo_count), draws)

    @property
    def width(self) -> int:
        """V."""
        return len(self.probabilities)

    def log_density(self, X: Any) -> Array:
        """sum_d x_d log t_d: the part of log p(x) that depends on the parameters."""
        X = _counts(X, 0)
        terms = np.where(X > 0.0, X * check.log_or_minus_infinity(self.probabilities), 0.0)
        return np.asarray(terms.sum(axis=1))

    def scores(self, X: Any) -> Array:
        """x_d - n t_d, the derivative in the exponents e_d of t_d = exp(e_d) / sum exp(e); n is the total of the row.

        Only outcomes that occurred in the fit have a score; others are dropped.
        """
        seen = self.probabilities > 0.0
        X = _counts(X, 0)[:, seen]
        return np.asarray(X - X.sum(axis=1, keepdims=True) * self.probabilities[seen])

    def information(self) -> Array:
        """The diagonal of a matrix that has the inverse of the information on all score vectors: draws t_d.

        The information is draws (diag(t) - t t'), which is singular along (1, ..., 1).  All scores sum to 0, and on
        such vectors diag(1 / t) / draws is its inverse.
        """
        return self.draws * self.probabilities[self.probabilities > 0.0]

    @staticmethod
    def log_products(A: Sequence[Multinomial], B: Sequence[Multinomial], rho: float, length: int | None) -> Array:
        """draws log sum_d sqrt(t_d t'_d) for all pairs: a closed form exists for rho = 1/2 only."""
        draws = {model.draws for model in (*A, *B)}
        if len(draws) > 1:
            raise bad("ProbabilityProduct", "draws", "the same for all multinomial models", sorted(draws),
                      "They are models of counts with one total: choose it.")  # fmt: skip
        if rho != 0.5:
            raise NotImplementedError(
                f"ProbabilityProduct: rho must be 0.5 for multinomial counts; got {rho}. The sum over all counts has "
                "no closed form otherwise. Use models.Discrete, the model of one draw, for other rho."
            )
        return np.asarray(draws.pop() * Discrete.log_products(A, B, rho, length))  # type: ignore[arg-type]


def _shares(owner: str, counts: Any, pseudo_count: float) -> Array:
    counts = check.numbers(owner, "counts", counts, 1) + check.amount(owner, "pseudo_count", pseudo_count)
    if not counts.size or counts.min() < 0.0 or not counts.sum() > 0.0:
        raise bad(owner, "counts", ">= 0 and not all 0", repr(counts), "Add a pseudo_count for empty items.")
    return np.asarray(counts / counts.sum())


def _counts(given: Any, least: int) -> Array:
    X = check.rows("Multinomial", given, least)
    if X.size and X.min() < 0.0:
        raise bad("Multinomial", "X", "counts >= 0", f"{X.min()}", "Pass how often each outcome occurs.")
    return X
