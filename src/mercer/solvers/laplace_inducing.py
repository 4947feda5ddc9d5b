"""Laplace's approximation of a latent process with labels through m landmarks: O(n m^2) for a step of Newton's method.

    prior   f_c ~ N(0, Q + R) for each of C functions,    Q = K_nm K_mm^-1 K_mn = Phi Phi',    R = diag(k_ii - q_ii)

The prior keeps the exact variance of every item; what the landmarks do not explain is independent between items
(Snelson & Ghahramani, 2006; with labels Naish-Guzman & Holden, 2008).  Without R, items would have less variance than
new ones do, and the evidence would be too large.  With all items as landmarks R is 0 and the model is the exact one.

With W of an item as in label_sites.py, (C, C), and r its entry of R,

    P = (I + r W)^-1,    T = W P,    A = I + Phi'T Phi, a matrix of m C x m C,

    (K + W^-1)^-1      =  T - T Phi A^-1 Phi'T
    log |I + K W|      =  log |A| - sum_i log |P_i|
    cov of f_i         =  r P + P V P,    V = Phi_i A^-1 Phi_i'

where K is the prior of all functions.  The mode is f = K a, found and proved as in laplace.py, and of a new item

    f(x) ~ N(Phi(x) u,  k(x, x) - q(x, x) + Phi(x) A^-1 Phi(x)'),    u = Phi'a

The slope of the evidence is sum_ij M_ij dK_ij with the M of laplace.py.  M is diagonal plus rank m C, so that its
products with Phi need no n x n matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np

from mercer.linalg.cholesky import Factor, factorise
from mercer.solvers.label_sites import Sites
from mercer.solvers.laplace import Mode, Step, best_start, find_mode
from mercer.typing import Array


class FeatureRows(Protocol):
    """Phi (n, m), of which rows can be had a panel at a time."""

    @property
    def shape(self) -> tuple[int, int]:
        """(n, m)."""

    def block(self, r: slice) -> Array:
        """Some rows."""

    def folded(self, work: Callable[[slice], tuple[Any, ...]]) -> list[Any]:
        """Sums over all panels of what `work` returns."""

    def each(self, work: Callable[[slice], None]) -> None:
        """`work` for every panel."""


@dataclass(frozen=True, eq=False)
class InducingPrior:
    """K = Phi Phi' + diag(rest); `variance` are the k(x, x)."""

    Phi: FeatureRows
    rest: Array
    variance: Array

    @classmethod
    def of(cls, Phi: FeatureRows, variance: Array) -> Self:
        """The prior whose items have these k(x, x)."""
        explained = np.empty(len(variance))

        def rows(r: slice) -> None:
            F = Phi.block(r)
            explained[r] = np.einsum("ij,ij->i", F, F)

        Phi.each(rows)
        return cls(Phi, np.maximum(variance - explained, 0.0), variance)

    def diagonal(self) -> Array:
        """k(x, x)."""
        return self.variance

    def __matmul__(self, V: Array) -> Array:
        """K v, a column at a time."""
        return np.asarray(self.spread(self.gathered(V)) + self.rest[:, None] * V)

    def gathered(self, V: Array) -> Array:
        """Phi'v, (m, C)."""
        (found,) = self.Phi.folded(lambda r: (self.Phi.block(r).T @ V[r],))
        return np.asarray(found)

    def spread(self, u: Array) -> Array:
        """Phi u, (n, C)."""
        out = np.empty((self.Phi.shape[0], u.shape[1]))

        def rows(r: slice) -> None:
            out[r] = self.Phi.block(r) @ u

        self.Phi.each(rows)
        return out

    def quadratic_forms(self, inverse: Array) -> Array:
        """V (n, C, C) from A^-1 (C, m, C, m): Phi_i A^-1 Phi_i' of every item."""
        V = np.empty((self.Phi.shape[0], len(inverse), len(inverse)))

        def rows(r: slice) -> None:
            V[r] = quadratic_forms(self.Phi.block(r), inverse)

        self.Phi.each(rows)
        return V

    def squared(self, t: Array) -> Array:
        """Phi'diag(t) Phi."""
        (found,) = self.Phi.folded(lambda r: (_squared(self.Phi.block(r), t[r]),))
        return np.asarray(found)


def quadratic_forms(Phi: Array, inverse: Array) -> Array:
    """Phi_i A^-1 Phi_i' of some rows, (rows, C, C), from A^-1 (C, m, C, m)."""
    C = len(inverse)
    V = np.empty((len(Phi), C, C))
    for c in range(C):
        for d in range(c + 1):
            V[:, c, d] = V[:, d, c] = np.einsum("ij,ij->i", Phi @ inverse[c, :, d], Phi)
    return V


def _squared(Phi: Array, t: Array) -> Array:
    """Phi'diag(t) Phi of some rows: as squares, which take half the time of a product."""
    X, negative = Phi * np.sqrt(np.abs(t))[:, None], t < 0.0
    if not negative.any():
        return np.asarray(X.T @ X)
    below, above = X[negative], X[~negative]
    return np.asarray(above.T @ above - below.T @ below)


