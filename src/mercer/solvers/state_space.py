"""Gaussian processes on a line with a Matern covariance of order 1/2, 3/2 or 5/2: everything in O(n), and exact.

    y = f + H b + e,    cov f(s, t) = variance k(|s - t| / lengthscale),    var e_i = noise_i,    a flat prior on b

f is the first entry of a state of 1, 2 or 3 numbers that is a Markov process, so that Kalman's filter gives all
products with the inverse of the covariance M of noisy values: log |M|, [Y H]'M^-1 [Y H], and their derivatives in
log lengthscale, log variance and a common part of the noise.  `solvers/products_evidence.py` has the formulas of the
evidence from there on.

The same filter from the right gives what later places say of the state.  A stationary process looks the same backwards
but for the sign of odd derivatives, so both passes are one function; the posterior between two places joins them:

    C = (A^-1 + B^-1 - P^-1)^-1      A, B, P the covariances of the state given the left, given the right, given nothing
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mercer.engine.pool import run
from mercer.errors import bad
from mercer.native import state_space
from mercer.solvers.products_evidence import evidence_of, slope_of, weights_of
from mercer.typing import Array

ORDERS = {0.5: 1, 1.5: 2, 2.5: 3}  # {nu: numbers of the state}
PARAMETERS = 3  # log lengthscale, log variance, noise
_STATIONARY = {
    1: np.eye(1),
    2: np.eye(2),
    3: np.array([[1.0, 0.0, -1.0 / 3.0], [0.0, 1.0 / 3.0, 0.0], [-1.0 / 3.0, 0.0, 1.0]]),
}


@dataclass(frozen=True, eq=False)
class LineProcess:
    """Noisy values at ordered places: targets Y (n, q), a basis H (n, h) of the mean, and the noise of every place."""

    places: Array
    Y: Array
    H: Array
    noise: Array
    nu: float
    lengthscale: float
    variance: float

    def __post_init__(self) -> None:
        if (np.diff(self.places) < 0.0).any():
            raise bad("LineProcess", "places", "in ascending order", "others", "Sort them.")

    @property
    def rate(self) -> float:
        """sqrt(2 nu) / lengthscale."""
        return float(np.sqrt(2.0 * self.nu)) / self.lengthscale

    @property
    def order(self) -> int:
        """How many numbers a state has."""
        return ORDERS[self.nu]

    def evidence(self, *, slopes: bool = False) -> tuple[float, Array]:
        """log p(Y), summed over the columns, restricted if H has columns; and its slope in the three parameters."""
        q = self.Y.shape[1]
        sums = self._filter(slopes)
        value = evidence_of(sums.log_determinant, sums.products, len(self.Y), q)
        if not slopes:
            return value, np.empty(0)
        log_slopes, products = sums.log_determinant_slopes, sums.product_slopes
        slope = [slope_of(sums.products, d, G, q) for d, G in zip(log_slopes, products, strict=True)]
        return value, np.array(slope)

    def weights(self) -> Array:
        """b (h, q): the generalised least squares estimate of the mean."""
        G, q = self._filter(False).products, self.Y.shape[1]
        return weights_of(G, q)

    def moments(self, new: Array, H_new: Array) -> tuple[Array, Array]:
        """Mean (m, q) and variance (m,) of f + H b at new places, in any order."""
        q = self.Y.shape[1]
        means, variance = self._both_sides(new)
        G = self._filter(False).products
        unexplained = H_new - means[:, q:]
        b = weights_of(G, q)
        root = np.linalg.cholesky(G[q:, q:])
        extra = np.linalg.solve(root, unexplained.T)
        return means[:, :q] + unexplained @ b, variance + np.einsum("ij,ij->j", extra, extra)

    # ---- the filter

    @cached_property
    def _columns(self) -> Array:
        return np.ascontiguousarray(np.hstack([self.Y, self.H]), dtype=float)

    def _filter(self, slopes: bool) -> LineSums:
        c = self._columns.shape[1]
        products, log_slopes, product_slopes = np.zeros(c * c), np.zeros(PARAMETERS), np.zeros(PARAMETERS * c * c)
        given = (log_slopes, product_slopes) if slopes else (None, None)
        gaps = np.diff(self.places, prepend=self.places[:1]) * self.rate
        log_determinant = np.zeros(1)

        def whole(place: int) -> None:
            log_determinant[place] = state_space.filter_line(
                self.order, gaps, self._columns, self.noise, self.variance, products, *given, None, None
            )

        run(whole, range(1))
        return LineSums(
            float(log_determinant[0]), log_slopes, products.reshape(c, c), product_slopes.reshape(PARAMETERS, c, c)
        )

    @cached_property
    def _from_left(self) -> tuple[Array, Array]:
        return self._states(self.places, self._columns, self.noise)

    @cached_property
    def _from_right(self) -> tuple[Array, Array]:
        """The states given all places from each one on, with the derivatives as seen from the left."""
        means, covariances = self._states(-self.places[::-1], self._columns[::-1], self.noise[::-1])
        signs = (-1.0) ** np.arange(self.order)
        return means[::-1] * signs, covariances[::-1] * np.outer(signs, signs)

    def _states(self, places: Array, columns: Array, noise: Array) -> tuple[Array, Array]:
        """Mean (n, c, J) and covariance (n, J, J) of the state at every place, given that and all before it."""
        n, c, J = *columns.shape, self.order
        means, covariances = np.empty((n, c * J)), np.empty((n, J * J))
        gaps = np.diff(places, prepend=places[:1]) * self.rate
        state_space.filter_line(J, gaps, np.ascontiguousarray(columns), np.ascontiguousarray(noise), self.variance,
                                np.zeros(c * c), None, None, means, covariances)  # fmt: skip
        return means.reshape(n, c, J), covariances.reshape(n, J, J)

    # ---- new places

    def _both_sides(self, new: Array) -> tuple[Array, Array]:
        """k(x)'M^-1 [Y H] and the variance of f at new places."""
        after = np.searchsorted(self.places, new, side="right")  # the first place to the right
        left = self._moved(self._from_left, after - 1, new - self.places[np.maximum(after - 1, 0)], 1.0)
        right_gap = self.places[np.minimum(after, len(self.places) - 1)] - new
        right = self._moved(self._from_right, after, right_gap, -1.0)
        (a, A), (b, B) = left, right
        P = self.variance * _STATIONARY[self.order]
        AB = A @ np.linalg.inv(B)
        T = np.eye(self.order) + AB @ (P - B) @ np.linalg.inv(P)
        C = np.linalg.solve(T, A)
        means = np.linalg.solve(T, np.swapaxes(a + b @ np.swapaxes(AB, 1, 2), 1, 2))
        return means[:, 0, :], np.maximum(C[:, 0, 0], 0.0)

    def _moved(self, states: tuple[Array, Array], index: Array, gaps: Array, sign: float) -> tuple[Array, Array]:
        """Means (m, c, J) and covariances at new places from the states at `index`; the prior where there is none."""
        means, covariances = states
        J, n = self.order, len(self.places)
        P = self.variance * _STATIONARY[J]
        inside = (index >= 0) & (index < n)
        places = np.clip(index, 0, n - 1)
        A = np.empty((len(gaps), J * J))
        state_space.line_transitions(J, np.where(inside, np.abs(gaps), 0.0) * self.rate, A)
        signs = sign ** np.arange(J)
        A = A.reshape(-1, J, J) * np.outer(signs, signs)
        mean = np.where(inside[:, None, None], means[places] @ np.swapaxes(A, 1, 2), 0.0)
        moved = P + A @ (covariances[places] - P) @ np.swapaxes(A, 1, 2)
        return mean, np.where(inside[:, None, None], moved, P)


@dataclass(frozen=True, eq=False)
class LineSums:
    """log |M| and [Y H]'M^-1 [Y H], with derivatives."""

    log_determinant: float
    log_determinant_slopes: Array
    products: Array
    product_slopes: Array
