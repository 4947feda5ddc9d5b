"""Conditioning a Gaussian process on data: all that follows from the factor of its covariance matrix.

    y = f + H b + e,    cov(f + e) = M,    a flat prior on b (H may have no columns)

With A = H'M^-1 H and P = M^-1 - M^-1 H A^-1 H'M^-1, the inverse covariance of what H cannot explain:

    a           = P y                     coefficients of the posterior mean, m(x) = k(x)'a + h(x)'b
    evidence    = -1/2 y'P y - 1/2 log|M| - 1/2 log|A| - (n - rank H)/2 log 2 pi     (restricted if H has columns)
    slope       = 1/2 tr((a a' - P) dM)   of the evidence, in any parameter of M
    information = 1/2 a' dM_i P dM_j a    about two parameters: the average of observed and expected information
                                          (Gilmour, Thompson & Cullis, 1995); only products dM_j a are needed
    left out    : y_i given the others has mean y_i - a_i / P_ii and variance 1 / P_ii

Several columns of y share M: evidences and slopes add up (Rasmussen & Williams, 2006, ch. 2, 5).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.engine.pool import run
from mercer.engine.tiles import cuts
from mercer.errors import bad
from mercer.linalg.cholesky import Factor
from mercer.native import triangles
from mercer.typing import Array

_LOG_2PI = float(np.log(2.0 * np.pi))
_DEPENDENT = 1e-13  # a column of the basis is dependent if the others leave less than this share of it unexplained


@dataclass(frozen=True, eq=False)
class Conditioned:
    """The factor of M, the targets (n, q), the basis (n, h), and the posterior that follows from them."""

    factor: Factor
    Y: Array
    H: Array
    coef: Array  # a, (n, q)
    weights: Array  # b, (h, q)
    explained: Array  # Q (n, h) with P = M^-1 - Q Q'
    root: Array  # R (h, h) with A = R R', lower triangular

    @property
    def evidence(self) -> float:
        """log p(y), summed over the columns."""
        (n, q), h = self.Y.shape, self.H.shape[1]
        fit = float(np.vdot(self.Y, self.coef))
        volume = self.factor.log_determinant + 2.0 * float(np.log(np.diagonal(self.root)).sum())
        return float(-0.5 * (fit + q * (volume + (n - h) * _LOG_2PI)))

    def slope_weights(self) -> Array:
        """W = 1/2 (a a' - q P): the evidence changes by sum_ij W_ij dM_ij.

        It is made in the buffer of the factor, which is lost, and only in the tiles on and under the diagonal.
        """
        q = self.Y.shape[1]
        U = np.hstack([self.coef, np.sqrt(q) * self.explained])  # W = 1/2 (U U' - q M^-1)
        W, half = self.factor.inverse_in_place(), 0.5 * U.T

        def panel(r: slice) -> None:
            triangles.mirror_lower(W[r, r])
            W[r, : r.stop] *= -0.5 * q
            W[r, : r.stop] += U[r] @ half[:, : r.stop]

        run(panel, cuts(len(W)))
        return W

    def information(self, W: Array, moved: list[Array]) -> Array:
        """1/2 sum_q u_iq' P u_jq with u_iq = dM_i a_q; W: slope weights; moved: dM_i a (n, q) for every i."""
        from scipy.linalg.blas import dsymm

        p, (n, q) = len(moved), self.Y.shape
        V = np.stack(moved).transpose(1, 0, 2).reshape(n, p * q)
        along = self.coef.T @ V
        WV = dsymm(1.0, W.T, V, lower=0)  # reads W on and under the diagonal
        G = ((along.T @ along - 2.0 * (V.T @ WV)) / q).reshape(p, q, p, q)  # P = (a a' - 2 W) / q
        return np.asarray(0.5 * np.einsum("iqjq->ij", G))

    def residual(self) -> float:
        """|M a + H b - y| / |y|: how well the equations are solved, computed with M itself."""
        jitter = self.factor.jitter * self.coef
        left = self.factor.times(self.coef) + jitter + self.H @ self.weights - self.Y
        return float(np.linalg.norm(left) / max(np.linalg.norm(self.Y), np.finfo(float).tiny))

    def left_out(self) -> tuple[Array, Array]:
        """Mean (n, q) and variance (n,) of every y_i given all the others, at these hyper-parameters."""
        precision = self.factor.inverse_diagonal() - np.einsum("ij,ij->i", self.explained, self.explained)
        return self.Y - self.coef / precision[:, None], 1.0 / precision


def condition(factor: Factor, Y: Array, H: Array) -> Conditioned:
    """The posterior of a process with covariance `factor` of its noisy values, targets Y and a basis H."""
    Y, H = np.asarray(Y, dtype=float), np.asarray(H, dtype=float)
    solved = factor.solve(np.hstack([Y, H]))
    Z, G = solved[:, : Y.shape[1]], solved[:, Y.shape[1] :]
    root = _root(H.T @ G)
    Q = np.linalg.solve(root, G.T).T
    right = np.linalg.solve(root, H.T @ Z)
    b = np.linalg.solve(root.T, right)
    return Conditioned(factor, Y, H, Z - Q @ right, b, Q, root)


def _root(A: Array) -> Array:
    """The Cholesky factor of A = H'M^-1 H; refused if columns of H are combinations of others: b is not unique."""
    try:
        R = np.asarray(np.linalg.cholesky(A))
        dependent = bool((np.diagonal(R) ** 2 <= _DEPENDENT * np.diagonal(A)).any())
    except np.linalg.LinAlgError:
        dependent = True
    if dependent:
        raise bad("mean", "the basis", "linearly independent on the training items",
                  f"{len(A)} columns of a lower rank", "Drop repeated columns, or use mean='constant'.")  # fmt: skip
    return R
