"""Functions of one kernel's values: g(k(x, y)) for a power, a polynomial with coefficients >= 0, or exp.

All three keep positive semi-definiteness: products and sums of kernels are kernels, and so are their limits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.polynomial.polynomial import polyder, polyval

from mercer.errors import bad
from mercer.kernels import maps
from mercer.kernels.base import kernel
from mercer.kernels.composite import Unary, atom, dense_map
from mercer.parameters import as_number
from mercer.typing import Array


class Function(Unary):
    """g(k(x, y)) for a scalar function g; a subclass gives g and its derivative."""

    def g(self, K: Array) -> Array:
        raise NotImplementedError

    def dg(self, K: Array) -> Array:
        raise NotImplementedError

    def block(self, A: Any, B: Any) -> Array:
        return self.g(self.kernel.block(A, B))

    def diag(self, A: Any) -> Array:
        return self.g(self.kernel.diag(A))

    def bound_on(self, A: Any, B: Any) -> float:
        """|g(k)| <= g(|k|), for g has a power series with coefficients >= 0."""
        inner = self.kernel.bound_on(A, B)
        if math.isinf(inner):
            return math.inf
        with np.errstate(over="ignore"):
            return max(inner, float(self.g(np.array(inner))))

    def vjp(self, A: Any, B: Any, W: Array) -> Array:
        return self.kernel.vjp(A, B, W * self.dg(self.kernel.block(A, B)))

    def input_vjp(self, A: Any, B: Any, W: Array, X: Array) -> Array:
        return self.kernel.input_vjp(A, B, W * self.dg(self.kernel.block(A, B)), X)


@kernel
class Power(Function):
    """k(x, y)^m, m an integer >= 0; the feature map has one entry per monomial of degree m in phi."""

    exponent: int = 2

    infix = True
    psd_reason = "a product of a kernel with itself (Schur)"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_count(self.exponent):
            raise bad(
                "Power", "exponent", "an integer >= 0", self.exponent, "Other powers of a kernel are not kernels."
            )

    def g(self, K: Array) -> Array:
        return power(K, self.exponent)

    def dg(self, K: Array) -> Array:
        return self.exponent * power(K, self.exponent - 1) if self.exponent else np.zeros_like(K)

    def feature_map(self, X: Any) -> Array:
        return maps.monomials(dense_map(self.kernel, X), [self.exponent], [1.0])

    def dimension(self, D: int) -> int | None:
        inner = self.kernel.dimension(D)
        return None if inner is None else maps.monomial_count(inner, self.exponent)

    def __repr__(self) -> str:
        return f"{atom(self.kernel)} ** {int(self.exponent)}"


@kernel
class PolynomialOf(Function):
    """p(k(x, y)) = sum_m c_m k(x, y)^m with every c_m >= 0; `coefficients` start at the constant term."""

    coefficients: tuple[float, ...] = (0.0, 1.0)

    psd_reason = "a polynomial of a kernel with coefficients >= 0: sums of products"

    def __post_init__(self) -> None:
        super().__post_init__()
        coefficients = as_number("PolynomialOf", "coefficients", self.coefficients)
        object.__setattr__(self, "coefficients", coefficients)
        if isinstance(coefficients, float) or not all(0.0 <= c < np.inf for c in coefficients):
            raise bad("PolynomialOf", "coefficients", "numbers >= 0", self.coefficients,
                      "A negative coefficient can destroy positive definiteness.")  # fmt: skip

    def g(self, K: Array) -> Array:
        return np.asarray(polyval(K, np.array(self.coefficients, dtype=K.dtype)))

    def dg(self, K: Array) -> Array:
        return np.asarray(polyval(K, np.array(polyder(self.coefficients), dtype=K.dtype)))

    def feature_map(self, X: Any) -> Array:
        return maps.monomials(dense_map(self.kernel, X), range(len(self.coefficients)), self.coefficients)

    def dimension(self, D: int) -> int | None:
        inner = self.kernel.dimension(D)
        return None if inner is None else sum(maps.monomial_count(inner, m) for m in range(len(self.coefficients)))


@kernel
class Exp(Function):
    """exp(k(x, y)), the limit of polynomials in k with coefficients 1/m!."""

    psd_reason = "a limit of polynomials of a kernel with coefficients 1/m! >= 0"

    def g(self, K: Array) -> Array:
        return np.asarray(np.exp(K))

    dg = g


def is_count(m: Any) -> bool:
    """Whether m is an integer >= 0 (and not a truth value)."""
    return isinstance(m, (int, np.integer)) and not isinstance(m, bool) and bool(m >= 0)


def power(base: Array, exponent: int) -> Array:
    """base^exponent by repeated squaring: exact signs, and no call to a general power function."""
    out = None
    while exponent:
        if exponent & 1:
            out = base.copy() if out is None else out * base
        exponent >>= 1
        if exponent:
            base = base * base
    return np.ones_like(base) if out is None else out
