"""The evidence of Gaussian process regression as a function of theta: what solvers/evidence_search.py maximises.

One n x n buffer serves every evaluation: the covariance is filled into it and factored there, and the factor is
overwritten by the weights of the slope.
"""

from __future__ import annotations

import numpy as np

from mercer.errors import NotFinite, NotPositiveDefinite
from mercer.estimators.gaussian_process.covariance import Covariance
from mercer.solvers.evidence_search import LEAST
from mercer.solvers.gaussian_process import Conditioned
from mercer.typing import Array

_ALL_AT_ONCE = 450  # items up to which a search uses no subsets
_SMALLEST = 250  # items of a subset, at least
_SMALLEST_OF_SEVERAL = 450  # the same where there are several: fewer items lead to other maxima too often


class RegressionEvidence:
    """log p(Y | theta) for items with a covariance, targets Y (n, q) and a basis H (n, h) of the mean."""

    has_curvature = True
    least_gain = LEAST

    def __init__(self, covariance: Covariance, Y: Array, H: Array) -> None:
        self.covariance, self.Y, self.H = covariance, Y, H
        self.size = len(Y)
        self.buffer: Array | None = None  # n x n, made at the first evaluation
        # The last theta whose slope was computed; the buffer still holds the weights of that slope.
        self._last: tuple[Array, Covariance, Conditioned] | None = None

    def value_and_slope(self, theta: Array, *, at_least: float = -np.inf) -> tuple[float, Array | None]:
        """The evidence, -inf where the covariance is not finite or has no factor; its slope if it is >= at_least."""
        self._last = None  # the buffer is about to change
        self.buffer = self.covariance.buffer() if self.buffer is None else self.buffer
        covariance = self.covariance.at(theta)
        try:
            found = covariance.condition(self.Y, self.H, self.buffer)
        except (NotPositiveDefinite, NotFinite, np.linalg.LinAlgError):
            return -np.inf, None
        value = found.evidence
        if not np.isfinite(value):
            return -np.inf, None
        if value < at_least:
            return value, None
        slope = covariance.slope(found.slope_weights())
        self._last = np.array(theta), covariance, found
        return value, slope

    def curvature(self, theta: Array) -> Array | None:
        """The average information, about half way between minus the second derivatives and their expectation."""
        if self._last is None or not np.array_equal(self._last[0], theta):
            self.value_and_slope(theta)
        if self._last is None or self.buffer is None:
            return None
        _, covariance, found = self._last
        return found.information(self.buffer, covariance.moved_products(found.coef))


def on_subsets(covariance: Covariance, Y: Array, H: Array) -> list[RegressionEvidence]:
    """The evidence on nested random subsets, each twice as large as the one before; the last is on all items."""
    n = len(Y)
    order = np.random.default_rng(0).permutation(n)
    sizes = [n // 2, n] if n > _ALL_AT_ONCE and n // 2 >= _SMALLEST else [n]
    while len(sizes) > 1 and sizes[0] // 2 >= _SMALLEST_OF_SEVERAL:
        sizes.insert(0, sizes[0] // 2)
    found = []
    for size in sizes[:-1]:
        index = np.sort(order[:size])
        found.append(RegressionEvidence(covariance.take(index), Y[index], H[index]))
    return [*found, RegressionEvidence(covariance, Y, H)]
