"""The evidence of a sparse Bayesian model, and how it changes with one precision.

With prior variances tau_i = 1 / alpha_i (0 leaves a function out) and C the covariance of the targets,

    S_i = phi_i' C^-1 phi_i        Q_i = phi_i' C^-1 t

determine the evidence as a function of tau_i: without function i they are s = S / (1 - tau S), q = Q / (1 - tau S), and

    L(tau) = L(0) + 1/2 (q^2 tau / (1 + tau s) - log(1 + tau s)),      best at tau = (q^2 - s)/s^2, or 0 if q^2 <= s

(Tipping & Faul, 2003).  All factorisations are of I + DGD with D = sqrt(tau) and G = Phi' B Phi: its eigenvalues are at
least 1, however much the precisions differ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.engine.pool import run
from mercer.engine.tiles import cuts
from mercer.typing import Array

_COLUMNS = 512  # columns of one task
LARGEST = 1e12  # alpha beyond this many times the precision that the data give a weight: the function is pruned


@dataclass(frozen=True, eq=False)
class PosteriorFactor:
    """L L' = I + DGD, from which the posterior N(m, D (LL')^-1 D) of the active weights is computed."""

    D: Array
    L: Array

    @classmethod
    def of(cls, G: Array, tau: Array) -> PosteriorFactor:
        """From G = Phi' B Phi of the active functions and their variances; NaN where the 1 is lost to rounding."""
        D = np.sqrt(tau)
        try:
            return cls(D, np.linalg.cholesky(D[:, None] * G * D + np.eye(len(D))))
        except np.linalg.LinAlgError:
            return cls(D, np.full(G.shape, np.nan))

    def half(self, R: Array) -> Array:
        """L^-1 D R, such that R' Sigma R is its square."""
        return self._solved(self.D.reshape(-1, *[1] * (R.ndim - 1)) * R, 1)

    def solve(self, R: Array) -> Array:
        """Sigma R."""
        return np.asarray(self.D.reshape(-1, *[1] * (R.ndim - 1)) * self._solved(self.half(R), 0))

    def _solved(self, R: Array, trans: int) -> Array:
        """L^-1 R, or L'^-1 R for trans = 0, where R may be overwritten.

        LAPACK is called directly because there are many small systems.  Several columns are solved from the right,
        R' L'^-1, which needs no copy of an array in C order.
        """
        from scipy.linalg.blas import dtrsm
        from scipy.linalg.lapack import dtrtrs

        if R.ndim == 2 and R.size:
            return np.asarray(dtrsm(1.0, self.L.T, R.T, side=1, lower=0, trans_a=1 - trans, overwrite_b=1).T)
        return np.asarray(dtrtrs(self.L.T, R, lower=0, trans=trans)[0]) if R.size else R

    def squares(self, R: Array) -> Array:
        """The diagonal of R' Sigma R, a few columns at a time."""
        out = np.empty(R.shape[1])

        def piece(c: slice) -> None:
            half = self.half(R[:, c])
            out[c] = np.einsum("ij,ij->j", half, half)

        run(piece, cuts(R.shape[1], _COLUMNS))
        return out

    @property
    def half_logdet(self) -> float:
        """1/2 log |I + DGD| = 1/2 (log |Sigma^-1| - log |A|)."""
        return float(np.log(np.diagonal(self.L)).sum())

    def covariance(self) -> Array:
        """Sigma = (A + G)^-1."""
        half = self.half(np.eye(len(self.D)))
        return half.T @ half

    def determined(self) -> float:
        """sum_i 1 - alpha_i Sigma_ii: how many weights the data, not the prior, determine."""
        inverse = self._solved(np.eye(len(self.D)), 1)
        return float(len(self.D) - np.vdot(inverse, inverse))


@dataclass(frozen=True, eq=False)
class View:
    """S and Q of all candidates at one state, and P for pairs of an active one and any."""

    S: Array
    Q: Array
    size: Array  # phi_i' B phi_i: S of an empty model
    rows: Array  # G of the active ones with all
    factor: PosteriorFactor

    def pairs(self) -> Array:
        """P_ij = phi_i' C^-1 phi_j for active i and any j: alpha_i (Sigma G)_ij."""
        out = np.empty(self.rows.shape)

        def piece(c: slice) -> None:
            out[:, c] = self.factor.solve(self.rows[:, c]) / self.factor.D[:, None] ** 2

        run(piece, cuts(len(self.S), _COLUMNS))
        return out


@dataclass(frozen=True, kw_only=True, eq=False)
class Relevance:
    """The functions that are kept, their weights N(mean, covariance), and the proof that the evidence is stationary.

    No single change of a precision (a new one, another value, a removal) raises the log evidence by more than `gain`,
    no exchange of one function for another by more than `exchange`, and `noise` is |d log evidence / d log beta|.  Both
    gains are exact for Gaussian noise; where the evidence is Laplace's they hold the curvature of the likelihood fixed,
    and changes that were tried and did not raise the evidence are left out.  `trace` is the log evidence after each
    iteration.
    """

    index: Array
    alpha: Array
    mean: Array
    covariance: Array
    beta: float
    log_evidence: float
    trace: Array
    gain: float
    exchange: float
    noise: float
    n_iter: int
    converged: bool
    reason: str

    def __str__(self) -> str:
        noise = f" The slope in log beta is {self.noise:.1e}." if self.noise else ""
        return (
            f"Log evidence {self.log_evidence:.6g} with {len(self.index)} functions. No change of one precision gains "
            f"more than {self.gain:.1e}, no exchange of two functions more than {self.exchange:.1e}.{noise}"
        )


def log_evidence(Phi: Array, y: Array, alpha: Array, beta: float) -> float:
    """log N(y | 0, I / beta + Phi A^-1 Phi') of given functions and precisions, to compare models.

    1/2 (n log(beta / 2 pi) - beta |y - Phi m|^2 - m'Am - log |I + beta A^-1/2 Phi'Phi A^-1/2|)
    """
    factor = PosteriorFactor.of(beta * Phi.T @ Phi, 1.0 / alpha)
    m = factor.solve(beta * Phi.T @ y)
    rest = y - Phi @ m
    fit = len(y) * np.log(beta / (2.0 * np.pi)) - beta * rest @ rest - m @ (alpha * m)
    return float(0.5 * fit - factor.half_logdet)
