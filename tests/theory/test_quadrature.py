"""The inner product of functions as a limit of sums (T7)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.theory import gauss_hermite, gauss_legendre, inner_product, midpoint


def test_the_midpoint_sum_of_sine_squared_is_half_pi_T7():
    assert_allclose(inner_product(np.sin, np.sin, *midpoint(0.0, np.pi, 200)), np.pi / 2, rtol=1e-10)


def test_the_midpoint_error_falls_with_the_square_of_dx_T7():
    """The sum for sin^2 over a full period is exact at once, so the rate shows on [0, 1]."""
    exact = 0.5 - np.sin(2.0) / 4.0
    errors = [abs(inner_product(np.sin, np.sin, *midpoint(0.0, 1.0, n)) - exact) for n in (50, 100, 200)]
    assert_allclose([errors[0] / errors[1], errors[1] / errors[2]], 4.0, rtol=1e-3)


def test_gauss_rules_are_exact_for_polynomials_of_degree_2n_minus_1_T7():
    nodes, weights = gauss_legendre(-1.0, 3.0, 4)
    assert_allclose(weights @ nodes**7, (3.0**8 - 1.0) / 8.0)
    nodes, weights = gauss_hermite(4, deviation=2.0)
    assert_allclose([weights @ nodes**p for p in (0, 2, 4, 6)], [1.0, 4.0, 3 * 2.0**4, 15 * 2.0**6])


def test_the_inner_product_is_hermitian_and_linear_in_the_first_argument_T7():
    rule = gauss_legendre(0.0, 1.0, 20)
    wave = lambda x: np.exp(2j * np.pi * x)
    assert_allclose(inner_product(wave, wave, *rule), 1.0)
    assert_allclose(inner_product(wave, np.cos, *rule), np.conj(inner_product(np.cos, wave, *rule)))
    assert_allclose(inner_product(lambda x: 2j * wave(x), np.cos, *rule), 2j * inner_product(wave, np.cos, *rule))


def test_what_is_not_integrable_here_is_refused_T7_T9():
    with pytest.raises(ValueError, match="a finite interval"):
        midpoint(0.0, np.inf, 10)
    with pytest.raises(ValueError, match="a finite interval"):
        gauss_legendre(1.0, 1.0, 10)
    with np.errstate(divide="ignore"), pytest.raises(ValueError, match="finite at every node"):
        inner_product(lambda x: 1.0 / (x - 0.5), np.ones_like, *midpoint(0.0, 1.0, 5))
