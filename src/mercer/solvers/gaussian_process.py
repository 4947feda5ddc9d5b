"""Conditioning a Gaussian process on data: what is known once a covariance matrix has been factored.

    y = f + H b + e,    cov(f + e) = M,    nothing known of b beforehand (H may have no columns)

With A = H'M^-1 H and P = M^-1 - M^-1 H A^-1 H'M^-1, the inverse covariance of what H cannot explain:

    a         = P y                                      the coefficients of the posterior mean, m(x) = k(x)'a + h(x)'b
    evidence  = -1/2 y'P y - 1/2 log|M| - 1/2 log|A| - (n - rank H)/2 log 2 pi     (restricted if H has columns)
    its slope = 1/2 tr((a a' - P) dM)                     in any parameter of M
    information 1/2 a' dM_i P dM_j a                      about two of them, averaged (solvers/evidence_search.py)
    left out  : y_i given the others has mean y_i - a_i / P_ii and variance 1 / P_ii

Several columns of y share M: evidences and slopes add up (Rasmussen & Williams, 2006, ch. 2, 5).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.errors import bad
from mercer.linalg.cholesky import Factor
from mercer.linalg.tiled import invert_lower, multiply_lower
from mercer.native import triangles
from mercer.typing import Array

_LOG_2PI = float(np.log(2.0 * np.pi))
_DEPENDENT = 1e-13  # of a column of the basis, left over by the others: rounding


@dataclass(frozen=True, eq=False)
class Conditioned:
    """The factor of M, the targets (n, q), the basis (n, h), and what follows from them."""

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

    @property
    def outer(self) -> Array:
        """U (n, q + h) with a a' + q Q Q' = U U': the part of the slope's weights that is of low rank."""
        return np.hstack([self.coef, np.sqrt(self.Y.shape[1]) * self.explained])

    def residual(self) -> float:
        """|M a + H b - y| / |y|: how well the equations are solved, from the matrix itself."""
        jitter = self.factor.jitter * self.coef
        left = self.factor.times(self.coef) + jitter + self.H @ self.weights - self.Y
        return float(np.linalg.norm(left) / max(np.linalg.norm(self.Y), np.finfo(float).tiny))

    def left_out(self) -> tuple[Array, Array]:
        """Mean (n, q) and variance (n,) of every y_i given all the others, hyper-parameters as they are."""
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
    """The Cholesky factor of A = H'M^-1 H; columns of H that are combinations of others have no coefficients."""
    try:
        R = np.asarray(np.linalg.cholesky(A))
        dependent = bool((np.diagonal(R) ** 2 <= _DEPENDENT * np.diagonal(A)).any())
    except np.linalg.LinAlgError:
        dependent = True
    if dependent:
        raise bad("mean", "the basis", "linearly independent on the training items",
                  f"{len(A)} columns of a lower rank", "Drop repeated columns, or use mean='constant'.")  # fmt: skip
    return R


def inverse_in_place(factor: Factor) -> Array:
    """M^-1 on and under the diagonal of the factor's own buffer, which is lost; above it M is left as it was."""
    invert_lower(factor.A)
    multiply_lower(factor.A)
    return factor.A


def slope_tile(outer: Array, inverse: Array, columns: int, r: slice, c: slice) -> Array:
    """The weights 1/2 (a a' - q P) of a tile under the diagonal, counted twice as it stands for its mirror too."""
    W = outer[r] @ outer[c].T
    if r == c:
        T = columns * inverse[r, c]
        triangles.mirror_lower(T)
        W -= T
        W *= 0.5
    else:
        W -= columns * inverse[r, c] if columns > 1 else inverse[r, c]
    return W


def information(found: Conditioned, inverse: Array, moved: list[Array]) -> Array:
    """1/2 sum_q u_iq' P u_jq with u_iq = dM_i a_q (n, q) for every parameter i, from M^-1 under the diagonal."""
    from scipy.linalg.blas import dsymm

    p, (n, q) = len(moved), found.Y.shape
    U = np.asfortranarray(np.stack(moved).transpose(1, 0, 2).reshape(n, p * q))
    known = found.explained.T @ U
    G = (U.T @ dsymm(1.0, inverse.T, U, lower=0) - known.T @ known).reshape(p, q, p, q)
    return np.asarray(0.5 * np.einsum("iqjq->ij", G))
