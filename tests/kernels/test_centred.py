"""Centring in feature space, on training and test items: A12."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.preprocessing import KernelCenterer

from mercer.gram import LazyGram
from mercer.kernels import RBF, Centred, Linear, Polynomial
from mercer.testing import check_kernel

rng = np.random.default_rng(0)
train, test = rng.normal(size=(9, 3)), rng.normal(size=(4, 3))
n = len(train)
H = np.eye(n) - 1.0 / n


def test_rows_and_columns_sum_to_zero_A12():
    K = Centred(RBF())(train)
    assert_allclose(K.sum(axis=0), 0.0, atol=1e-13)
    assert_allclose(K, H @ RBF()(train) @ H, atol=1e-14)


def test_centred_linear_is_the_gram_of_centred_vectors_A12():
    mean = train.mean(axis=0)
    k = Centred(Linear()).fit(train)
    assert_allclose(k(train), (train - mean) @ (train - mean).T, atol=1e-13)
    assert_allclose(k(test, train), (test - mean) @ (train - mean).T, atol=1e-13)
    assert_allclose(k(test), (test - mean) @ (test - mean).T, atol=1e-13)


def test_centring_twice_changes_nothing_A12():
    once = Centred(RBF()).fit(train)
    twice = Centred(Centred(RBF())).fit(train)
    assert_allclose(twice(train), once(train), atol=1e-14)
    assert_allclose(twice(test, train), once(test, train), atol=1e-14)


def test_centring_keeps_positivity_and_loses_one_rank_A12():
    eigenvalues = np.linalg.eigvalsh(Centred(RBF())(train))
    assert eigenvalues[0] >= -1e-14
    assert abs(eigenvalues[0]) <= 1e-13 < eigenvalues[1]


def test_test_items_are_centred_with_training_means_A12():
    K, C = RBF()(train), RBF()(test, train)
    rows = np.full((len(test), n), 1.0 / n)
    ones = np.full((n, n), 1.0 / n)
    expected = C - rows @ K - C @ ones + rows @ K @ ones
    assert_allclose(Centred(RBF()).fit(train)(test, train), expected, atol=1e-14)
    assert_allclose(KernelCenterer().fit(K).transform(C), expected, atol=1e-14)


def test_the_training_set_decides_A12():
    k = Centred(RBF())
    assert abs(k.fit(train)(test) - k.fit(test)(test)).max() > 1e-3


def test_a_set_of_one_item_has_no_spread_A12():
    assert_allclose(Centred(Polynomial(3))(train[:1]), 0.0, atol=1e-14)


def test_complex_kernels_are_centred_to_hermitian_ones_A12_K37():
    Z = train + 1j * train[::-1]
    mean = Z.mean(axis=0)
    assert_allclose(Centred(Linear())(Z), (Z - mean) @ (Z - mean).conj().T, atol=1e-13)


def test_no_training_items_no_mean_I5():
    with pytest.raises(ValueError, match=r"Centred: the training set must be at least one item; got none"):
        Centred(Linear())(train[:0])


def test_a_centred_kernel_is_not_stationary_I2():
    """Far from the training items the mean no longer matters, near them it does."""
    k = Centred(RBF()).fit(train)
    assert abs(k(test) - k(test + 10.0)).max() > 0.1
    assert not k.stationary
    assert not k.isotropic


def test_the_means_move_with_the_hyper_parameters_A12():
    """A fitted kernel at another theta is the kernel at that theta, fitted to the same items."""
    moved = Centred(RBF((0.5, 1.0, 2.0))).fit(train).with_theta(np.log([2.0, 0.7, 1.0]))
    fresh = Centred(RBF((2.0, 0.7, 1.0))).fit(train)
    assert_allclose(moved(test, train), fresh(test, train), atol=1e-14)


def test_a_fitted_kernel_obeys_the_laws_also_on_items_it_has_not_seen_A12():
    check_kernel(Centred(2.0 * RBF(0.8)).fit(train), test, train[:3])


def test_the_gradient_is_streamed_like_the_values_A12():
    k, W = Centred(RBF(0.8)), rng.normal(size=(n, n))
    A = k.prepare(train)
    assert_allclose(LazyGram(k, train).vjp(W), k.vjp(A, A, W), rtol=1e-10)
