"""Kernels of distances that are sums over columns: Laplacian, chi-squared."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.metrics.pairwise import additive_chi2_kernel, chi2_kernel, laplacian_kernel

from mercer.items import Vectors
from mercer.kernels.additive import AdditiveChiSquared, ChiSquared, Laplacian, chi_squared_distances
from mercer.kernels.radial import Exponential

rng = np.random.default_rng(12)
X, Y = rng.normal(size=(8, 4)), rng.normal(size=(6, 4))
SCALES = (0.5, 1.5, 1.0, 3.0)
HISTOGRAMS, OTHERS = rng.poisson(1.0, size=(9, 6)).astype(float), rng.poisson(1.0, size=(5, 6)).astype(float)
FORMS = [np.asarray, sparse.csr_array, sparse.csr_matrix]


def test_grams_agree_with_scikit_learn():
    assert_allclose(Laplacian(2.0)(X, Y), laplacian_kernel(X, Y, gamma=0.5), rtol=1e-13)
    assert_allclose(ChiSquared(0.4)(HISTOGRAMS, OTHERS), chi2_kernel(HISTOGRAMS, OTHERS, gamma=0.4), rtol=1e-13)
    ours = AdditiveChiSquared()(HISTOGRAMS, OTHERS)
    assert_allclose(ours, additive_chi2_kernel(HISTOGRAMS, OTHERS), rtol=1e-13)


def test_the_laplacian_is_the_product_of_exponential_kernels_over_columns_A13():
    columns = [Exponential(s)(X[:, [j]], Y[:, [j]]) for j, s in enumerate(SCALES)]
    assert_allclose(Laplacian(SCALES)(X, Y), np.prod(columns, axis=0), rtol=1e-13)
    assert_allclose(Laplacian(0.7)(X[:, :1], Y[:, :1]), Exponential(0.7)(X[:, :1], Y[:, :1]), rtol=1e-14)


@pytest.mark.parametrize("form", FORMS)
def test_an_infinite_lengthscale_drops_its_column(form):
    dropped = Laplacian((0.5, np.inf, 1.0, 3.0))(form(X), form(Y))
    some = [0, 2, 3]
    assert_allclose(dropped, Laplacian((0.5, 1.0, 3.0))(X[:, some], Y[:, some]), rtol=1e-13)
    assert_array_equal(Laplacian(np.inf)(form(X)), 1.0)


def test_extreme_lengthscales():
    assert_allclose(Laplacian(1e-200)(1e-200 * X, 1e-200 * Y), Laplacian(1.0)(X, Y), rtol=1e-12)
    repeated = np.vstack([X, X[:1]]).astype(np.float32)
    same = np.eye(9)
    same[0, 8] = same[8, 0] = 1.0
    assert_array_equal(Laplacian(1e-12)(repeated), same)


@pytest.mark.parametrize("form", FORMS)
def test_near_rows_keep_the_digits_of_their_small_distance(form):
    """1 - k is the distance itself when that is small, to be compared with exact fractions."""
    near = X + 1e-9 * rng.normal(size=X.shape)
    exact = [float(sum(abs(Fraction(a) - Fraction(b)) for a, b in zip(x, y, strict=True))) for x, y in
             zip(X, near, strict=True)]  # fmt: skip
    k = Laplacian(1e-9)(form(X), form(near))
    assert_allclose(-np.log(np.diag(k)), np.array(exact) / 1e-9, rtol=1e-12)
    A, B = (Vectors.check(form(abs(V)), "test") for V in (X, near))
    chi = [float(sum((Fraction(a) - Fraction(b)) ** 2 / (Fraction(a) + Fraction(b)) for a, b in
                     zip(x, y, strict=True))) for x, y in zip(abs(X), abs(near), strict=True)]  # fmt: skip
    assert_allclose(np.diag(chi_squared_distances(A, B)), chi, rtol=1e-12)


def test_the_laplacian_refuses_complex_vectors_and_wrong_lengthscales():
    with pytest.raises(ValueError, match="Laplacian: X must be real"):
        Laplacian()(X + 1j)
    with pytest.raises(ValueError, match=r"one per column \(4\); got 2"):
        Laplacian((1.0, 2.0))(X)
    with pytest.raises(ValueError, match="lengthscale must be a positive number"):
        Laplacian(0.0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("k", [ChiSquared(), AdditiveChiSquared()], ids=repr)
def test_negative_entries_are_refused(k, form):
    with pytest.raises(ValueError, match="non-negative"):
        k(form(X))
    with pytest.raises(ValueError, match="non-negative"):
        k(form(HISTOGRAMS[:, :4]), form(X))
    with pytest.raises(ValueError, match="real"):
        k(form(HISTOGRAMS + 0j))


@pytest.mark.parametrize("form", FORMS)
def test_empty_bins_count_nothing(form):
    V = np.array([[0.0, 0.0, 2.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    assert_allclose(AdditiveChiSquared()(form(V)), [[0, -3, -2], [-3, 0, -1], [-2, -1, 0]], rtol=1e-15)
    assert_array_equal(np.diag(ChiSquared()(form(V))), 1.0)


def test_gamma_must_be_positive_and_finite():
    for wrong in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="ChiSquared: gamma must be"):
            ChiSquared(wrong)


def test_the_chi_squared_kernel_is_mercer_and_its_exponent_is_not():
    assert ChiSquared().psd is True
    assert AdditiveChiSquared().psd is False
    K = AdditiveChiSquared()(HISTOGRAMS)
    assert np.linalg.eigvalsh(K).min() < -1.0
    centring = np.eye(9) - 1 / 9
    assert np.linalg.eigvalsh(centring @ K @ centring).min() > -1e-12  # it is conditionally positive
    assert_allclose(ChiSquared(0.4)(HISTOGRAMS), np.exp(0.4 * K), rtol=1e-14)
