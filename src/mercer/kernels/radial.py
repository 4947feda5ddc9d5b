"""Radial kernels: k(x, y) = f(s), s = |x - y|^2 measured in lengthscales.

A kernel of this family gives `shape` (f on a tile of squared distances), `slope` (df/ds) and, if the native loops can
compute f, `native_shape`.  Distances and all derivatives are written here once, the preparation of data in
stationary.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from mercer import parameters
from mercer.errors import bad
from mercer.kernels.base import kernel
from mercer.kernels.bessel import matern, matern_slope
from mercer.kernels.prepared_rows import Rows, own, sqdist, squared_moments, squared_products
from mercer.kernels.stationary import Stationary
from mercer.native import radial
from mercer.parameters import Parameter, hyper, value
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class NativeShape:
    """f(s) as native/loops/row_kernel.h has it: exp(-c s), or P(t) exp(-t) with t = sqrt(c s), highest power first."""

    function: str
    c: float
    coefficients: Array = field(default_factory=lambda: np.empty(0))


@kernel
class Radial(Stationary):
    """k(x, y) = f(|x - y|^2 / l^2), f(0) = 1."""

    decreasing = False  # f falls, so that the nearest items are those with the least |x - y|

    @property
    def isotropic(self) -> bool:  # type: ignore[override]
        return not self.ard

    def shape(self, S: Array, scale: float) -> None:
        """Overwrite S with f(scale * S)."""
        raise NotImplementedError

    def slope(self, S: Array, scale: float) -> None:
        """Overwrite S with d/dS f(scale * S); 0 where it is infinite, as callers multiply it by S = 0 there."""
        raise NotImplementedError

    @property
    def scale(self) -> float:
        """What a tile of squared distances is multiplied by: 1 / l^2, or 1 when the columns are scaled."""
        return 1.0 if self.scales_columns else 1.0 / value(self.lengthscale) ** 2

    @property
    def native_shape(self) -> NativeShape | None:
        """f in the form that native loops compute; None if they cannot."""
        return None

    def block(self, A: Rows, B: Rows) -> Array:
        S = own(sqdist(A, B))
        self.shape(S, self.scale)
        return S

    def distance_of_rows(self, S: Array) -> Array | None:
        """2 - 2 f(S)."""
        if not self.decreasing:
            return None
        K = S.copy()
        self.shape(K, self.scale)
        return 2.0 - 2.0 * K

    def parameter_gradients(self, A: Rows, B: Rows, W: Array) -> dict[str, Any]:
        S, M = self._distances_and_slopes(A, B)
        M *= W
        return {"lengthscale": self._lengthscale_slope(A, B, M, S)}

    def _distances_and_slopes(self, A: Rows, B: Rows) -> tuple[Array, Array]:
        """Squared distances S and M = f'(S); with a lengthscale per column only M is needed, and may overwrite S."""
        S, owned = sqdist(A, B)
        M = S if owned and self.ard else S.copy()
        self.slope(M, self.scale)
        return S, M

    def _lengthscale_slope(self, A: Rows, B: Rows, M: Array, S: Array) -> Any:
        """sum_ij M_ij ds_ij/dl, M = W f'(S): -2/l sum M s, or per column -2/l_k sum M (a_k - b_k)^2 as products."""
        moments = squared_moments(A, B, M) if self.ard else np.asarray(np.vdot(M, S))
        return -2.0 * self.per_lengthscale(moments)

    def input_vjp(self, A: Rows, B: Rows, W: Array, X: Array) -> Array:
        """ds/da = 2 (a - b), so with M = W f'(s) the rows are 2 (a_i sum_j M_ij - sum_j M_ij b_j)."""
        M = sqdist(A, B)[0].copy()
        self.slope(M, self.scale)
        M *= W
        return self.unscaled(2.0 * (M.sum(axis=1)[:, None] * A.values - M @ B.values))

    def jvp_products(self, A: Rows, B: Rows, V: Array) -> Array | None:
        if A.sparse:
            return None
        S, _ = sqdist(A, B)
        K, M = S.copy(), S.copy()
        self.shape(K, self.scale)
        self.slope(M, self.scale)
        moved = squared_products(A, B, M, V) if self.ard else ((M * S) @ V)[None]
        slopes = -2.0 * self.per_lengthscale(moved)
        steps = [slot.pull(np.ones(len(slopes)))[:, None, None] * slopes[slot.free] for slot in parameters.slots(self)]
        return np.concatenate([(K @ V)[None], *steps])


@kernel
class RBF(Radial):
    """k(x, y) = exp(-|x - y|^2 / (2 l^2)), the Gaussian or squared exponential kernel; gamma = 1 / (2 l^2)."""

    psd_reason = "the Fourier transform of a positive measure (Bochner), a Gaussian"
    bound = 1.0
    decreasing = True

    @classmethod
    def from_gamma(cls, gamma: float) -> RBF:
        """exp(-gamma |x - y|^2)."""
        if not gamma > 0.0:
            raise bad("RBF", "gamma", "a positive number", gamma, "gamma = 1 / (2 lengthscale^2).")
        return cls(math.sqrt(0.5 / gamma))

    @property
    def gamma(self) -> Any:
        return 0.5 / value(self.lengthscale) ** 2

    @property
    def native_shape(self) -> NativeShape | None:
        return NativeShape("gaussian", 0.5 * self.scale)

    def shape(self, S: Array, scale: float) -> None:
        radial.exponential(S, 0.5 * scale)

    def slope(self, S: Array, scale: float) -> None:
        self.shape(S, scale)
        S *= -0.5 * scale

    def value_and_vjp(self, A: Rows, B: Rows, W: Array) -> tuple[float, Array]:
        S, M = self._distances_and_slopes(A, B)  # for this f, f' = -scale f / 2
        M *= W
        slope = self._lengthscale_slope(A, B, M, S)
        return float(M.sum()) / (-0.5 * self.scale), self.in_theta({"lengthscale": slope})


