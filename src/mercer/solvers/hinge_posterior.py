"""The support vector machine as a posterior: EM finds its mode, Gibbs sampling draws from it (Polson & Scott, 2011).

With the prior w ~ N(0, I / tau) and the hinge as a pseudo-likelihood exp(-2 (1 - m)_+) of the margin m = y x'w,

    minus log posterior  =  2 sum_i (1 - y_i x_i'w)_+ + tau/2 |w|^2  =  tau (1/2 |w|^2 + C sum_i hinge_i),   C = 2 / tau

so that the mode is the SVM without intercept.  The pseudo-likelihood is a mixture of Gaussians,

    exp(-2 (1 - m)_+)  =  integral_0^inf (2 pi l)^(-1/2) exp(-(1 + l - m)^2 / 2l) dl

and given the scales l_i the model of w is linear and Gaussian.  It is not a likelihood: with g the hinge,
exp(-C g(f)) + exp(-C g(-f)) is not constant in f for any C.  The draws show how sharply the hinge determines w, not how
probable a label is.

The functions take features X, which may be a factor of a Gram (linalg/pivoted_cholesky.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.engine.interrupts import until_interrupted
from mercer.errors import bad
from mercer.solvers.solution import Solution
from mercer.typing import Array

_FLOOR = 1e-9  # smallest |1 - m|: at 0 the weight of a point would be infinite


@dataclass(frozen=True, kw_only=True, eq=False)
class HingeMode(Solution):
    """The mode w, with the objective before each iteration and after the last; `primal` is the last of them."""

    w: Array
    objectives: Array


def hinge_em(
    X: Array, y: Array, *, tau: float = 1.0, tol: float = 1e-6, max_iter: int = 10_000, start: Array | None = None
) -> HingeMode:
    """Minimise 2 sum_i (1 - y_i x_i'w)_+ + tau/2 |w|^2 by EM; converged when the duality gap is at most tol * primal.

        E:  e_i = E[1 / l_i] = 1 / |1 - y_i x_i'w|        M:  w = (tau I + X'EX)^-1 X'(y o (1 + e))

    The objective never rises (beyond n/2 times the floor of 1e-9 on |1 - m|).  Convergence is linear and slow; to solve
    the SVM quickly, use solvers/dual.
    """
    Z = _signed("hinge_em", X, y, tau)
    w = np.zeros(Z.shape[1]) if start is None else np.asarray(start, dtype=float)
    objectives, dual, n_iter, converged = [_objective(Z, w, tau)], -np.inf, 0, False
    with until_interrupted() as work:
        while n_iter < max_iter and not converged and not work.came():
            e = 1.0 / np.maximum(np.abs(1.0 - Z @ w), _FLOOR)
            new = np.linalg.solve(tau * np.eye(len(w)) + (Z.T * e) @ Z, Z.T @ (1.0 + e))
            value, dual = _objective(Z, new, tau), max(dual, _bound(Z, new, e, tau))
            w, n_iter = new, n_iter + 1
            objectives.append(value)
            converged = value - dual <= tol * value
    ended = "interrupted" if work.came() else "max_iter"
    return HingeMode(
        primal=objectives[-1], dual=dual, n_iter=n_iter, converged=converged,
        reason="converged" if converged else ended, w=w, objectives=np.array(objectives),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class HingePosterior:
    """Draws from the pseudo-posterior, and the effective number of independent draws of each coordinate.

    `reason` is "complete", or "interrupted": then `w` has the draws made so far, or the last of the burn-in.
    """

    w: Array  # (m, D)
    tau: Array  # (m,)
    effective: Array  # (D,)
    n_iter: int  # sweeps made, including burn-in and those that were not kept
    reason: str = "complete"

    @property
    def mean(self) -> Array:
        """The posterior mean of w."""
        return np.asarray(self.w.mean(axis=0))


def hinge_gibbs(
    X: Array,
    y: Array,
    *,
    tau: float = 1.0,
    prior: tuple[float, float] | None = None,
    draws: int = 1000,
    burn_in: int = 500,
    thin: int = 1,
    seed: int | np.random.Generator = 0,
) -> HingePosterior:
    """Draws of w with density proportional to exp(-2 sum_i (1 - y_i x_i'w)_+ - tau/2 |w|^2), by Gibbs sampling.

        1 / l_i | w ~ InverseGaussian(1 / |1 - y_i x_i'w|, 1)
        w | l ~ N(B b, B),   B^-1 = tau I + sum_i x_i x_i' / l_i,   b = sum_i y_i x_i (1 + 1 / l_i)
        tau | w ~ Gamma(shape + D/2, rate + |w|^2 / 2)      with the hyper-prior = (shape, rate), else tau is fixed

    After `burn_in` sweeps every `thin`-th is kept, until there are `draws` of them.
    """
    Z, rng = _signed("hinge_gibbs", X, y, tau), np.random.default_rng(seed)
    if min(draws, thin) < 1 or burn_in < 0 or (prior is not None and not min(prior) > 0.0):
        raise bad("hinge_gibbs", "draws, thin, burn_in and prior", "positive (burn_in may be 0)",
                  (draws, thin, burn_in, prior), "A hyper-prior is (shape, rate) of a gamma distribution.")  # fmt: skip
    n_iter, done, count = burn_in + draws * thin, 0, 0
    w, taus, W = np.zeros(Z.shape[1]), np.empty(draws), np.empty((draws, Z.shape[1]))
    with until_interrupted() as work:
        for done in range(1, n_iter + 1):
            w = draw_weights(Z, draw_scales(Z @ w, rng), tau, rng)
            if prior is not None:
                tau = rng.gamma(prior[0] + 0.5 * len(w)) / (prior[1] + 0.5 * float(w @ w))
            if done > burn_in and (done - burn_in) % thin == 0:
                W[count], taus[count] = w, tau
                count += 1
            if work.came():
                break
    if count < draws:
        W, taus = (W[:count], taus[:count]) if count else (w[None], np.array([tau]))
        return HingePosterior(W, taus, effective_sample_size(W), done, "interrupted")
    return HingePosterior(W, taus, effective_sample_size(W), n_iter)


def draw_scales(margin: Array, rng: np.random.Generator) -> Array:
    """l_i given m_i: the reciprocal of an inverse Gaussian of mean 1 / |1 - m_i| and shape 1 (Michael et al., 1976).

    With c = |1 - m| and z ~ N(0, 1), l is the larger root of l^2 - (2c + z^2) l + c^2 = 0 with probability
    l / (l + c), else the smaller one.  This form needs no special case on the margin: c = 0 draws l = z^2, the limit.
    """
    c, square = np.abs(1.0 - margin), rng.standard_normal(len(margin)) ** 2
    large = c + 0.5 * (square + np.sqrt(square * (square + 4.0 * c)))
    small = c * c / large
    return np.where(rng.random(len(margin)) * (large + c) <= large, large, small)


def draw_weights(Z: Array, scale: Array, tau: float, rng: np.random.Generator) -> Array:
    """w ~ N(B b, B) with B^-1 = tau I + Z'Z_l, b = Z'(1 + 1/l), for rows z_i = y_i x_i."""
    from scipy.linalg import solve_triangular

    e = 1.0 / np.maximum(scale, 1e-12)  # a larger weight would reduce all others to rounding errors
    L = np.linalg.cholesky(tau * np.eye(Z.shape[1]) + (Z.T * e) @ Z)
    half = solve_triangular(L, Z.T @ (1.0 + e), lower=True)
    return np.asarray(solve_triangular(L.T, half + rng.standard_normal(len(half)), lower=False))


def effective_sample_size(draws: Array) -> Array:
    """n / (1 + 2 sum_k rho_k) for each column of a chain: so many independent draws have as precise a mean.

    The sum of autocorrelations stops where the sum of two neighbours is not positive (Geyer, 1992).
    """
    n = len(draws)
    if n < 2:
        return np.ones(draws.shape[1])
    centred = draws - draws.mean(axis=0)
    spectrum = np.abs(np.fft.rfft(centred, 2 * n, axis=0)) ** 2
    covariance = np.fft.irfft(spectrum, axis=0)[: n - n % 2]
    with np.errstate(invalid="ignore"):
        pairs = (covariance[::2] + covariance[1::2]) / covariance[0]
    total = np.where(np.cumprod(pairs > 0.0, axis=0), pairs, 0.0).sum(axis=0)
    return np.asarray(n / (2.0 * total - 1.0))


def _objective(Z: Array, w: Array, tau: float) -> float:
    """2 sum of hinges + tau/2 |w|^2, for rows z_i = y_i x_i."""
    return float(2.0 * np.maximum(1.0 - Z @ w, 0.0).sum() + 0.5 * tau * (w @ w))


def _bound(Z: Array, w: Array, e: Array, tau: float) -> float:
    """The dual objective tau (sum a - 1/2 |Z'a|^2) at 0 <= a <= 2 / tau.

    The M step made w = Z'a with a = (1 + e (1 - Zw)) / tau, which is feasible in the limit: clip it.
    """
    a = np.clip((1.0 + e * (1.0 - Z @ w)) / tau, 0.0, 2.0 / tau)
    v = Z.T @ a
    return float(tau * (a.sum() - 0.5 * v @ v))


def _signed(owner: str, X: Array, y: Array, tau: float) -> Array:
    """The rows y_i x_i, after checks."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if X.ndim != 2 or y.shape != X.shape[:1] or not np.isin(y, (-1.0, 1.0)).all():
        raise bad(owner, "y", "one label -1 or +1 per row of X", f"X {X.shape}, y {y.shape}", "Encode the classes.")
    if not np.isfinite(X).all():
        raise bad(owner, "X", "finite", "NaN or infinity", "Check the features.")
    if not tau > 0.0:
        raise bad(owner, "tau", "positive", tau, "It is the precision of the prior; C = 2 / tau.")
    return y[:, None] * X
