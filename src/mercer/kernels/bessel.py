"""The Matern function of any order, without overflow: M_nu(z) = 2^(1-nu)/Gamma(nu) z^nu K_nu(z), M_nu(0) = 1.

Its derivative is of the same family: M_nu'(z) = -z M_(nu-1)(z) / (2 (nu - 1)) for nu > 1.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from mercer.typing import Array

_LARGE = 40.0  # from this order on, eight terms of the expansion for large orders are exact to 1e-14
_FAR = 800.0  # exp(-z) is zero to double precision; SciPy's Bessel functions give NaN for still larger z


def matern(z: Array, nu: float) -> Array:
    """M_nu(z), z >= 0."""
    z = np.asarray(z, dtype=np.float64)
    return np.minimum(_expansion(z, nu) if nu > _LARGE else _bessel(z, nu, nu), 1.0)


def matern_slope(z: Array, nu: float) -> Array:
    """-M_nu'(z) / z; 0 at z = 0 for nu <= 1, where it is infinite, as callers multiply it by a distance of 0 there."""
    if nu > 1.0:
        return matern(z, nu - 1.0) / (2.0 * (nu - 1.0))
    out = _bessel(np.asarray(z, dtype=np.float64), nu - 1.0, nu)
    out[z == 0.0] = 0.0
    return out


def _bessel(z: Array, order: float, nu: float) -> Array:
    """2^(1-nu)/Gamma(nu) z^order K_order(z), in logarithms."""
    from scipy.special import gammaln, kve

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        near = np.minimum(z, _FAR)
        logs = (1.0 - nu) * math.log(2.0) - gammaln(nu) + order * np.log(near) + np.log(kve(abs(order), near)) - near
        out = np.exp(logs)
    out[~np.isfinite(out)] = 1.0  # K overflows only for z so small that the result is 1 to all digits
    out[z > _FAR] = 0.0
    return np.asarray(out)


def _expansion(z: Array, nu: float) -> Array:
    """M_nu(z) for large nu, uniformly in z, by Debye's expansion of K_nu (Abramowitz & Stegun 9.7.8).

    With x = z / nu and w = sqrt(1 + x^2) - 1 it is exp(-nu (w - log(1 + w/2))) S(p) / (S(1) sqrt(1 + w)),
    p = 1 / (1 + w), S(p) = sum_k (-1)^k u_k(p) / nu^k; dividing by S(1) makes M_nu(0) = 1.
    """
    x2 = (np.minimum(z, 1e100) / nu) ** 2
    w = x2 / (1.0 + np.sqrt(1.0 + x2))
    series = sum((u * (-1.0 / nu) ** k for k, u in enumerate(_debye())), start=np.polynomial.Polynomial([0.0]))
    p = 1.0 / (1.0 + w)
    return np.asarray(np.exp(-nu * (w - np.log1p(w / 2.0))) * np.sqrt(p) * series(p) / series(1.0))


@cache
def _debye(terms: int = 9) -> tuple[np.polynomial.Polynomial, ...]:
    """u_0, u_1, ...: u_(k+1)(p) = p^2 (1 - p^2) u_k'(p) / 2 + (1/8) int_0^p (1 - 5 t^2) u_k(t) dt."""
    P = np.polynomial.Polynomial
    u = [P([1.0])]
    for _ in range(terms - 1):
        u.append(P([0.0, 0.0, 0.5, 0.0, -0.5]) * u[-1].deriv() + 0.125 * (P([1.0, 0.0, -5.0]) * u[-1]).integ())
    return tuple(u)
