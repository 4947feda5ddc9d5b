"""The Laplace approximation of a latent Gaussian process with labels, two classes (Rasmussen & Williams, 2006, ch. 3).

    prior       f ~ N(0, K)
    posterior   p(f | y)  proportional to  exp(psi(f)),    psi(f) = log p(y | f) - 1/2 f' K^-1 f

psi is strictly concave: it has one maximum, found by Newton's method, and around it the posterior is replaced by the
Gaussian of the same curvature.  K is never inverted: with f = K a, W = -d^2 log p / df^2 and S = W^1/2, all that is
factored is B = I + S K S, whose eigenvalues are 1 and more, so K may be singular.

    evidence    log q(y) = psi(f) - 1/2 log |B|    at the maximum
    its slope   d log q = sum_ij M_ij dK_ij,       one matrix M for all hyper-parameters

Proof of the maximum: g = d log p / df is a point of the dual problem, and the gap between primal and dual is
1/2 (a - g)' K (a - g).  It also bounds half the squared distance to the maximum, in the norm of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol, Self

import numpy as np

from mercer.engine.interrupts import until_interrupted
from mercer.errors import NotPositiveDefinite
from mercer.linalg.cholesky import Factor, factorise
from mercer.solvers.losses import Likelihood
from mercer.solvers.solution import Solution
from mercer.typing import Array

TOL = 1e-9  # stop at this distance from the maximum, relative to the norm of f
_ROUNDING = 1e-6  # an iteration that stalls within this distance counts as converged: the rest is rounding
_DIGIT = 16.0 * float(np.finfo(float).eps)  # rounding error of a' K a, in units of max k(x, x) (sum |a|)^2
_KEPT = 0.1  # factor the curvature again if a step leaves more than this share of the distance to the maximum
_SHRINK = 40  # halvings of a step before a direction is given up


@dataclass(frozen=True, kw_only=True, eq=False)
class Mode(Solution):
    """The maximum f = K a of psi, as the minimum of -psi; one column per class where there are several functions."""

    coef: Array
    latent: Array

    def __str__(self) -> str:
        distance = np.sqrt(2.0 * self.gap)
        return (
            f"The posterior has one maximum; log p(f, y) is within {self.gap:.1e} of it, and f within {distance:.1e} "
            f"in the norm of the kernel. Newton's method took {self.n_iter} steps: {self.reason}."
        )


LogAndSlope = Callable[[Array], tuple[float, Array]]
Step = Callable[[Array, Array], Array]


class PriorCovariance(Protocol):
    """What Newton's method asks of K: an array has it."""

    def diagonal(self) -> Array:
        """k(x, x)."""

    def __matmul__(self, V: Array, /) -> Array:
        """K v."""


def find_mode(
    K: PriorCovariance, log_and_slope: LogAndSlope, curved: Callable[[Array], Step], start: Array, *, max_iter: int
) -> Mode:
    """Newton's method on psi from a = start.

    `curved(f)` factors the curvature at f and returns step(f, g) -> the a of the next Newton iterate.  The way there is
    halved until psi does not decrease.  A factor is kept as long as every step reduces the distance tenfold.
    """
    a, f = start, K @ start
    log_p, g = log_and_slope(f)
    largest = float(K.diagonal().max(initial=0.0))
    previous, fresh, step, reason = np.inf, True, None, "max_iter"
    found = (0, a, f, _half_norm(a, f) - log_p, np.inf)
    with until_interrupted() as work:
        for n_iter in range(max_iter + 1):
            gap, size = _half_norm(a - g, K @ (a - g)), _half_norm(a, f)
            found = (n_iter, a, f, size - log_p, gap)
            stalled = fresh and gap >= 0.25 * previous
            rounding = max(_ROUNDING**2 * (1.0 + size), _DIGIT * largest * float(np.abs(a).sum()) ** 2)
            if gap <= TOL**2 * (1.0 + size) or (stalled and gap <= rounding):
                reason = "converged"
            if reason == "converged" or n_iter == max_iter or work.came():
                break
            fresh = step is None or gap > _KEPT**2 * previous
            step = curved(f) if step is None or fresh else step
            previous, psi, da = gap, log_p - size, step(f, g) - a
            df = K @ da
            for _ in range(_SHRINK):
                log_p, g = log_and_slope(f + df)
                if log_p - _half_norm(a + da, f + df) >= psi - 1e-12 * (1.0 + abs(psi)):
                    break
                da, df = 0.5 * da, 0.5 * df
            a, f = a + da, f + df
    reason = "interrupted" if work.came() and reason != "converged" else reason
    n_iter, a, f, primal, gap = found
    return Mode(primal=primal, dual=primal - gap, n_iter=n_iter, converged=reason == "converged", reason=reason,
                coef=a, latent=f)  # fmt: skip


