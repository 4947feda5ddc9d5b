"""Kernels of vectors: of distances, of inner products, of columns."""

from __future__ import annotations

import math
from cmath import tanh as complex_tanh
from itertools import combinations
from typing import Any

from mercer.testing.reference.algebra import normalised, real_if_real
from mercer.testing.reference.registry import Function, formula


def dot(x: Any, y: Any) -> Any:
    """<x, y>, linear in the first argument."""
    return sum(a * b.conjugate() for a, b in zip(x, y, strict=True))


def each(parameter: Any, x: Any) -> list[float]:
    """One number per column."""
    return list(parameter) if isinstance(parameter, tuple) else [parameter] * len(x)


def squared_distance(x: Any, y: Any, lengthscale: Any) -> float:
    """sum_k |x_k - y_k|^2 / l_k^2."""
    return float(sum((abs(a - b) / s) ** 2 for a, b, s in zip(x, y, each(lengthscale, x), strict=True)))


@formula("RBF")
def rbf(lengthscale: Any) -> Function:
    """exp(-|x - y|^2 / 2)."""
    return lambda x, y: math.exp(-squared_distance(x, y, lengthscale) / 2)


@formula("Exponential")
def exponential(lengthscale: Any) -> Function:
    """exp(-|x - y|)."""
    return lambda x, y: math.exp(-math.sqrt(squared_distance(x, y, lengthscale)))


@formula("Matern")
def matern(lengthscale: Any, nu: float) -> Function:
    """2^(1-nu)/Gamma(nu) z^nu K_nu(z), z = sqrt(2 nu) |x - y|."""
    if nu == math.inf:
        return rbf(lengthscale)
    return lambda x, y: _matern(math.sqrt(2 * nu * squared_distance(x, y, lengthscale)), nu)


def _matern(z: float, nu: float) -> float:
    """K_nu(z) is the integral of exp(-z cosh t) cosh(nu t) over t >= 0; the trapezoid rule converges very fast."""
    if z == 0:
        return 1.0
    factor, step, last = (1 - nu) * math.log(2) - math.lgamma(nu) + nu * math.log(z), 1 / 64, math.asinh(nu / z) + 8

    def integrand(t: float) -> float:
        top = factor - z * math.cosh(t)
        return (math.exp(top + nu * t) + math.exp(top - nu * t)) / 2

    return step * (integrand(0.0) / 2 + sum(integrand(step * i) for i in range(1, int(last / step))))


@formula("RationalQuadratic")
def rational_quadratic(lengthscale: Any, alpha: float) -> Function:
    """(1 + |x - y|^2 / (2 alpha))^-alpha."""
    return lambda x, y: (1 + squared_distance(x, y, lengthscale) / (2 * alpha)) ** -alpha


@formula("Laplacian")
def laplacian(lengthscale: Any) -> Function:
    """exp(-sum_k |x_k - y_k| / l_k)."""
    return lambda x, y: math.exp(-sum(abs(a - b) / s for a, b, s in zip(x, y, each(lengthscale, x), strict=True)))


@formula("Periodic")
def periodic(lengthscale: float, period: float) -> Function:
    """exp(-2 sum_k sin^2(pi (x_k - y_k) / p) / l^2)."""

    def k(x: Any, y: Any) -> float:
        sines = sum(math.sin(math.pi * (a - b) / period) ** 2 for a, b in zip(x, y, strict=True))
        return math.exp(-2 * sines / lengthscale**2)

    return k


@formula("AdditiveChiSquared")
def additive_chi_squared() -> Function:
    """-sum_k (x_k - y_k)^2 / (x_k + y_k), with 0/0 = 0."""
    return lambda x, y: -sum((a - b) ** 2 / (a + b) for a, b in zip(x, y, strict=True) if a + b)


@formula("ChiSquared")
def chi_squared(gamma: float) -> Function:
    """exp(-gamma sum_k (x_k - y_k)^2 / (x_k + y_k))."""
    return lambda x, y: math.exp(gamma * additive_chi_squared()(x, y))


