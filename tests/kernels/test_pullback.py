"""Kernels through a function of the items: A4, A5."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.kernels import RBF, Linear, Modulated, Polynomial, Pullback, Spectrum, rank_one
from mercer.testing import check_kernel

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(6, 3)), rng.normal(size=(4, 3))


def lengths(texts):
    return [[len(t), t.count("a")] for t in texts]


# ---- A5


def test_a_pullback_is_the_kernel_of_the_images_A5():
    k = Pullback(RBF(), np.tanh)
    assert_array_equal(k(X, Y), RBF()(np.tanh(X), np.tanh(Y)))
    check_kernel(k, X, Y)


def test_a_function_may_map_strings_to_vectors_A5_I1():
    texts = ["abc", "a", "banana"]
    k = Pullback(RBF(2.0), lengths)
    assert_array_equal(k(texts), RBF(2.0)([[3, 1], [1, 1], [6, 3]]))
    check_kernel(k, texts, ["", "aa"])


def test_a_function_may_map_vectors_to_strings_A5_I1():
    k = Pullback(Spectrum(1), lambda V: ["ab" if v[0] > 0 else "b" for v in V])
    assert_array_equal(k([[1.0], [-1.0]]), [[2, 1], [1, 1]])


def test_a_pullback_need_not_be_stationary_though_its_kernel_is_A5():
    assert RBF().stationary
    assert not Pullback(RBF(), np.tanh).stationary
    assert not Modulated(RBF(), len).isotropic


def test_the_features_of_a_pullback_are_those_of_the_images_A5():
    phi = Pullback(Polynomial(2), np.tanh).feature_map(X)
    assert_array_equal(phi, Polynomial(2).feature_map(np.tanh(X)))


# ---- A4


def test_a_rank_one_kernel_has_rank_one_A4():
    k = rank_one(lambda V: V[:, 0])
    assert_array_equal(k(X, Y), np.outer(X[:, 0], Y[:, 0]))
    assert np.linalg.matrix_rank(k(X)) == 1
    assert k.psd is True


def test_a_complex_function_needs_its_conjugate_A4_K37():
    f = np.array([1.0, 1.0j])
    K = rank_one(lambda V: f[: len(V)])(np.zeros((2, 1)))
    assert_array_equal(K, [[1, -1j], [1j, 1]])
    assert_allclose(np.linalg.eigvalsh(K), [0, 2], atol=1e-15)
    without = np.outer(f, f)
    assert_array_equal(without, [[1, 1j], [1j, -1]])
    assert not np.array_equal(without, without.conj().T), "not Hermitian, so no kernel"


def test_modulation_multiplies_both_sides_A4():
    k = Modulated(RBF(), lambda V: V[:, 0] + 1j * V[:, 1])
    f, g = (Z[:, 0] + 1j * Z[:, 1] for Z in (X, Y))
    assert_allclose(k(X, Y), f[:, None] * RBF()(X, Y) * g.conj(), rtol=1e-14)
    check_kernel(k, X, Y)


def test_the_features_of_a_modulated_kernel_are_modulated_A4():
    k = Modulated(Polynomial(2), lambda V: V[:, 0])
    assert_array_equal(k.feature_map(X), X[:, :1] * Polynomial(2).feature_map(X))
    check_kernel(k, X, Y)


@pytest.mark.parametrize(("f", "got"), [
    (lambda V: np.ones(len(V) + 1), r"ndarray of shape \(7,\)"),
    (lambda V: np.ones((len(V), 2)), r"float64 of shape \(6, 2\)"),
    (lambda V: ["a"] * len(V), "<U1"),
    (lambda V: np.full(len(V), np.nan), "nan"),
    (lambda V: 1.0, r"float of shape \(\)"),
], ids=["too many", "too wide", "not numbers", "not finite", "one number"])  # fmt: skip
def test_a_function_that_does_not_fit_is_refused_A4(f, got):
    with pytest.raises(ValueError, match=f"Modulated: .* must be .*; got .*{got}"):
        Modulated(Linear(), f)(X)


def test_images_are_checked_like_data_A5():
    with pytest.raises(ValueError, match="RBF: X must be finite numbers; got nan at row 0, column 0"):
        Pullback(RBF(), lambda V: V * np.nan)(X)
    with pytest.raises(TypeError, match="Spectrum: the data must be"):
        Pullback(Spectrum(2), lambda V: V)(X)
