"""Nystroem and RandomFeatures: what their columns multiply to (H1)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer.kernels import RBF, Exponential, Hamming, Laplacian, Linear, Matern, RationalQuadratic

rng = np.random.default_rng(0)
X = rng.normal(size=(25, 4))
KERNELS = {
    "RBF": RBF(2.0),
    "RBF by column": RBF((1.0, 2.0, 3.0, 4.0)),
    "Matern 1/2": Matern(3.0, nu=0.5),
    "Matern 5/2": Matern(2.0, nu=2.5),
    "Matern inf": Matern(2.0, nu=np.inf),
    "Exponential": Exponential(3.0),
    "RationalQuadratic": RationalQuadratic(2.0, alpha=0.7),
    "Laplacian": Laplacian(4.0),
}


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_random_features_are_right_in_the_mean_H1(kernel):
    K, count = kernel(X), 150
    found = [mercer.RandomFeatures(kernel, n_components=51, random_state=s).fit_transform(X) for s in range(count)]
    products = np.array([F @ F.T for F in found])
    spread = products.std(axis=0) / np.sqrt(count)
    assert np.abs(products.mean(axis=0) - K).max() < (5.0 * spread + 1e-12).max()
    assert_allclose(found[0].shape, (25, 51))


def test_orthogonal_directions_lower_the_error_H1():
    def error(orthogonal):
        maps = [mercer.RandomFeatures(RBF(2.0), n_components=32, orthogonal=orthogonal, random_state=s)
                for s in range(60)]  # fmt: skip
        products = [F @ F.T for F in (one.fit_transform(X) for one in maps)]
        return np.mean([(P - RBF(2.0)(X)) ** 2 for P in products])

    assert error(True) < 0.85 * error(False)


def test_an_even_number_of_waves_has_length_one_and_other_kernels_are_refused_H1():
    F = mercer.RandomFeatures(Matern(1.0), n_components=10, random_state=0).fit_transform(X)
    assert_allclose(np.sum(F**2, axis=1), 1.0)
    for kernel in (Linear(), "poly"):
        with pytest.raises(ValueError, match="RandomFeatures: kernel must be RBF, Matern"):
            mercer.RandomFeatures(kernel).fit(X)
    with pytest.raises(ValueError, match="kernel must be a stationary kernel"):
        mercer.RandomFeatures("precomputed").fit(X)


def test_nystroem_with_all_items_is_the_kernel_and_with_fewer_its_projection_H1():
    K = RBF(1.0)(X)
    whole = mercer.Nystroem(RBF(1.0), n_components=25, random_state=0).fit_transform(X)
    assert_allclose(whole @ whole.T, K, atol=1e-9)
    some = mercer.Nystroem(RBF(1.0), n_components=8, random_state=0).fit(X)
    F, index = some.transform(X), some.component_indices_
    assert_allclose(F @ F.T, K[:, index] @ np.linalg.solve(K[np.ix_(index, index)], K[index]), atol=1e-9)
    assert_allclose(some.approximation_.trace_error, np.trace(K) - np.sum(F**2), rtol=1e-9)
    assert_allclose(some.components_, X[index])


def test_nystroem_of_other_items_and_what_it_refuses_H1():
    words = [("a", "x"), ("b", "x"), ("a", "y"), ("b", "z")]
    F = mercer.Nystroem(Hamming(), n_components=4, random_state=0).fit_transform(words)
    assert_allclose(F @ F.T, Hamming()(words), atol=1e-9)
    with pytest.raises(ValueError, match="Nystroem: landmarks must be one of"):
        mercer.Nystroem(landmarks="best").fit(X)
    with pytest.warns(UserWarning, match="n_components was set to n_samples"):
        mercer.Nystroem(n_components=30).fit(X)


@pytest.mark.parametrize("transformer", [
    mercer.Nystroem(RBF(1.0), n_components=6, random_state=0), mercer.RandomFeatures(RBF(1.0), n_components=7),
], ids=["Nystroem", "RandomFeatures"])  # fmt: skip
def test_model_files_give_the_same_columns_H1(transformer, tmp_path):
    F = transformer.fit_transform(X)
    mercer.save(transformer, tmp_path / "t.mercer")
    assert_allclose(mercer.load(tmp_path / "t.mercer").transform(X), F, rtol=1e-12)
