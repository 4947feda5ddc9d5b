"""The Matern function of any order (K14), against arbitrary-precision arithmetic."""

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.kernels.bessel import matern, matern_slope

ORDERS = [0.05, 0.3, 1.0, 1.7, 5.2, 20.0, 39.9, 40.5, 41.0, 60.3, 100.0, 1e3]


def exact(z, nu):
    """2^(1-nu) / Gamma(nu) z^nu K_nu(z) with 40 digits."""
    with mpmath.workdps(40):
        z, nu = mpmath.mpf(z), mpmath.mpf(nu)
        return float(2 ** (1 - nu) / mpmath.gamma(nu) * z**nu * mpmath.besselk(nu, z))


def points(nu):
    """Arguments that span the whole range of values, in units in which the function falls on a scale of 1."""
    return np.array([1e-9, 1e-5, 1e-3, 0.03, 0.3, 1.0, 2.0, 4.0, 8.0]) * np.sqrt(2.0 * nu)


@pytest.mark.parametrize("nu", ORDERS)
def test_it_is_right_for_any_order_K14(nu):
    z = points(nu)
    assert_allclose(matern(z, nu), [exact(v, nu) for v in z], rtol=2e-13, atol=1e-300)


@pytest.mark.parametrize("nu", ORDERS)
def test_its_slope_is_the_function_one_order_lower_K14(nu):
    """-M_nu'(z) / z = 2^(1-nu) / Gamma(nu) z^(nu-1) K_(nu-1)(z)."""
    z = points(nu)
    with mpmath.workdps(40):
        order = mpmath.mpf(nu)
        factor = 2 ** (1 - order) / mpmath.gamma(order)
        slopes = [float(factor * mpmath.mpf(v) ** (order - 1) * mpmath.besselk(order - 1, v)) for v in z]
    assert_allclose(matern_slope(z, nu), slopes, rtol=2e-13)


@pytest.mark.parametrize("nu", ORDERS)
def test_zero_gives_one_and_large_arguments_give_zero_without_nan_K14(nu):
    z = np.array([0.0, 5e-324, 1e9, 1e10, 1e100, 1e300, np.inf]) * max(1.0, np.sqrt(nu))
    assert_array_equal(matern(z, nu)[[0, 2, 3, 4, 5, 6]], [1, 0, 0, 0, 0, 0])
    assert_allclose(matern(z, nu)[1], 1.0)
    assert np.isfinite(matern_slope(z, nu)).all()


def test_large_orders_tend_to_the_gaussian_at_the_known_rate_K14():
    """log M_nu = -r^2/2 + (r^4 - 4 r^2) / (8 nu) + O(1/nu^2) at z = sqrt(2 nu) r."""
    r = np.linspace(0.0, 3.0, 7)
    for nu in (1e4, 1e6, 1e8):
        first = np.exp(-(r**2) / 2) * (1 + (r**4 - 4 * r**2) / (8 * nu))
        assert_allclose(matern(np.sqrt(2 * nu) * r, nu), first, atol=20 / nu**2 + 1e-15)