@kernel
class Matern(Radial):
    """k = 2^(1-nu)/Gamma(nu) z^nu K_nu(z), z = sqrt(2 nu) r / l, with r = |x - y|.

    nu = 1/2 is the exponential (Ornstein-Uhlenbeck) kernel, nu = inf the Gaussian; for half-integers
    nu = p + 1/2 it is a polynomial of degree p times exp(-z).  Paths are p times differentiable.
    """

    nu: float = 1.5

    psd_reason = "the Fourier transform of a positive measure (Bochner), of Student's t form"
    bound = 1.0
    decreasing = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.nu, Real) or not self.nu > 0.0:
            raise bad("Matern", "nu", "a positive number (or inf)", self.nu, "Common choices are 0.5, 1.5 and 2.5.")

    @property
    def order(self) -> int | None:
        """p of nu = p + 1/2 up to 8, for which the closed form is used; else None."""
        p = self.nu - 0.5
        return int(p) if p == int(min(p, 8)) else None

    @property
    def native_shape(self) -> NativeShape | None:
        if math.isinf(self.nu):
            return NativeShape("gaussian", 0.5 * self.scale)
        if self.order is None:
            return None
        return NativeShape("matern", 2.0 * self.nu * self.scale, matern_polynomial(self.order))

    def shape(self, S: Array, scale: float) -> None:
        if math.isinf(self.nu):
            radial.exponential(S, 0.5 * scale)
        elif self.order is not None:
            radial.polynomial_exponential(S, 2.0 * self.nu * scale, matern_polynomial(self.order))
        else:
            S[...] = matern(np.sqrt(2.0 * self.nu * scale * S), self.nu)

    def slope(self, S: Array, scale: float) -> None:
        c = 2.0 * self.nu * scale
        if math.isinf(self.nu):
            radial.exponential(S, 0.5 * scale)
            S *= -0.5 * scale
        elif self.order == 0:
            radial.ornstein_uhlenbeck_slope(S, c)
        elif self.order is not None:
            radial.polynomial_exponential(S, c, matern_slope_polynomial(self.order))
            S *= -0.5 * c
        else:
            S[...] = -0.5 * c * matern_slope(np.sqrt(c * S), self.nu)


def matern_polynomial(p: int) -> Array:
    """P with k = P(t) exp(-t) at nu = p + 1/2: sum_i p!/(2p)! (p+i)!/(i! (p-i)!) (2t)^(p-i), highest power first."""
    f = math.factorial
    return np.array([f(p) / f(2 * p) * f(p + i) / (f(i) * f(p - i)) * 2.0 ** (p - i) for i in range(p + 1)])


def matern_slope_polynomial(p: int) -> Array:
    """Q with d/dt [P(t) exp(-t)] = -t Q(t) exp(-t), p >= 1: Q = (P - P') / t."""
    P = matern_polynomial(p)
    difference = P - np.append(0.0, np.polyder(P))
    return np.asarray(difference[:-1])  # the constant terms of P and P' cancel


@kernel
class Exponential(Radial):
    """k(x, y) = exp(-|x - y| / l), the Ornstein-Uhlenbeck kernel: Matern with nu = 1/2."""

    psd_reason = "the Fourier transform of a positive measure (Bochner), of Cauchy's form"
    bound = 1.0
    decreasing = True

    @property
    def native_shape(self) -> NativeShape | None:
        return NativeShape("matern", self.scale, np.ones(1))

    def shape(self, S: Array, scale: float) -> None:
        radial.polynomial_exponential(S, scale, np.ones(1))

    def slope(self, S: Array, scale: float) -> None:
        radial.ornstein_uhlenbeck_slope(S, scale)


@kernel
class RationalQuadratic(Radial):
    """k(x, y) = (1 + |x - y|^2 / (2 a l^2))^(-a): a mixture of Gaussian kernels over lengthscales."""

    alpha: Parameter = hyper(1.0)

    psd_reason = "a mixture of Gaussian kernels with weights >= 0 over lengthscales"
    bound = 1.0
    decreasing = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if math.isinf(value(self.alpha)):
            raise bad("RationalQuadratic", "alpha", "finite", value(self.alpha), "The limit alpha = inf is RBF.")

    def shape(self, S: Array, scale: float) -> None:
        self._power(S, scale, value(self.alpha))

    def slope(self, S: Array, scale: float) -> None:
        self._power(S, scale, value(self.alpha) + 1.0)
        S *= -0.5 * scale

    def _power(self, S: Array, scale: float, exponent: float) -> None:
        """S <- (1 + scale S / (2 a))^(-exponent)."""
        S *= scale / (2.0 * value(self.alpha))
        np.log1p(S, out=S)
        S *= -exponent
        np.exp(S, out=S)

    def jvp_products(self, A: Rows, B: Rows, V: Array) -> Array | None:
        return None

    def parameter_gradients(self, A: Rows, B: Rows, W: Array) -> dict[str, Any]:
        S, _ = sqdist(A, B)
        u, K = self.scale / (2.0 * value(self.alpha)) * S, S.copy()
        self.shape(K, self.scale)
        dalpha = float(np.vdot(W, K * (u / (1.0 + u) - np.log1p(u))))
        M = S.copy()
        self.slope(M, self.scale)
        M *= W
        return {"alpha": dalpha, "lengthscale": self._lengthscale_slope(A, B, M, S)}
