"""The posterior of a Gaussian process, and its moments at new items.

    mean  m(x) + k(x)'a                                 a = P y, solvers/gaussian_process.py
    cov   k(x, x') - k(x)'M^-1 k(x') + u(x)'u(x')        u(x) = R^-1 h(x) - Q'k(x): the unknown part of the mean

Each thread computes some rows of k(new, training), solves them with the factor and reduces them: the m x n matrix is
never stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from mercer.engine.fill import require_memory
from mercer.engine.pool import run
from mercer.engine.tiles import cuts
from mercer.errors import NotPositiveDefinite, bad
from mercer.estimators.gaussian_process.covariance import Covariance
from mercer.estimators.gaussian_process.means import Mean
from mercer.estimators.training_data import Cross
from mercer.gram import StoredGram
from mercer.linalg.cholesky import Factor, factorise
from mercer.linalg.pivoted_cholesky import pivoted_cholesky
from mercer.linalg.tiled_cholesky import RowSolver
from mercer.solvers.gaussian_process import Conditioned, condition
from mercer.typing import Array

_EXPLAINED = 1e-5  # where no jitter helps, leave out items whose variance given the others is below 1e-5 max k(x, x)
_ROWS = 512  # new items per task


@dataclass(frozen=True, eq=False)
class RegressionPosterior:
    """The process given its targets; `used` are the positions of the items it is conditioned on, mostly all of them."""

    covariance: Covariance
    mean: Mean
    found: Conditioned
    used: Array

    @classmethod
    def of(cls, covariance: Covariance, mean: Mean, Y: Array, H: Array, buffer: Array | None = None) -> Self:
        """Condition on targets Y; if M has no factor even with jitter, only on items that determine all others."""
        buffer = covariance.buffer() if buffer is None else buffer
        try:
            return cls(covariance, mean, covariance.condition(Y, H, buffer), np.arange(len(Y)))
        except NotPositiveDefinite:  # which leaves M in the buffer
            pivots = np.sort(pivoted_cholesky(StoredGram.of(buffer), tol=_EXPLAINED).pivots)
            M = buffer[np.ix_(pivots, pivots)]
            return cls(covariance, mean, condition(factorise(M), Y[pivots], H[pivots]), pivots)

    @property
    def factor(self) -> Factor:
        return self.found.factor

    @property
    def evidence(self) -> float:
        """log p(Y)."""
        return self.found.evidence

    @property
    def weights(self) -> Array:
        """b (h, q), the coefficients of the unknown part of the mean."""
        return self.found.weights

    def residual(self) -> float:
        """How well the equations of the mean hold, relative to the targets."""
        return self.found.residual()

    @property
    def outputs(self) -> int:
        return int(self.found.Y.shape[1])

    # ---- new items

    def cross(self, X: Any) -> Cross:
        """k(X, items conditioned on), lazily."""
        data = self.covariance.data
        return (data if len(self.used) == len(data) else data.keep(self.used)).cross(X)

    def mean_at(self, X: Any) -> Array:
        """E f(x), (m, q), without the known part of the mean."""
        cross = self.cross(X)
        m = cross.shape[0]
        return np.asarray(cross @ self.found.coef + self.mean.basis(X, m) @ self.found.weights)

    def moments(self, X: Any, prior: Array | None) -> tuple[Array, Array]:
        """Mean (m, q) and variance (m,) of f; `prior` is k(x, x) where there is no kernel to compute it."""
        cross = self.cross(X)
        m = cross.shape[0]
        mean, variance = np.empty((m, self.outputs)), self.prior_variance(cross, prior)
        known, half, spare = self.mean.basis(X, m), self._half, list[Array]()

        def rows(r: slice) -> None:
            buffer = spare.pop() if spare else np.empty((_ROWS, cross.shape[1]))
            K, u = self._rows(cross, r, buffer[: r.stop - r.start]), self._unknown(known[r])
            mean[r] = K @ self.found.coef
            u -= K @ self.found.explained
            variance[r] += _squares(u) - _squares(half(K))
            spare.append(buffer)

        run(rows, cuts(m, _ROWS))
        mean += known @ self.found.weights
        return mean, variance

    def joint(self, X: Any, prior: Array | None) -> tuple[Array, Array]:
        """Mean (m, q) and covariance (m, m) of f."""
        cross = self.cross(X)
        m, n = cross.shape
        require_memory(f"The covariance of {m} new items", 8 * m * (m + n), "Ask for fewer at a time.")
        V, known = np.empty((m, n)), self._unknown(self.mean.basis(X, m))
        C, half = self.prior_covariance(cross, prior), self._half

        def rows(r: slice) -> None:
            K = self._rows(cross, r, V[r])
            known[r] -= K @ self.found.explained
            half(K)

        def entries(r: slice) -> None:
            C[r] += known[r] @ known.T - V[r] @ V.T

        run(rows, cuts(m, _ROWS))
        run(entries, cuts(m, _ROWS))
        return self.mean_at(X), C

    def prior_variance(self, cross: Cross, given: Array | None) -> Array:
        """k(x, x) of new items."""
        known = cross.row_diag()
        return _given(given, (cross.shape[0],), "k(x, x) of every new item") if known is None else known

    def prior_covariance(self, cross: Cross, given: Array | None) -> Array:
        """k(x, x') of new items."""
        known = cross.row_gram()
        return _given(given, (cross.shape[0],) * 2, "k(x, x') of the new items") if known is None else known

    def _unknown(self, known: Array) -> Array:
        """R^-1 h(x), one row per item."""
        return np.asarray(np.linalg.solve(self.found.root, known.T).T) if known.shape[1] else np.zeros_like(known)

    @cached_property
    def _half(self) -> RowSolver:
        """k(x) -> L^-1 k(x), by rows."""
        return RowSolver(self.factor.A)

    def _rows(self, cross: Cross, r: slice, out: Array) -> Array:
        """k(x, .) for a few new items, in double precision."""
        for c in cuts(cross.shape[1]):
            out[:, c] = cross.block(r, c)
        return out

    # ---- items added and removed

    def extended(self, covariance: Covariance, Y: Array, H: Array) -> RegressionPosterior:
        """The posterior given more items too, the last ones of `covariance`, in O(n^2) per item."""
        n, data = len(self.covariance), covariance.data
        if len(self.used) < n:
            return RegressionPosterior.of(covariance, self.mean, Y, H)
        rows = np.asarray(data.gram().rows(np.arange(n, len(data))), dtype=float)
        corner = rows[:, n:].copy()
        corner.flat[:: len(corner) + 1] += covariance.alpha[n:] + covariance.noise.value
        try:
            factor = self.factor.extend(np.ascontiguousarray(rows[:, :n]), corner)
        except NotPositiveDefinite:
            return RegressionPosterior.of(covariance, self.mean, Y, H)
        return RegressionPosterior(covariance, self.mean, condition(factor, Y, H), np.arange(len(data)))

    def reduced(self, gone: Array, covariance: Covariance, Y: Array, H: Array) -> RegressionPosterior:
        """The posterior without some items, in O(n^2) for each."""
        if len(self.used) < len(self.covariance):
            return RegressionPosterior.of(covariance, self.mean, Y, H)
        return RegressionPosterior(covariance, self.mean, condition(self.factor.remove(gone), Y, H), np.arange(len(Y)))


def _squares(V: Array) -> Array:
    """The squared length of every row."""
    return np.asarray(np.einsum("ij,ij->i", V, V))


def _given(prior: Any, shape: tuple[int, ...], what: str) -> Array:
    K = None if prior is None else np.asarray(prior, dtype=float)
    if K is None or K.shape != shape:
        raise bad("precomputed kernel", "prior", f"{what}, shape {shape}", "none" if K is None else f"shape {K.shape}",
                  "A matrix k(new, training) does not hold it: pass prior=...")  # fmt: skip
    return K.copy()