@formula("Linear")
def linear() -> Function:
    """<x, y>."""
    return dot


@formula("Polynomial")
def polynomial(degree: float, gamma: float, offset: float) -> Function:
    """(gamma <x, y> + offset)^degree."""
    return lambda x, y: (gamma * dot(x, y) + offset) ** degree


@formula("Homogeneous")
def homogeneous(degree: int) -> Function:
    """<x, y>^degree."""
    return lambda x, y: dot(x, y) ** degree


@formula("Geometric")
def geometric(degree: int) -> Function:
    """sum_{m <= degree} <x, y>^m."""
    return lambda x, y: sum(dot(x, y) ** m for m in range(degree + 1))


@formula("Sigmoid")
def sigmoid(gamma: float, offset: float) -> Function:
    """tanh(gamma <x, y> + offset)."""
    return lambda x, y: real_if_real(complex_tanh(gamma * dot(x, y) + offset))


@formula("Cosine")
def cosine(zero: str) -> Function:
    """<x, y> / (|x| |y|), and 0 where one of them is the zero vector."""
    return normalised(dot)


@formula("ArcSine")
def arcsine(variance: Any, covariance: Any) -> Function:
    """(2/pi) arcsin(2 u S v / sqrt((1 + 2 u S u) (1 + 2 v S v))), u = (1, x), v = (1, y)."""

    def form(u: Any, v: Any) -> float:
        if covariance is None:
            return float(sum(s * a * b for s, a, b in zip(each(variance, u), u, v, strict=True)))
        return float(variance * quadratic(covariance, u, v))

    def k(x: Any, y: Any) -> float:
        u, v = [1.0, *x], [1.0, *y]
        return 2 / math.pi * math.asin(2 * form(u, v) / math.sqrt((1 + 2 * form(u, u)) * (1 + 2 * form(v, v))))

    return k


def quadratic(M: Any, x: Any, y: Any) -> Any:
    """x^T M y*."""
    return sum(a * M[i][j] * b.conjugate() for i, a in enumerate(x) for j, b in enumerate(y))


@formula("Bilinear")
def bilinear(B: Any) -> Function:
    """x^T B y*."""
    return lambda x, y: quadratic(B, x, y)


@formula("Mahalanobis")
def mahalanobis(covariance: Any, precision: Any, cholesky: Any) -> Function:
    """exp(-(x - y)^T S^-1 (x - y) / 2)."""
    if cholesky is not None:
        covariance = [[dot(row, other) for other in cholesky] for row in cholesky]

    def k(x: Any, y: Any) -> float:
        v = [a - b for a, b in zip(x, y, strict=True)]
        form = quadratic(precision, v, v) if covariance is None else dot(v, solved(covariance, v))
        return math.exp(-form.real / 2)

    return k


def solved(S: Any, v: Any) -> list[Any]:
    """S^-1 v by elimination."""
    rows = [[*row, b] for row, b in zip(S, v, strict=True)]
    for i, pivot in enumerate(rows):
        for j, row in enumerate(rows):
            if i != j:
                rows[j] = [a - row[i] / pivot[i] * p for a, p in zip(row, pivot, strict=True)]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


@formula("AllSubsets")
def all_subsets() -> Function:
    """sum over all subsets of columns of the product of x_k y_k."""
    return lambda x, y: sum(anova(size, None)(x, y) for size in range(len(x) + 1))


@formula("ANOVA")
def anova(degree: int, base: Any) -> Function:
    """sum over the subsets of `degree` columns of the product of b_k(x_k, y_k)."""

    def k(x: Any, y: Any) -> Any:
        bases = base if isinstance(base, tuple) else [base or dot] * len(x)
        factors = [b([p], [q]) for b, p, q in zip(bases, x, y, strict=True)]
        return sum(math.prod(subset) for subset in combinations(factors, degree))

    return k
