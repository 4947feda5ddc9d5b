"""Kernels made of kernels."""

from __future__ import annotations

import math
from cmath import exp as complex_exp
from typing import Any

from mercer.testing.reference.registry import Function, formula, learned


def real_if_real(z: complex) -> Any:
    """A complex number without an imaginary part as a real one."""
    return z if z.imag else z.real


@formula("Sum")
def summed(terms: Any) -> Function:
    """k1 + k2 + ..."""
    return lambda x, y: sum(k(x, y) for k in terms)


@formula("Product")
def product(terms: Any) -> Function:
    """k1 k2 ..."""
    return lambda x, y: math.prod(k(x, y) for k in terms)


@formula("Scaled")
def scaled(kernel: Function, factor: float) -> Function:
    """a k."""
    return lambda x, y: factor * kernel(x, y)


@formula("Negated")
def negated(kernel: Function) -> Function:
    """-k."""
    return lambda x, y: -kernel(x, y)


@formula("Power")
def power(kernel: Function, exponent: int) -> Function:
    """k^m."""
    return lambda x, y: math.prod([kernel(x, y)] * exponent)


@formula("PolynomialOf")
def polynomial_of(kernel: Function, coefficients: Any) -> Function:
    """sum_m c_m k^m."""
    return lambda x, y: sum(c * power(kernel, m)(x, y) for m, c in enumerate(coefficients))


@formula("Exp")
def exp(kernel: Function) -> Function:
    """exp k."""
    return lambda x, y: real_if_real(complex_exp(kernel(x, y)))


@formula("Normalised")
def normalised(kernel: Function) -> Function:
    """k(x, y) / sqrt(k(x, x) k(y, y)), and 0 where the root is."""

    def k(x: Any, y: Any) -> Any:
        root = math.sqrt(max(kernel(x, x).real, 0)) * math.sqrt(max(kernel(y, y).real, 0))
        return kernel(x, y) / root if root else 0.0

    return k


@formula("GaussianOf")
def gaussian_of(kernel: Function, lengthscale: float) -> Function:
    """exp(-(k(x, x) + k(y, y) - 2 Re k(x, y)) / (2 l^2))."""
    return lambda x, y: math.exp(
        -(kernel(x, x).real + kernel(y, y).real - 2 * kernel(x, y).real) / (2 * lengthscale**2)
    )  # fmt: skip


@learned("Centred")
def centred(training: Any, kernel: Function) -> Function:
    """<phi(x) - mu, phi(y) - mu>, mu the mean of phi over the training items."""
    n = len(training)

    def mean(x: Any) -> Any:
        return sum(kernel(x, s) for s in training) / n

    grand = sum(mean(s) for s in training) / n
    return lambda x, y: kernel(x, y) - mean(x) - mean(y).conjugate() + grand
