"""Cosine normalisation and the Gaussian of a kernel: A8, A11."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.kernels import RBF, Cosine, GaussianOf, Linear, Normalised, Polynomial, Sigmoid, Spectrum, SubsetCount

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(7, 3)), rng.normal(size=(4, 3))


# ---- A11


def test_normalised_values_are_cosines_A11():
    K = Normalised(Polynomial(2))(X)
    assert_array_equal(np.diag(K), 1.0)
    assert abs(K).max() <= 1.0 + 1e-15
    raw = Polynomial(2)(X)
    assert_allclose(K, raw / np.sqrt(np.outer(np.diag(raw), np.diag(raw))), rtol=1e-14)


def test_normalising_linear_gives_the_cosine_kernel_A11_K16():
    assert_allclose(Normalised(Linear())(X, Y), Cosine()(X, Y), rtol=1e-14)


def test_normalising_twice_changes_nothing_A11():
    once, twice = Normalised(Polynomial(2)), Normalised(Normalised(Polynomial(2)))
    assert_allclose(twice(X, Y), once(X, Y), rtol=1e-14)


def test_normalising_forgets_a_scale_A11():
    assert_allclose(Normalised(7.0 * Polynomial(2))(X, Y), Normalised(Polynomial(2))(X, Y), rtol=1e-14)


def test_an_item_without_features_is_like_no_other_A11_K16():
    items = np.array([[1.0, 0.0], [0.0, 0.0], [2.0, 0.0]])
    assert_array_equal(Normalised(Linear())(items), [[1, 0, 1], [0, 0, 0], [1, 0, 1]])
    assert Normalised(Spectrum(2))(["abab", "a", "ba"]).tolist() == pytest.approx(
        np.array([[1, 0, 1 / 5**0.5], [0, 0, 0], [1 / 5**0.5, 0, 1]]), abs=1e-15
    )


def test_normalising_keeps_positivity_A11():
    eigenvalues = np.linalg.eigvalsh(Normalised(Polynomial(2))(X))
    assert eigenvalues[0] >= -1e-14
    assert Normalised(Polynomial(2)).psd is True
    assert Normalised(Sigmoid()).psd is None


def test_the_features_of_a_normalised_kernel_have_length_one_A11():
    phi = Normalised(Polynomial(2)).feature_map(X)
    assert_allclose((phi**2).sum(axis=1), 1.0)


# ---- A8


def test_the_gaussian_of_linear_is_the_gaussian_A8_K3():
    assert_allclose(GaussianOf(Linear(), 1.7)(X, Y), RBF(1.7)(X, Y), rtol=1e-12)


def test_the_gaussian_of_linear_factors_A8():
    """exp(-|x - y|^2 / 2s^2) = f(x) f(y) exp(<x, y> / s^2), f(x) = exp(-|x|^2 / 2s^2)."""
    s = 1.3
    f, g = (np.exp(-(Z**2).sum(axis=1) / (2 * s * s)) for Z in (X, Y))
    assert_allclose(GaussianOf(Linear(), s)(X, Y), np.outer(f, g) * np.exp(X @ Y.T / s**2), rtol=1e-12)


def test_the_gaussian_of_complex_vectors_uses_the_hermitian_distance_A8_K3():
    Z = X + 1j * X[::-1]
    assert_allclose(GaussianOf(Linear())(Z), RBF()(Z), rtol=1e-12)


def test_the_gaussian_works_on_strings_and_sets_A8_K21_K32():
    strings = GaussianOf(Spectrum(2), 2.0)(["abab", "baba", ""])
    d2 = 5 + 5 - 2 * 4  # "abab" holds ab twice and ba once, "baba" the reverse
    assert_allclose(strings[0, 1], np.exp(-d2 / 8))
    sets = GaussianOf(SubsetCount(), 2.0)([{1, 2, 3}, {2, 3, 4}])
    assert_allclose(sets[0, 1], np.exp(-(8 + 8 - 2 * 4) / 8))


def test_rounding_never_makes_a_distance_negative_A8():
    far = 1e8 + 1e-3 * X
    K = GaussianOf(Linear())(far, far[::-1].copy())
    assert K.max() <= 1.0
    assert_array_equal(np.diag(GaussianOf(Linear())(far)), 1.0)
