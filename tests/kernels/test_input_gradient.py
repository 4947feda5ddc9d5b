"""The derivative of a Gram in its items, which GP-LVM (M39) and networks with moving centres rest on."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.kernels import (
    ANOVA,
    RBF,
    ArcSine,
    Bilinear,
    Centred,
    Constant,
    Cosine,
    Exp,
    Exponential,
    GaussianOf,
    Geometric,
    Homogeneous,
    Laplacian,
    Linear,
    Mahalanobis,
    Matern,
    Normalised,
    On,
    Periodic,
    Polynomial,
    PolynomialOf,
    RationalQuadratic,
    Sigmoid,
    White,
)
from mercer.kernels.input_gradient import input_gradient

rng = np.random.default_rng(0)
X, Y, W = rng.normal(size=(7, 3)), rng.normal(size=(5, 3)), rng.normal(size=(7, 5))

WITH_A_RULE = [
    RBF(0.7), RBF((0.7, 2.0, np.inf)), Matern(1.1, nu=0.5), Matern(1.1), Matern((1.0, 2.0, 0.5), nu=2.5),
    Matern(1.3, nu=1.2), Matern(0.8, nu=np.inf), Exponential(0.9), RationalQuadratic(1.2, alpha=0.6), Laplacian(1.5),
    Laplacian((1.5, 0.5, 2.0)), Periodic(0.8, period=2.5), Linear(), Polynomial(3, gamma=0.5, offset=0.7),
    Polynomial(1), Homogeneous(0), Homogeneous(3), Geometric(4), Sigmoid(0.5, offset=0.1), Constant(2.0), White(3.0),
    Bilinear([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.5]]),
    2.5 * RBF(0.7), RBF(0.7) + 0.5 * Linear() + Constant(2.0) + White(0.1), RBF(2.0) - 0.5 * Matern(1.0),
    RBF(0.9) * Linear(), RBF(0.9) * Linear() * Periodic(1.0), 3.0 * (RBF() + Linear()) * (Matern() + 1.0),
    (Linear() + 1.0) ** 3, Exp(0.3 * Linear()), PolynomialOf(RBF(), (0.5, 1.0, 2.0)),
]  # fmt: skip
WITHOUT = [
    Cosine(), ArcSine(0.7), Normalised(Polynomial(2)), GaussianOf(Linear()), ANOVA(2), On([0, 2], RBF(0.8)),
    Mahalanobis(np.diag([1.0, 2.0, 3.0])), RBF(0.9) * Normalised(Polynomial(2)) + Linear(), Centred(RBF()).fit(X),
]  # fmt: skip


def differences(kernel, X, Y, W):
    """Central differences, one entry of X at a time, all in the frame of the unmoved X."""
    frame, out = kernel.prepare(X).frame, np.zeros_like(X)
    for i, k in np.ndindex(X.shape):
        h = np.zeros_like(X)
        h[i, k] = 1e-5
        out[i, k] = np.sum(W * (kernel(X + h, Y, frame=frame) - kernel(X - h, Y, frame=frame))) / 2e-5
    return out


@pytest.mark.parametrize("kernel", [*WITH_A_RULE, *WITHOUT], ids=repr)
def test_the_gradient_is_that_of_central_differences(kernel):
    wanted = differences(kernel, X, Y, W)
    assert_allclose(input_gradient(kernel, X, Y, W), wanted, atol=1e-7 * max(1.0, abs(wanted).max()))


@pytest.mark.parametrize("kernel", WITH_A_RULE, ids=repr)
def test_common_kernels_are_not_differenced(kernel, monkeypatch):
    wanted = input_gradient(kernel, X, Y, W)
    monkeypatch.setattr("mercer.kernels.central_differences.in_items", None)
    assert_array_equal(input_gradient(kernel, X, Y, W), wanted)


@pytest.mark.parametrize("kernel", WITHOUT, ids=repr)
def test_others_are(kernel, monkeypatch):
    monkeypatch.setattr("mercer.kernels.central_differences.in_items", None)
    with pytest.raises(TypeError, match="not callable"):
        input_gradient(kernel, X, Y, W)


@pytest.mark.parametrize("kernel", [RBF(0.8), Matern(1.0), 2.0 * Polynomial(2) + RBF() * Linear()], ids=repr)
def test_a_gram_of_one_dataset_moves_with_both_arguments(kernel):
    V = rng.normal(size=(7, 7))
    out = np.zeros_like(X)
    for i, k in np.ndindex(X.shape):
        h = np.zeros_like(X)
        h[i, k] = 1e-5
        out[i, k] = np.sum(V * (kernel(X + h) - kernel(X - h))) / 2e-5
    assert_allclose(input_gradient(kernel, X, X, V + V.T), out, atol=1e-7)


def test_tiles_add_up_to_the_whole():
    many, W = rng.normal(size=(900, 2)), rng.normal(size=(900, 900))
    k = RBF(0.5)
    D = many[:, None, :] - many[None, :, :]
    wanted = np.einsum("ij,ijk->ik", W * k(many), -D / 0.25)
    assert_allclose(input_gradient(k, many, many, W), wanted, atol=1e-9)


def test_data_far_from_the_origin_keep_their_digits():
    k = RBF(1.0)
    assert_allclose(input_gradient(k, X + 2.0**20, Y + 2.0**20, W), input_gradient(k, X, Y, W), atol=1e-9)


def test_noise_and_constants_do_not_move():
    assert_array_equal(input_gradient(White() + Constant(2.0), X, X, np.ones((7, 7))), 0.0)


def test_single_precision_is_differentiated_in_double():
    for kernel in (RBF(), Cosine()):
        single = input_gradient(kernel, X.astype(np.float32), Y.astype(np.float32), W)
        assert_allclose(single, input_gradient(kernel, X, Y, W), atol=1e-5)


def test_bad_input_is_refused_with_a_cure():
    with pytest.raises(ValueError, match="one weight per pair"):
        input_gradient(RBF(), X, Y, W.T)
    with pytest.raises(ValueError, match="real"):
        input_gradient(Linear(), X + 1j, Y, W)
