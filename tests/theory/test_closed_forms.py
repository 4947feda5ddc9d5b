"""Known spectra (T9) and the infinite feature map of the Gaussian kernel (T14)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.kernels import RBF
from mercer.theory import (
    brownian_spectrum,
    gauss_hermite,
    gauss_legendre,
    gaussian_features,
    gaussian_spectrum,
)

s, t = np.linspace(0.05, 1.0, 9), np.linspace(0.0, 0.9, 7)


def test_the_brownian_eigenvalues_T9():
    assert_allclose(brownian_spectrum(3).values, [0.405285, 0.045032, 0.016211], atol=5e-7)
    assert_allclose(brownian_spectrum(20_000).values.sum(), 0.5, atol=1e-5)  # the trace: integral of min(t, t)


def test_the_gaussian_eigenvalues_T9():
    values = gaussian_spectrum(60).values
    assert_allclose(values[0], 0.6180340, atol=5e-8)
    assert_allclose(values[1:6] / values[:5], 0.3819660, atol=5e-8)
    assert_allclose(values.sum(), 1.0, rtol=1e-10)
    assert_allclose(gaussian_spectrum(400, lengthscale=0.3, deviation=2.0).values.sum(), 1.0, rtol=1e-10)


@pytest.mark.parametrize(
    ("system", "rule"),
    [
        (brownian_spectrum(8), gauss_legendre(0.0, 1.0, 60)),
        (gaussian_spectrum(8), gauss_hermite(80)),
        (gaussian_spectrum(8, lengthscale=0.7, deviation=1.5), gauss_hermite(120, deviation=1.5)),
    ],
    ids=["brownian", "gaussian", "gaussian, other scales"],
)
def test_eigenfunctions_are_orthonormal_T9(system, rule):
    nodes, weights = rule
    Psi = system.functions(nodes)
    assert_allclose(Psi.T @ (weights[:, None] * Psi), np.eye(8), atol=1e-10)


@pytest.mark.parametrize(("lengthscale", "deviation"), [(1.0, 1.0), (0.7, 1.5)])
def test_gaussian_eigenfunctions_solve_the_integral_equation_T9(lengthscale, deviation):
    system = gaussian_spectrum(6, lengthscale, deviation)
    nodes, weights = gauss_hermite(120, deviation)
    K = RBF(lengthscale)(t[:, None], nodes[:, None])
    assert_allclose(K @ (weights[:, None] * system.functions(nodes)), system.values * system.functions(t), atol=1e-10)


def test_the_truncated_expansion_tends_to_the_kernel_T9():
    B, G = brownian_spectrum(4000), gaussian_spectrum(40)
    for system, exact, few, many in (
        (B, np.minimum(s[:, None], t), (10, 100, 1000), 1e-3),
        (G, RBF(1.0)(s[:, None], t[:, None]), (2, 5, 10), 1e-12),
    ):
        errors = [np.abs(system.expansion(s, t, terms) - exact).max() for terms in (*few, None)]
        assert errors == sorted(errors, reverse=True)
        assert errors[-1] < many


@pytest.mark.parametrize(("terms", "error"), [(3, 2.5e-3), (6, 4.6e-7)])
def test_the_truncated_gaussian_map_has_the_errors_of_the_specification_T14(terms, error):
    x, z = (gaussian_features(v, 1.0, terms)[0] for v in (0.7, -0.4))
    assert_allclose(abs(x @ z - np.exp(-0.5 * 1.1**2)), error, rtol=0.02)


def test_twelve_terms_of_the_gaussian_map_are_exact_to_rounding_T14():
    x, z = (gaussian_features(v, 1.0, 12)[0] for v in (0.7, -0.4))
    assert abs(x @ z - np.exp(-0.5 * 1.1**2)) < 1e-14


def test_the_gaussian_map_is_a_map_of_the_rbf_kernel_at_any_scale_T14():
    x = np.linspace(-2.0, 2.0, 11)
    phi = gaussian_features(x, 0.8, 80)
    assert_allclose(phi @ phi.T, RBF(0.8)(x[:, None]), atol=1e-12)


def test_truncation_is_poor_far_from_the_origin_T14():
    near, far = ((gaussian_features(v, 1.0, 12) ** 2).sum() for v in (0.5, 6.0))
    assert near > 1.0 - 1e-12
    assert far < 1e-3  # of k(x, x) = 1


def test_no_finite_map_can_do_for_distinct_points_give_full_rank_T14():
    x = np.linspace(-3.0, 3.0, 12)[:, None]
    assert np.linalg.matrix_rank(RBF(0.5)(x)) == 12


def test_scales_must_be_positive_I5():
    with pytest.raises(ValueError, match="s must be positive"):
        gaussian_features([0.0], 0.0, 3)
    with pytest.raises(ValueError, match="terms must be positive"):
        gaussian_features([0.0], 1.0, 0)
    with pytest.raises(ValueError, match="lengthscale and deviation must be positive"):
        gaussian_spectrum(3, lengthscale=-1.0)
