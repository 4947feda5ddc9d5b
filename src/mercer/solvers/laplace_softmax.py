"""The Laplace approximation for several classes at once: one latent function per class, joined by the softmax.

    prior        f_c ~ N(0, K) for every class c, independent
    likelihood   p(y_i = c | f) = pi_ic = exp(f_ic) / sum_c' exp(f_ic')

W = -d^2 log p / df^2 is no longer diagonal: for an item of weight w it is w (diag(pi) - pi pi').  With D_c =
diag(w pi_c), R_c the root of D_c, B_c = I + R_c K R_c and E_c = R_c B_c^-1 R_c,

    (K + W^-1)^-1  =  E_c on the diagonal, minus E_c S^-1 E_c' everywhere,    S = sum_c E_c
    log |I + K W|  =  sum_c log |B_c| + log |S| - sum_i log w_i

so C + 1 factorisations of n x n matrices are enough for n C unknowns (Rasmussen & Williams, 2006, algorithms 3.3 and
3.4, with the determinant of S that the evidence needs and the slope of the evidence, which they leave out).  For two
classes this is the logistic approximation with the kernel 2 k.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np

from mercer.engine.fill import require_memory
from mercer.linalg.cholesky import Factor, factorise
from mercer.solvers.laplace import Mode, Step, best_start, factored, find_mode
from mercer.solvers.losses import softmax
from mercer.typing import Array


def log_and_slope(codes: Array, weight: Array, F: Array) -> tuple[float, Array]:
    """log p(y | f) and its slope in f: the indicators of the labels minus pi, both weighted."""
    from scipy.special import logsumexp

    at, G = (np.arange(len(codes)), codes), -softmax(F)
    G[at] += 1.0
    return float(weight @ (F[at] - logsumexp(F, axis=1))), weight[:, None] * G


@dataclass(frozen=True, eq=False)
class Curvature:
    """W at given probabilities, through the inverses of all B_c and the factor of S."""

    weight: Array
    roots: Array
    inverses: list[Array]
    S: Factor
    log_determinant: float

    @classmethod
    def at(cls, K: Array, P: Array, weight: Array) -> Self:
        """The curvature where the classes have the probabilities P (n, C)."""
        roots, inverses, logs, S = np.sqrt(weight * P.T), [], -float(np.log(weight).sum()), np.zeros_like(K)
        for root in roots:
            factor = factored(K, root)
            logs += factor.log_determinant
            inverses.append(factor.inverse(overwrite=True))
            S += root[:, None] * inverses[-1] * root
        total = factorise(S)
        return cls(weight, roots, inverses, total, logs + total.log_determinant)

    @property
    def probabilities(self) -> Array:
        """pi (n, C)."""
        return np.asarray((self.roots**2 / self.weight).T)

    def solve(self, V: Array) -> Array:
        """(K + W^-1)^-1 v for a stack of one column per class."""
        E = np.column_stack([self.E(c, v) for c, v in enumerate(V.T)])
        total = self.S.solve(E.sum(axis=1))
        return np.asarray(E - np.column_stack([self.E(c, total) for c in range(V.shape[1])]))

    def E(self, c: int, V: Array) -> Array:
        """E_c v, of a vector or a matrix."""
        root = self.roots[c] if V.ndim == 1 else self.roots[c][:, None]
        return np.asarray(root * (self.inverses[c] @ (root * V)))


def _step(K: Array, curvature: Curvature, F: Array, G: Array) -> Array:
    """The a that maximises the quadratic model of psi at F, with slope G and the given curvature."""
    P = curvature.probabilities
    b = curvature.roots.T**2 * (F - (P * F).sum(axis=1, keepdims=True)) + G
    return np.asarray(b - curvature.solve(K @ b))


@dataclass(frozen=True, eq=False)
class SoftmaxLaplace:
    """The Gaussian approximation: its mode (one column per class), the curvature there, and the evidence."""

    codes: Array
    mode: Mode
    curvature: Curvature
    evidence: float

    @classmethod
    def of(cls, K: Array, codes: Array, classes: int, *, weight: Array | None = None,
           start: Array | None = None, max_iter: int = 100) -> Self:  # fmt: skip
        """The approximation for labels 0 ... classes - 1; an item of weight w > 0 counts as w equal items."""
        n = len(codes)
        w = np.ones(n) if weight is None else weight
        require_memory(f"A softmax of {classes} classes and {n} items", 8 * (classes + 3) * n * n,
                       "Use one_vs_rest, or fewer items.")  # fmt: skip

        def curved(F: Array) -> Step:
            return partial(_step, K, Curvature.at(K, softmax(F), w))

        likelihood = partial(log_and_slope, codes, w)
        begin = best_start(K, likelihood, start, (n, classes))
        mode = find_mode(K, likelihood, curved, begin, max_iter=max_iter)
        curvature = Curvature.at(K, softmax(mode.latent), w)
        return cls(codes, mode, curvature, -mode.primal - 0.5 * curvature.log_determinant)

    def slope(self, K: Array) -> Array:
        """M, symmetric, with d log q = sum_ij M_ij dK_ij, for the K that all classes share.

        M = 1/2 sum_c (a_c a_c' + u_c a_c' + a_c u_c' - E_c + E_c S^-1 E_c), with u = (I - (K + W^-1)^-1 K) s and s the
        slope of -1/2 log |I + K W| in the latent values.
        """
        A = self.mode.coef
        M, s = self._explicit_part_and_mode_slope()
        U = s - self.curvature.solve(K @ s) + 0.5 * A
        return np.asarray(0.5 * (U @ A.T + A @ U.T - M))

    def _explicit_part_and_mode_slope(self) -> tuple[Array, Array]:
        """sum_c E_c - E_c S^-1 E_c, and s = -1/2 d log |I + K W| / df (n, C).

        With S = L L', V_c = (I - B_c^-1) R_c L^-T and Q = V V' + (I - B_c^-1) on the diagonal, R Sigma R is Q where
        Sigma is the posterior covariance.  Of an item, with tau_c = Q_cc - 2 r_c sum_c' Q_cc' r_c' / w,
        s_c = -1/2 (tau_c - pi_c sum_c' tau_c').  The sums over c' need no stored V_c', as sum_c R_c V_c = w L^-T - L.
        """
        roots, S, w = self.curvature.roots, self.curvature.S, self.curvature.weight
        L, n = S.L, S.A.shape[0]
        T = S.half(np.eye(n)).T  # L^-T
        rest, M, tau = w[:, None] * T - L, np.zeros((n, n)), np.empty((n, len(roots)))
        for c, (root, B) in enumerate(zip(roots, self.curvature.inverses, strict=True)):
            V = root[:, None] * T - B @ (root[:, None] * T)
            Z = root[:, None] * (root[:, None] * T - V)  # E_c L^-T
            M += root[:, None] * B * root
            M -= Z @ Z.T
            own = 1.0 - np.diagonal(B)
            tau[:, c] = np.einsum("ij,ij->i", V, V) + own
            tau[:, c] -= 2.0 * root * (np.einsum("ij,ij->i", V, rest) + own * root) / w
        return M, -0.5 * (tau - self.curvature.probabilities * tau.sum(axis=1, keepdims=True))

    def predict(self, C: Array, prior: Array) -> tuple[Array, Array]:
        """Means (m, C) and covariances (m, C, C) of f at new items, from k(new, training) and k(x, x) of the new."""
        classes = range(len(self.curvature.roots))
        pulled = [self.curvature.E(c, C.T) for c in classes]
        halves = np.stack([self.curvature.S.half(E) for E in pulled])
        covariance = np.einsum("cjm,djm->mcd", halves, halves)
        for c in classes:
            covariance[:, c, c] += prior - np.einsum("mj,jm->m", C, pulled[c])
        return C @ self.mode.coef, covariance
