"""Integral operators (T8), Nystrom eigenfunctions and Mercer's expansion (T9), RKHS coordinates (T10)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.errors import NotPositiveDefinite
from mercer.kernels import RBF, Exponential, Kernel, Linear, Matern, Sigmoid, kernel
from mercer.theory import (
    brownian_spectrum,
    certify,
    eigenfunctions,
    gauss_hermite,
    gauss_legendre,
    gaussian_spectrum,
    integral_operator,
    midpoint,
)

rng = np.random.default_rng(0)
UNIT = gauss_legendre(0.0, 1.0, 80)
t = np.linspace(0.1, 0.9, 7)


@kernel
class Brownian(Kernel):
    """min(s, t), the covariance of Brownian motion."""

    def block(self, A, B):
        return np.minimum(A.values, B.values.T)


@pytest.mark.parametrize(
    "k", [RBF(0.3), Matern(0.5, nu=1.5), Matern(0.5, nu=0.7), Exponential(0.4), Brownian()], ids=repr
)
def test_the_operator_of_a_kernel_is_positive_T8(k):
    for rule in (UNIT, midpoint(0.0, 1.0, 60)):
        operator = integral_operator(k, *rule)
        assert certify(operator).psd
        f = rng.normal(size=(len(rule[0]), 10)) * np.sqrt(rule[1])[:, None]
        assert np.all(np.einsum("ij,ij->j", f, operator @ f) > 0.0)


def test_the_operator_of_the_sigmoid_is_not_positive_T8_K12():
    operator = integral_operator(Sigmoid(), *gauss_legendre(0.0, 2.0, 40))
    assert not certify(operator)
    with pytest.raises(NotPositiveDefinite, match="eigenfunctions"):
        eigenfunctions(Sigmoid(), *gauss_legendre(0.0, 2.0, 40))


def test_nystrom_finds_the_brownian_spectrum_with_the_error_of_its_rule_T9():
    exact = brownian_spectrum(3)
    errors = []
    for n in (50, 100, 200):
        found = eigenfunctions(Brownian(), *midpoint(0.0, 1.0, n), rank=3)
        errors.append(np.abs(found.values - exact.values).max())
        signs = np.sign((found.functions(t) * exact.functions(t)).sum(axis=0))
        assert_allclose(found.functions(t) * signs, exact.functions(t), atol=20.0 / n)
    assert_allclose([errors[0] / errors[1], errors[1] / errors[2]], 4.0, rtol=0.05)
    assert_allclose(found.values, [0.405285, 0.045032, 0.016211], atol=1e-5)


def test_nystrom_finds_the_gaussian_spectrum_T9():
    found, exact = eigenfunctions(RBF(1.0), *gauss_hermite(60), rank=8), gaussian_spectrum(8)
    assert_allclose(found.values, exact.values, rtol=1e-8)
    x = np.linspace(-2.0, 2.0, 9)
    signs = np.sign((found.functions(x) * exact.functions(x)).sum(axis=0))
    assert_allclose(found.functions(x) * signs, exact.functions(x), atol=1e-6)


@pytest.mark.parametrize("k", [RBF(0.3), Matern(0.5)], ids=repr)
def test_eigenfunctions_are_orthonormal_and_solve_the_integral_equation_T9(k):
    nodes, weights = UNIT
    found = eigenfunctions(k, nodes, weights, rank=6)
    Psi = found.functions(nodes)
    assert_allclose(Psi.T @ (weights[:, None] * Psi), np.eye(6), atol=1e-8)
    other, w = gauss_legendre(0.0, 1.0, 300)
    integral = k(t[:, None], other[:, None]) @ (w[:, None] * found.functions(other))
    assert_allclose(integral, found.values * found.functions(t), atol=1e-5)


def test_the_expansion_tends_to_the_kernel_as_terms_are_added_T9():
    k = RBF(0.3)
    found = eigenfunctions(k, *UNIT)
    exact = k(t[:, None])
    errors = [np.abs(found.expansion(t, terms=m) - exact).max() for m in (2, 4, 6, 8, 10)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-5
    assert_allclose(found.expansion(t, t[:3], terms=10), exact[:, :3], atol=1e-5)


def test_points_of_the_plane_are_as_good_as_numbers_T9():
    x, w = gauss_legendre(0.0, 1.0, 12)
    plane = np.array([(a, b) for a in x for b in x])
    found = eigenfunctions(RBF(0.5), plane, np.outer(w, w).ravel(), rank=3)
    line = eigenfunctions(RBF(0.5), x, w, rank=2).values
    # the kernel is a product, so its eigenvalues are products
    assert_allclose(found.values, [line[0] ** 2, line[0] * line[1], line[0] * line[1]], rtol=1e-8)


def test_a_complex_kernel_has_complex_eigenfunctions_T9_K37():
    Z = rng.normal(size=(12, 3)) + 1j * rng.normal(size=(12, 3))
    found = eigenfunctions(Linear(), Z, np.full(12, 1 / 12))
    assert len(found) == 3
    new = rng.normal(size=(4, 3)) + 1j * rng.normal(size=(4, 3))
    assert_allclose(found.expansion(new, Z), Linear()(new, Z), atol=1e-10)
    f = found.function(found.coordinates(new)[0])
    assert_allclose(f(Z), Linear()(new, Z)[0], atol=1e-10)


def test_zero_eigenvalues_are_left_out_T10():
    found = eigenfunctions(Linear(), *UNIT, rank=5)
    assert len(found) == 1
    assert_allclose(found.values, 1.0 / 3.0)  # integral of t^2


def test_coordinates_reproduce_the_kernel_T10():
    system, x = gaussian_spectrum(60), np.linspace(-1.5, 1.5, 8)
    k_x = system.coordinates(x)
    assert_allclose(k_x @ k_x.T, RBF(1.0)(x[:, None]), atol=1e-10)


def test_coordinates_reproduce_values_of_functions_T10():
    system, x = gaussian_spectrum(12), np.linspace(-1.5, 1.5, 8)
    f = rng.normal(size=12)
    values = sum(f[i] * np.sqrt(system.values[i]) * system.functions(x)[:, i] for i in range(12))
    assert_allclose(system.function(f)(x), values, rtol=1e-10)
    assert_allclose(system.coordinates(x) @ f, values, rtol=1e-10)  # <f, k_x> = f(x)


def test_a_measure_must_be_finite_and_positive_T9():
    x, w = UNIT
    for wrong in (np.full(80, np.inf), -w, np.outer(w, w)):
        with pytest.raises(ValueError, match="Only a finite measure has a discrete spectrum"):
            integral_operator(RBF(), x, wrong)
    with pytest.raises(ValueError, match="one per node"):
        integral_operator(RBF(), x, w[:-1])
    with pytest.raises(ValueError, match="an eigenvalue 0 has none"):
        brownian_spectrum(3).function([1.0, 2.0])
