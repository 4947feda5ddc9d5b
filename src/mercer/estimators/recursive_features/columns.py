"""How columns are measured before a metric is learned: in units of their own, or by the ranks of their entries.

standard    x / deviation.  A column of two values is divided by their distance: in units of its deviation a rare
            category would be far away from all others.
ranks       normal scores first: an entry below which a share u of the training rows lies becomes the u-quantile of the
            normal distribution, equal entries the same one, and what is between two entries is interpolated.  Heavy
            tails and outliers lose their weight, as for a tree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from mercer.typing import Array

FORMS = ("standard", "ranks")
_KNOTS = 1000  # at most, of one column
_ROUNDING = 1e-12  # deviation of a column, relative to its largest entry, below which it is constant


@dataclass(frozen=True, eq=False)
class Columns:
    """x_j -> g_j(x_j) / scale_j; g_j interpolates (entries, scores) where a column has these, else it is x_j itself."""

    scale: Array
    knots: dict[int, tuple[Array, Array]]

    @classmethod
    def of(cls, X: Array, form: str) -> Columns:
        """Measured on these rows."""
        knots = {j: _scores(X[:, j]) for j in np.flatnonzero(~_two_valued(X)).tolist()} if form == "ranks" else {}
        return cls(_scale(_scored(X, knots)), knots)

    def __call__(self, X: Array) -> Array:
        return np.asarray(_scored(X, self.knots) / self.scale)


def _scored(X: Array, knots: dict[int, tuple[Array, Array]]) -> Array:
    if not knots:
        return X
    X = X.copy()
    for j, (entries, scores) in knots.items():
        X[:, j] = np.interp(X[:, j], entries, scores)
    return X


def _scores(x: Array) -> tuple[Array, Array]:
    """Entries of a column in rising order, and their normal scores; of very many entries every so many."""
    entries, counts = np.unique(x, return_counts=True)
    middle = (np.cumsum(counts) - 0.5 * counts) / len(x)
    some = np.unique(np.linspace(0, len(entries) - 1, _KNOTS).astype(int))
    return entries[some], ndtri(middle[some])


def _scale(X: Array) -> Array:
    return np.where(_two_valued(X), np.ptp(X, axis=0), deviations(X))


def _two_valued(X: Array) -> Array:
    """Whether a column has two values, more than rounding apart."""
    least, largest = X.min(axis=0), X.max(axis=0)
    return np.asarray(((least == X) | (largest == X)).all(axis=0) & np.isfinite(deviations(X)))


def deviations(X: Array) -> Array:
    """The standard deviation of every column, also of huge and tiny numbers; infinite for a constant column."""
    largest = np.abs(X).max(axis=0)
    shares = X / np.where(largest > 0.0, largest, 1.0)
    spread = shares.std(axis=0)
    return np.where(spread > _ROUNDING, spread * largest, np.inf)