def _half_norm(a: Array, Ka: Array) -> float:
    """1/2 a' K a, over all columns."""
    return 0.5 * max(float(np.vdot(a, Ka)), 0.0)


@dataclass(frozen=True, eq=False)
class Laplace:
    """The Gaussian approximation: its mode, B = factor factor' there, and the evidence."""

    y: Array
    weight: Array
    likelihood: Likelihood
    mode: Mode
    root: Array
    factor: Factor
    evidence: float

    @classmethod
    def of(cls, K: Array, y: Array, likelihood: Likelihood, *, weight: Array | None = None,
           start: Array | None = None, max_iter: int = 100) -> Self:  # fmt: skip
        """The approximation for labels y of -1 and +1; `start` is a coefficient vector near the maximum, if known.

        An item of weight w counts as w equal items: log p is multiplied by it.
        """
        w = np.ones(len(y)) if weight is None else weight

        def log_and_slope(f: Array) -> tuple[float, Array]:
            return -float(w @ likelihood.value(y * f)), -w * y * likelihood.slope(y * f)

        def curved(f: Array) -> Step:
            root = np.sqrt(w * likelihood.curvature(y * f))
            return partial(_step, K, root, factored(K, root))

        begin = best_start(K, log_and_slope, start, y.shape)
        mode = find_mode(K, log_and_slope, curved, begin, max_iter=max_iter)
        root = np.sqrt(w * likelihood.curvature(y * mode.latent))
        factor = factored(K, root)
        return cls(y, w, likelihood, mode, root, factor, -mode.primal - 0.5 * factor.log_determinant)

    def slope(self, K: Array) -> Array:
        """M, symmetric, with d log q = sum_ij M_ij dK_ij: the explicit part, and that of the mode which moves with K.

        With a = K^-1 f, R = S B^-1 S, s_i = d log q / df_i = 1/2 (1 - (B^-1)_ii) skew_i and u = (I - R K) s it is
        M = 1/2 (a a' - R + u a' + a u').
        """
        a, z = self.mode.coef, self.y * self.mode.latent
        R = self.factor.inverse()
        s = 0.5 * (1.0 - np.diagonal(R)) * self.y * self.likelihood.skew(z)
        R *= self.root
        R *= self.root[:, None]
        u = s - R @ (K @ s) + 0.5 * a
        R -= np.column_stack([u, a]) @ np.vstack([a, u])
        R *= -0.5
        return R

    def predict(self, C: Array, prior: Array) -> tuple[Array, Array]:
        """Mean and variance of f at new items, from C = k(new, training) and prior = k(x, x) of the new."""
        V = self.factor.half((C * self.root).T)
        return C @ self.mode.coef, np.maximum(prior - np.einsum("ij,ij->j", V, V), 0.0)


def _step(K: Array, root: Array, factor: Factor, f: Array, g: Array) -> Array:
    """The a that maximises the quadratic model of psi at f, with slope g and curvature W = S^2."""
    b = root**2 * f + g
    return np.asarray(b - root * factor.solve(root * (K @ b)))


def best_start(K: PriorCovariance, log_and_slope: LogAndSlope, start: Array | None, shape: tuple[int, ...]) -> Array:
    """The proposed start, unless a = 0 is better."""
    zero = np.zeros(shape)
    if start is None:
        return zero
    f = K @ start
    return start if log_and_slope(f)[0] - _half_norm(start, f) > log_and_slope(zero)[0] else zero


def factored(K: Array, root: Array) -> Factor:
    """The Cholesky factor of B = I + S K S."""
    B = K * root
    B *= root[:, None]
    B.flat[:: len(B) + 1] += 1.0
    try:
        return factorise(B, ladder=(0.0,))
    except NotPositiveDefinite as error:
        raise NotPositiveDefinite(
            "Laplace approximation: the kernel must be positive semi-definite on the training items; got a Gram with "
            "a negative eigenvalue. Use a kernel with psd=True, or mercer.repair."
        ) from error
