"""Gaussian process regression through m landmarks: a lower bound of the evidence in O(n m^2) (Titsias, 2009).

    y = f + H b + e,    var e_i = s_i,    Q = K_nm K_mm^-1 K_mn in the place of K,    a flat prior on b

With K_mm = L L', Phi = K_nm L^-T, S = diag(s), W = Phi'S^-1 Phi, U = Phi'S^-1 [Y H], V = [Y H]'S^-1 [Y H], B = I + W

    G        = V - U'B^-1 U                        = [Y H]'(Q + S)^-1 [Y H]
    log|Q+S| = log|B| + sum log s
    bound    = evidence of Q + S, minus q/2 sum_i (k_ii - q_ii) / s_i

so that two passes over the items are enough, one for these sums and one for slopes: nothing of size n x m is stored.

For n items and any vector v, with r = y - (K + S) v (Artemov et al., 2021: CGLB)

    evidence <= -v'y + 1/2 v'(K + S)v - 1/2 log|Q + S| - n/2 log 2 pi
    evidence >= -v'r - 1/2 v'(K + S)v - 1/2 r'(Q + S)^-1 r - 1/2 (log|Q + S| + n log(1 + tr S^-1(K - Q) / n)) - ...

which says how far the model is from the exact one, without its factor.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mercer.typing import Array

_LOG_2PI = float(np.log(2.0 * np.pi))
_JITTER = 1e-8  # of the mean k(z, z): K_mm has a factor, and the bound stays one


@dataclass(frozen=True, eq=False)
class InducingSums:
    """What the items say of the landmarks; `q` of the columns of U and V are targets, the others the basis."""

    W: Array
    U: Array
    V: Array
    log_noise: float  # sum log s
    diagonal: float  # sum k_ii / s_i
    n: int
    q: int

    @cached_property
    def inner(self) -> Array:
        """The factor of B."""
        return np.asarray(np.linalg.cholesky(np.eye(len(self.W)) + 0.5 * (self.W + self.W.T)))

    def solve(self, right: Array) -> Array:
        """B^-1 right."""
        from scipy.linalg import cho_solve

        return np.asarray(cho_solve((self.inner, True), right))

    @cached_property
    def solved(self) -> Array:
        """B^-1 U, (m, q + h)."""
        return self.solve(self.U)

    @cached_property
    def products(self) -> Array:
        """G, (q + h, q + h)."""
        return np.asarray(self.V - self.U.T @ self.solved)

    @cached_property
    def weights(self) -> Array:
        """b, (h, q)."""
        q, G = self.q, self.products
        return np.asarray(np.linalg.solve(G[q:, q:], G[q:, :q]))

    @property
    def log_determinant(self) -> float:
        """log |Q + S|."""
        return 2.0 * float(np.log(np.diagonal(self.inner)).sum()) + self.log_noise

    @property
    def trace_error(self) -> float:
        """sum_i (k_ii - q_ii) / s_i."""
        return float(self.diagonal - np.trace(self.W))

    @property
    def of_mean(self) -> float:
        """What a flat prior on b adds to the evidence of the targets without their mean."""
        q, h = self.q, len(self.V) - self.q
        return -0.5 * q * (float(np.linalg.slogdet(self.products[q:, q:])[1]) - h * _LOG_2PI) if h else 0.0

    @property
    def evidence(self) -> float:
        """The evidence of the model with Q in the place of K."""
        q, G = self.q, self.products
        fit = float(np.trace(G[:q, :q]) - np.sum(G[:q, q:] * self.weights.T))
        return -0.5 * (fit + q * (self.log_determinant + self.n * _LOG_2PI)) + self.of_mean

    @property
    def bound(self) -> float:
        """The lower bound of the evidence of K."""
        return self.evidence - 0.5 * self.q * self.trace_error

    def slopes(self, root: Array) -> InducingSlopes:
        """How the bound changes with the sums, and with K_mm, whose factor is `root`."""
        q, R = self.q, self.solved
        E = -0.5 * np.eye(len(self.V))
        if len(E) > q:
            b = self.weights
            E[q:, :q], E[:q, q:] = 0.5 * b, 0.5 * b.T
            E[q:, q:] = -0.5 * (b @ b.T + q * np.linalg.inv(self.products[q:, q:]))
        in_W = R @ E @ R.T + 0.5 * q * self.solve(self.W)  # B^-1 W = I - B^-1
        in_W = 0.5 * (in_W + in_W.T)
        half = np.linalg.inv(root)
        in_K = half.T @ (in_W - 0.5 * q * self.W) @ half
        inner, outer = half.T @ in_W @ half, half.T @ (-2.0 * R @ E)
        return InducingSlopes(inner, outer, E, 0.5 * (in_K + in_K.T), -0.5 * q, q)


@dataclass(frozen=True, eq=False)
class InducingSlopes:
    """Derivatives of the bound in W, U, V (with L as it is), in K_mm (with K_nm as it is), and in sum k_ii / s_i.

    Those in W and U are for K_nm in the place of Phi, L^-T (.) L^-1 and L^-T (.): one product with K_nm then does for
    two with Phi and the solution that makes Phi.
    """

    W: Array
    U: Array
    V: Array
    K: Array
    diagonal: float
    q: int

    def of_panel(self, K: Array, columns: Array, s: Array, diag: Array) -> tuple[Array, float]:
        """For some items: the derivative in their K_nm, which is K, and that in a common part of their noise.

        `columns` are their rows of [Y H], s their noise, diag their k(x, x).
        """
        inside, cross = K @ self.W, columns @ self.U.T
        each = np.einsum("ij,ij->i", inside + cross, K) + ((columns @ self.V) * columns).sum(axis=1)
        noise = float(-((each + self.diagonal * diag) / s**2).sum() - 0.5 * self.q * (1.0 / s).sum())
        inside *= 2.0
        inside += cross
        inside /= s[:, None]
        return np.asarray(inside), noise


def factor_of_landmarks(K: Array) -> Array:
    """L with K_mm + jitter = L L'."""
    jitter = _JITTER * float(np.trace(K)) / max(len(K), 1)
    return np.asarray(np.linalg.cholesky(0.5 * (K + K.T) + jitter * np.eye(len(K))))


def panel_sums(Phi: Array, columns: Array, s: Array, diag: Array) -> tuple[Array, Array, Array, float, float]:
    """The part of some items in W, U, V, sum log s and sum k_ii / s_i."""
    scaled = Phi / np.sqrt(s)[:, None]
    parts = columns / s[:, None]
    return scaled.T @ scaled, Phi.T @ parts, columns.T @ parts, float(np.log(s).sum()), float((diag / s).sum())


def two_sided(sums: InducingSums, y: Array, v: Array, image: Array, solved: Array) -> tuple[float, float]:
    """(low, high) with low <= log N(y; 0, K + S) <= high, for any v.

    `image` is (K + S) v, and `solved` is (Q + S)^-1 r with r = y - image.
    """
    r = y - image
    constant = -0.5 * (sums.log_determinant + len(y) * _LOG_2PI)
    high = constant - float(v @ y) + 0.5 * float(v @ image)
    growth = 0.5 * len(y) * float(np.log1p(max(sums.trace_error, 0.0) / len(y)))
    low = constant - growth - float(v @ r) - 0.5 * float(v @ image) - 0.5 * float(r @ solved)
    return low, high
