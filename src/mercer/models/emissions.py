"""What the states of a hidden Markov model emit: symbols of a finite alphabet, or vectors from a Gaussian.

Both answer the same questions: log p(x_t | state), their best parameters given the posterior of the states, the
derivative of the log likelihood in their parameters, and the integral of the product of two of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.models import argument_checks as check
from mercer.typing import Array

_LOG_2PI = float(np.log(2.0 * np.pi))


@dataclass(frozen=True, eq=False)
class SymbolEmissions:
    """State q emits symbol symbols[s] with probabilities[q, s]; symbols that are not listed are read as missing."""

    symbols: tuple[Hashable, ...]
    probabilities: Array

    def __post_init__(self) -> None:
        found = check.probabilities("SymbolEmissions", "probabilities", self.probabilities, 2)
        object.__setattr__(self, "probabilities", found)
        object.__setattr__(self, "symbols", tuple(self.symbols))
        if found.shape[1] != len(self.symbols) or len(set(self.symbols)) != len(self.symbols):
            raise bad("SymbolEmissions", "symbols", f"{found.shape[1]} different ones", f"{len(self.symbols)}",
                      "Name the symbol of every column.")  # fmt: skip

    @classmethod
    def start(cls, sequences: Sequence[Any], states: int, rng: np.random.Generator) -> Self:
        """The shares of all symbols, moved at random for every state."""
        symbols: dict[Hashable, int] = {}
        for sequence in sequences:
            for symbol in sequence:
                symbols[symbol] = symbols.get(symbol, 0) + 1
        if not symbols:
            raise bad("HiddenMarkov", "X", "a sequence with a symbol", "only empty ones", "Pass longer sequences.")
        moved = np.array(list(symbols.values()), dtype=float) * rng.uniform(0.5, 1.5, (states, len(symbols)))
        return cls(tuple(symbols), moved / moved.sum(axis=1, keepdims=True))

    @cached_property
    def _codes(self) -> dict[Hashable, int]:
        return {symbol: code for code, symbol in enumerate(self.symbols)}

    def read(self, sequence: Any) -> Array:
        """The codes of the symbols, -1 for those that are not listed."""
        return np.array([self._codes.get(symbol, -1) for symbol in sequence], dtype=np.intp)

    def log_likelihood(self, codes: Array) -> Array:
        """(T, S): log p(x_t | state), and 0 for a missing symbol."""
        logs = np.append(
            check.log_or_minus_infinity(self.probabilities.T), np.zeros((1, len(self.probabilities))), axis=0
        )
        return np.asarray(logs[codes])

    def counts(self, codes: Array, states: Array) -> Array:
        """(S, V): how often each state is expected to have emitted each symbol."""
        out = np.zeros((len(self.symbols) + 1, states.shape[1]))
        np.add.at(out, codes, states[: len(codes)])
        return np.asarray(out[:-1].T)

    def maximised(self, read: Sequence[Array], states: Sequence[Array]) -> Self:
        """The emissions of highest expected likelihood."""
        total = np.sum([self.counts(codes, gamma) for codes, gamma in zip(read, states, strict=True)], axis=0)
        sums = total.sum(axis=1, keepdims=True)
        kept = np.where(sums > 0.0, total / np.where(sums > 0.0, sums, 1.0), self.probabilities)
        return type(self)(self.symbols, kept / kept.sum(axis=1, keepdims=True))

    def scores(self, codes: Array, states: Array) -> Array:
        """The derivative in the exponents of every row of probabilities: counts minus their expectation."""
        counts = self.counts(codes, states)
        return np.asarray((counts - counts.sum(axis=1, keepdims=True) * self.probabilities).ravel())

    def product(self, other: SymbolEmissions) -> Array:
        """(S, S'): sum_x p(x | q) p'(x | q')."""
        places = np.array([other._codes.get(symbol, -1) for symbol in self.symbols])
        found = np.where(places >= 0, other.probabilities[:, places], 0.0)
        return np.asarray(self.probabilities @ found.T)


@dataclass(frozen=True, eq=False)
class GaussianEmissions:
    """State q emits a vector from N(means[q], diag(variances[q]))."""

    means: Array
    variances: Array

    def __post_init__(self) -> None:
        means = check.numbers("GaussianEmissions", "means", self.means, 2)
        variances = check.numbers("GaussianEmissions", "variances", self.variances, 2)
        if variances.shape != means.shape or not variances.size or variances.min() <= 0.0:
            raise bad("GaussianEmissions", "variances", f"> 0, of shape {means.shape}", repr(self.variances),
                      "One for every state and column.")  # fmt: skip
        object.__setattr__(self, "means", means)
        object.__setattr__(self, "variances", variances)

    @classmethod
    def start(cls, sequences: Sequence[Any], states: int, rng: np.random.Generator) -> Self:
        """Means at random rows, variances of all rows."""
        X = np.vstack([np.asarray(sequence, dtype=float) for sequence in sequences])
        if not len(X):
            raise bad("HiddenMarkov", "X", "a sequence with a row", "only empty ones", "Pass longer sequences.")
        variance = X.var(axis=0)
        variance = np.where(variance > 0.0, variance, 1.0)
        means = X[rng.choice(len(X), states, replace=len(X) < states)]
        return cls(means, np.tile(variance, (states, 1)))

    def read(self, sequence: Any) -> Array:
        """The sequence as an array of rows."""
        if not len(sequence):
            return np.empty((0, self.means.shape[1]))
        rows = np.asarray(sequence, dtype=float).reshape(len(sequence), -1)
        if rows.shape[1] != self.means.shape[1]:
            raise bad("HiddenMarkov", "X", f"vectors of {self.means.shape[1]} columns", f"{rows.shape[1]}",
                      "Pass sequences as wide as those of the fit.")  # fmt: skip
        return rows

    def log_likelihood(self, rows: Array) -> Array:
        """(T, S): log p(x_t | state)."""
        apart = (rows[:, None] - self.means) ** 2 / self.variances
        return np.asarray(-0.5 * (apart + np.log(self.variances) + _LOG_2PI).sum(axis=2))

    def maximised(self, read: Sequence[Array], states: Sequence[Array]) -> Self:
        """Weighted means and variances, which never fall below 1e-6 of those of all rows."""
        X, W = np.vstack(read), np.vstack([gamma[: len(rows)] for rows, gamma in zip(read, states, strict=True)])
        floor = 1e-6 * np.where(X.var(axis=0) > 0.0, X.var(axis=0), 1.0)
        totals = np.maximum(W.sum(axis=0), 1e-300)[:, None]
        means = W.T @ X / totals
        variances = np.array([w @ (X - mean) ** 2 for w, mean in zip(W.T, means, strict=True)]) / totals
        return type(self)(means, np.maximum(variances, floor))

    def scores(self, rows: Array, states: Array) -> Array:
        """Derivatives in means and variances, summed over the sequence with the posterior of the states as weights."""
        apart, weights = rows[:, None] - self.means, states[: len(rows), :, None]
        in_means = (weights * apart / self.variances).sum(axis=0)
        in_variances = (weights * (apart**2 / self.variances - 1.0) / (2.0 * self.variances)).sum(axis=0)
        return np.concatenate([in_means.ravel(), in_variances.ravel()])

    def product(self, other: GaussianEmissions) -> Array:
        """(S, S'): the integral of p(x | q) p'(x | q'), the density of N(m', v + v') at m."""
        total = self.variances[:, None] + other.variances
        apart = (self.means[:, None] - other.means) ** 2 / total
        return np.asarray(np.exp(-0.5 * (apart + np.log(total) + _LOG_2PI).sum(axis=2)))
