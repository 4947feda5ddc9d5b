"""Radial kernels: k(x, y) = f(s), s = |x - y|^2 measured in lengthscales.

A kernel of this family gives `shape` (f on a tile of squared distances) and `slope` (df/ds); preparing data,
distances, the diagonal and every derivative in the lengthscales are written here once.

One lengthscale: data are left as they are and the tile is divided by l^2, so that all isotropic kernels of an
expression share one matrix of distances.  One per column (ARD): columns are divided by their lengthscale
beforehand; an infinite lengthscale drops its column.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.rows import Rows, centre, shared_rows, sqdist
from mercer.parameters import Parameter, hyper, value
from mercer.typing import Array


@kernel
class Radial(Kernel):
    """k(x, y) = f(|x - y|^2 / l^2), f(0) = 1."""

    lengthscale: Parameter = hyper(1.0, vector=True)

    stationary = True

    @property
    def isotropic(self) -> bool:  # type: ignore[override]
        return not self.ard

    @property
    def psd(self) -> bool | None:
        return True

    @property
    def ard(self) -> bool:
        """One lengthscale per column."""
        return isinstance(value(self.lengthscale), np.ndarray)

    def shape(self, S: Array, scale: float, out: Array) -> None:
        """Write f(scale * S) into `out`, which may be S itself."""
        raise NotImplementedError

    def slope(self, S: Array, scale: float) -> Array:
        """d/dS f(scale * S), 0 where it is infinite (it only ever multiplies a zero there)."""
        raise NotImplementedError

    @property
    def scale(self) -> float:
        """What a tile of squared distances is multiplied by: 1 / l^2, or 1 when the columns are scaled."""
        return 1.0 if self.ard else 1.0 / value(self.lengthscale) ** 2

    def prepare_in(self, X: Any, frame: Any, pool: Pool) -> Rows:
        lengthscale = value(self.lengthscale)
        if self.ard and len(lengthscale) != X.width:
            raise bad(type(self).__name__, "lengthscale", f"one number or one per column ({X.width})",
                      f"{len(lengthscale)} numbers", "Give as many lengthscales as X has columns.")  # fmt: skip
        return shared_rows(X, frame or centre(X, pool), lengthscale if self.ard else None, pool)

    def block(self, A: Rows, B: Rows) -> Array:
        S, owned = sqdist(A, B)
        out = S if owned else np.empty_like(S)
        self.shape(S, self.scale, out)
        return out

    def diag(self, A: Rows) -> Array:
        return np.ones(len(A), dtype=A.dtype)

    def slopes(self, A: Rows, B: Rows, W: Array) -> dict[str, Any]:
        S, _ = sqdist(A, B)
        M = W * self.slope(S, self.scale)
        return {"lengthscale": self._lengthscale_slope(A, B, M, S)}

    def _lengthscale_slope(self, A: Rows, B: Rows, M: Array, S: Array) -> Any:
        """sum_ij M_ij ds_ij/dl: -2/l sum M s, or per column -2/l_k sum M (a_k - b_k)^2 as matrix products."""
        lengthscale = value(self.lengthscale)
        if not self.ard:
            return -2.0 / lengthscale * float(np.vdot(M, S))
        a, b = A.values, B.values
        moments = M.sum(axis=1) @ (a * a) + M.sum(axis=0) @ (b * b) - 2.0 * np.einsum("ik,ik->k", a, M @ b)
        return -2.0 * moments / np.where(np.isfinite(lengthscale), lengthscale, 1.0)


@kernel
class RBF(Radial):
    """k(x, y) = exp(-|x - y|^2 / (2 l^2)), the Gaussian or squared exponential kernel; gamma = 1 / (2 l^2)."""

    @classmethod
    def from_gamma(cls, gamma: float) -> RBF:
        """exp(-gamma |x - y|^2)."""
        if not gamma > 0.0:
            raise bad("RBF", "gamma", "a positive number", gamma, "gamma = 1 / (2 lengthscale^2).")
        return cls(math.sqrt(0.5 / gamma))

    @property
    def gamma(self) -> Any:
        return 0.5 / value(self.lengthscale) ** 2

    def shape(self, S: Array, scale: float, out: Array) -> None:
        from mercer.compiled import radial

        radial.exponential(S, 0.5 * scale, out)

    def slope(self, S: Array, scale: float) -> Array:
        out = np.empty_like(S)
        self.shape(S, scale, out)
        out *= -0.5 * scale
        return out


@kernel
class Matern(Radial):
    """k = 2^(1-nu)/Gamma(nu) z^nu K_nu(z), z = sqrt(2 nu) r / l, with r = |x - y|.

    nu = 1/2 is the exponential (Ornstein-Uhlenbeck) kernel, nu = inf the Gaussian; for half-integers
    nu = p + 1/2 it is a polynomial of degree p times exp(-z).  Paths are p times differentiable.
    """

    nu: float = 1.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.nu > 0.0:
            raise bad("Matern", "nu", "a positive number (or inf)", self.nu, "Common choices are 0.5, 1.5 and 2.5.")

    @property
    def order(self) -> int | None:
        """p of nu = p + 1/2, while the closed form is the better one."""
        p = self.nu - 0.5
        return int(p) if p == int(min(p, 8)) else None

    def shape(self, S: Array, scale: float, out: Array) -> None:
        from mercer.compiled import radial

        if math.isinf(self.nu):
            radial.exponential(S, 0.5 * scale, out)
        elif self.order is not None:
            radial.polynomial_exponential(S, 2.0 * self.nu * scale, matern_polynomial(self.order), out)
        else:
            out[...] = matern_bessel(np.sqrt(2.0 * self.nu * scale * S), self.nu)

    def slope(self, S: Array, scale: float) -> Array:
        from mercer.compiled import radial

        out, c = np.empty_like(S), 2.0 * self.nu * scale
        if math.isinf(self.nu):
            radial.exponential(S, 0.5 * scale, out)
            out *= -0.5 * scale
        elif self.order == 0:
            radial.ornstein_uhlenbeck_slope(S, c, out)
        elif self.order is not None:
            radial.polynomial_exponential(S, c, matern_slope_polynomial(self.order), out)
            out *= -0.5 * c
        else:
            out[...] = -0.5 * c * matern_bessel_slope(np.sqrt(c * S), self.nu)
        return out


def matern_polynomial(p: int) -> tuple[float, ...]:
    """P with k = P(t) exp(-t) at nu = p + 1/2: sum_i p!/(2p)! (p+i)!/(i! (p-i)!) (2t)^(p-i), highest power first."""
    f = math.factorial
    return tuple(f(p) / f(2 * p) * f(p + i) / (f(i) * f(p - i)) * 2.0 ** (p - i) for i in range(p + 1))


def matern_slope_polynomial(p: int) -> tuple[float, ...]:
    """Q with d/dt [P(t) exp(-t)] = -t Q(t) exp(-t), p >= 1: Q = (P - P') / t."""
    P = np.array(matern_polynomial(p))
    difference = P - np.append(0.0, np.polyder(P))
    return tuple(float(c) for c in difference[:-1])  # the constant terms of P and P' cancel


def matern_bessel(z: Array, nu: float) -> Array:
    """2^(1-nu)/Gamma(nu) z^nu K_nu(z), in logarithms; 1 at z = 0."""
    return _bessel(z, nu, nu)


def matern_bessel_slope(z: Array, nu: float) -> Array:
    """2^(1-nu)/Gamma(nu) z^(nu-1) K_(nu-1)(z) = -k'(z)/z; 0 at z = 0 where it may be infinite."""
    out = _bessel(z, nu - 1.0, nu)
    out[z == 0.0] = 0.0
    return out


def _bessel(z: Array, order: float, nu: float) -> Array:
    """2^(1-nu)/Gamma(nu) z^order K_order(z); `kve` overflows only where z is so small that the limit holds."""
    from scipy.special import gammaln, kve

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        logs = (1.0 - nu) * math.log(2.0) - gammaln(nu) + order * np.log(z) + np.log(kve(abs(order), z)) - z
        out = np.exp(logs)
    out[~np.isfinite(out)] = 1.0
    return np.asarray(out)


@kernel
class Exponential(Radial):
    """k(x, y) = exp(-|x - y| / l), the Ornstein-Uhlenbeck kernel: Matern with nu = 1/2."""

    def shape(self, S: Array, scale: float, out: Array) -> None:
        from mercer.compiled import radial

        radial.polynomial_exponential(S, scale, (1.0,), out)

    def slope(self, S: Array, scale: float) -> Array:
        from mercer.compiled import radial

        out = np.empty_like(S)
        radial.ornstein_uhlenbeck_slope(S, scale, out)
        return out


@kernel
class RationalQuadratic(Radial):
    """k(x, y) = (1 + |x - y|^2 / (2 a l^2))^(-a): a mixture of Gaussian kernels over lengthscales."""

    alpha: Parameter = hyper(1.0)

    def shape(self, S: Array, scale: float, out: Array) -> None:
        a = value(self.alpha)
        np.multiply(S, scale / (2.0 * a), out=out)
        np.log1p(out, out=out)
        out *= -a
        np.exp(out, out=out)

    def slope(self, S: Array, scale: float) -> Array:
        a = value(self.alpha)
        return np.asarray(-0.5 * scale * (1.0 + scale / (2.0 * a) * S) ** (-a - 1.0))

    def slopes(self, A: Rows, B: Rows, W: Array) -> dict[str, Any]:
        S, _ = sqdist(A, B)
        a = value(self.alpha)
        u = self.scale / (2.0 * a) * S
        K = (1.0 + u) ** -a
        dalpha = float(np.vdot(W, K * (u / (1.0 + u) - np.log1p(u))))
        return {"alpha": dalpha, "lengthscale": self._lengthscale_slope(A, B, W * self.slope(S, self.scale), S)}