@dataclass(frozen=True, eq=False)
class InducingCurvature:
    """W, P and T of every item, the factor of A, and log |I + K W|."""

    prior: InducingPrior
    W: Array
    P: Array
    T: Array
    factor: Factor
    log_determinant: float

    @classmethod
    def at(cls, prior: InducingPrior, W: Array) -> Self:
        """The curvature where the labels have these W (n, C, C)."""
        C, m = W.shape[1], prior.Phi.shape[1]
        P = np.linalg.inv(np.eye(C) + prior.rest[:, None, None] * W)
        T = W @ P
        A = np.empty((C * m, C * m))
        blocks = A.reshape(C, m, C, m)
        for c in range(C):
            for d in range(c + 1):
                blocks[c, :, d] = prior.squared(0.5 * (T[:, c, d] + T[:, d, c]))
                blocks[d, :, c] = blocks[c, :, d].T
        A.flat[:: C * m + 1] += 1.0
        factor = factorise(A)
        return cls(prior, W, P, T, factor, factor.log_determinant - float(np.linalg.slogdet(P)[1].sum()))

    @property
    def functions(self) -> int:
        """C."""
        return int(self.W.shape[1])

    def step(self, F: Array, G: Array) -> Array:
        """The a that maximises the quadratic model of psi at F, with slope G and this curvature."""
        return self._without_landmarks(_times(self.P, _times(self.W, F) + G))

    def solve(self, V: Array) -> Array:
        """(K + W^-1)^-1 v."""
        return self._without_landmarks(_times(self.T, V))

    def _without_landmarks(self, V: Array) -> Array:
        """v - T Phi A^-1 Phi'v."""
        u = self.prior.gathered(V)
        solved = self.factor.solve(u.T.ravel()).reshape(u.shape[::-1]).T
        return np.asarray(V - _times(self.T, self.prior.spread(solved)))

    def inverse(self) -> Array:
        """A^-1, (C, m, C, m)."""
        C, m = self.functions, self.prior.Phi.shape[1]
        return self.factor.inverse().reshape(C, m, C, m)


@dataclass(frozen=True, eq=False)
class InducingLaplace:
    """The Gaussian approximation: its mode (n, C), the curvature there, and the evidence."""

    sites: Sites
    mode: Mode
    curvature: InducingCurvature
    evidence: float

    @classmethod
    def of(cls, prior: InducingPrior, sites: Sites, *, start: Array | None = None, max_iter: int = 100) -> Self:
        """The approximation; `start` are coefficients (n, C) near the maximum, if known."""

        def curved(F: Array) -> Step:
            return InducingCurvature.at(prior, sites.curvature(F)).step

        begin = best_start(prior, sites.log_and_slope, start, (prior.Phi.shape[0], sites.functions))
        mode = find_mode(prior, sites.log_and_slope, curved, begin, max_iter=max_iter)
        curvature = InducingCurvature.at(prior, sites.curvature(mode.latent))
        return cls(sites, mode, curvature, -mode.primal - 0.5 * curvature.log_determinant)

    def weights(self) -> Array:
        """u = Phi'a, (m, C)."""
        return self.curvature.prior.gathered(self.mode.coef)

    def slopes(self) -> InducingSlopes:
        """How the evidence changes with the prior: M, through its products with Phi and its diagonal.

        M = 1/2 sum_c (u_c a_c' + a_c u_c' - [(K + W^-1)^-1]_cc) with u = s - (K + W^-1)^-1 K s + a / 2, and s the slope
        of -1/2 log |I + K W| in the latent values.
        """
        known, A = self.curvature, self.mode.coef
        inverse = known.inverse()
        V = known.prior.quadratic_forms(inverse)
        covariance = known.prior.rest[:, None, None] * known.P + known.P @ V @ known.P
        s = self.sites.skewed(self.mode.latent, covariance)
        U = s - known.solve(known.prior @ s) + 0.5 * A
        own = np.trace(known.T - known.T @ V @ known.T, axis1=1, axis2=2)
        return InducingSlopes(known, inverse, A, U, np.asarray((U * A).sum(axis=1) - 0.5 * own))


@dataclass(frozen=True, eq=False)
class InducingSlopes:
    """The derivative M of the evidence in K, and what it means for k(items, landmarks) and k(landmarks, landmarks).

    K = Phi Phi' off the diagonal, and k(x, x) on it: M without its diagonal acts on Q, `diagonal` on k(x, x).
    """

    curvature: InducingCurvature
    inverse: Array
    A: Array
    U: Array
    diagonal: Array

    @cached_property
    def _gathered(self) -> tuple[Array, Array]:
        """Phi'a and Phi'u."""
        prior = self.curvature.prior
        return prior.gathered(self.A), prior.gathered(self.U)

    @cached_property
    def landmarks(self) -> Array:
        """-Phi'(M without its diagonal) Phi: with L^-T (.) L^-1, the derivative in K_mm = L L'.

        Phi'(K + W^-1)^-1 Phi is I - A^-1, a block for each function.
        """
        a, u = self._gathered
        explained = self.curvature.functions * np.eye(len(a)) - np.einsum("cicj->ij", self.inverse)
        whole = 0.5 * (u @ a.T + a @ u.T - explained)
        return np.asarray(self.curvature.prior.squared(self.diagonal) - whole)

    def of_panel(self, r: slice) -> Array:
        """2 (M without its diagonal) Phi of some rows: with (.) L^-1, the derivative in K_nm."""
        Phi, T = self.curvature.prior.Phi.block(r), self.curvature.T[r]
        a, u = self._gathered
        out = self.U[r] @ a.T + self.A[r] @ u.T - (2.0 * self.diagonal[r])[:, None] * Phi
        for c, d, block in _pairs(self.inverse):
            out -= T[:, c, d][:, None] * (Phi @ block)
        return np.asarray(out)


def _pairs(inverse: Array) -> Iterator[tuple[int, int, Array]]:
    """Blocks c >= d of A^-1, those off the diagonal with their transpose added: a sum over pairs is one over all."""
    for c in range(len(inverse)):
        for d in range(c + 1):
            block = inverse[c, :, d]
            yield c, d, block if c == d else block + block.T


def _times(M: Array, V: Array) -> Array:
    """M_i v_i for every item."""
    return np.asarray(np.einsum("iab,ib->ia", M, V))
