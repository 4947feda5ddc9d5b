"""method="grid" is the exact process on full grids, by Kronecker products (M31, M32)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer import GaussianProcessRegressor
from mercer.kernels import RBF, Fixed, Hamming, Laplacian, Linear, Matern, On, Periodic

rng = np.random.default_rng(0)
A, B, C = np.sort(rng.uniform(0.0, 3.0, 6)), np.arange(5.0), np.array([0.0, 0.7, 2.0])
GRID = np.stack(np.meshgrid(A, B, C, indexing="ij"), axis=-1).reshape(-1, 3)
X = GRID[rng.permutation(len(GRID))]
y = 2.0 + np.sin(X[:, 0]) + 0.3 * X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=len(X))
NEW = rng.uniform(0.0, 3.0, (8, 3))

KERNELS = {
    "one lengthscale": 1.5 * RBF(0.9),
    "ard": 2.0 * RBF((0.8, 2.0, 1.5)),
    "laplacian": Laplacian((1.0, 2.0, 3.0)),
    "products": 0.7 * (On(0, Matern(1.1, nu=1.5)) * On([1, 2], Matern((2.0, 1.0), nu=2.5))),
    "one column twice": On(0, RBF(1.2)) * On(0, Periodic(2.0, 1.0)) * On(1, Linear() + 1.0) * On(2, 2.0 * RBF(0.5)),
    "fixed": Fixed(2.0) * RBF(Fixed(1.0)) * On(1, RBF(3.0)),
}


def both(kernel, X=X, y=y, **options):
    options = {"noise": 0.05, "optimizer": None} | options
    return [GaussianProcessRegressor(kernel, method=m, **options).fit(X, y) for m in ("exact", "grid")]


@pytest.mark.parametrize("mean", ["zero", "constant", "linear"])
@pytest.mark.parametrize("name", KERNELS)
def test_it_is_the_exact_process_M31(name, mean):
    exact, fast = both(KERNELS[name], mean=mean, alpha=0.01)
    assert fast.method_ == "grid"
    for option in ("return_std", "return_cov"):
        for found, expected in zip(*(m.predict(NEW, **{option: True}) for m in (fast, exact)), strict=True):
            assert_allclose(found, expected, rtol=1e-8, atol=1e-8)
    assert_allclose(fast.log_marginal_likelihood_value_, exact.log_marginal_likelihood_value_, rtol=1e-8)
    assert fast.certificate_.residual < 1e-10
    theta = np.append(fast.kernel_.theta, np.log(0.07)) + 0.1
    for found, expected in zip(*(m.log_marginal_likelihood(theta, True) for m in (fast, exact)), strict=True):
        assert_allclose(found, expected, rtol=1e-8, atol=1e-8)


def test_the_search_ends_at_the_same_evidence_M32():
    exact, fast = (GaussianProcessRegressor("rbf", method=m).fit(X, y) for m in ("exact", "auto"))
    assert fast.method_ == "grid"
    assert_allclose(fast.log_marginal_likelihood_value_, exact.log_marginal_likelihood_value_, atol=1e-3)


def test_tables_with_categories_and_several_outputs_M31(tmp_path):
    names = np.array(["red", "green", "blue"])
    table = {"place": X[:, 0], "colour": names[np.searchsorted(C, X[:, 2])].tolist(), "time": X[:, 1]}
    kernel = On("place", RBF(1.0)) * On("colour", Hamming()) * On("time", Matern(2.0, nu=1.5))
    exact, fast = both(kernel, table, np.column_stack([y, y**2]), normalize_y=True)
    for found, expected in zip(*(m.predict(table, return_std=True) for m in (fast, exact)), strict=True):
        assert_allclose(found, expected, rtol=1e-8, atol=1e-8)
    mercer.save(fast, tmp_path / "m.mercer")
    assert_allclose(mercer.load(tmp_path / "m.mercer").predict(table), fast.predict(table), rtol=1e-12)


def test_a_grid_too_large_for_one_matrix_M31():
    sides = [np.linspace(0.0, 1.0, n) for n in (60, 40, 25)]
    points = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 3)
    truth = np.sin(6.0 * points[:, 0]) * np.cos(4.0 * points[:, 1]) + points[:, 2]
    machine = GaussianProcessRegressor(RBF((0.3, 0.3, 1.0)), noise=0.01, method="auto", optimizer=None)
    machine.fit(points, truth + 0.1 * rng.normal(size=len(points)))
    assert machine.method_ == "grid"
    assert np.abs(machine.predict(points[::977]) - truth[::977]).max() < 0.1


@pytest.mark.parametrize(("kernel", "items", "why"), [
    (RBF(1.0), X[:-1], "89 items do not fill a grid"),
    (RBF(1.0), np.vstack([X[:-1], X[:1]]), "do not fill a grid"),
    (RBF(1.0) * Matern(1.0, nu=1.5), X, "seen by several factors"),
    ("precomputed", np.eye(len(X)), "not rows of columns"),
], ids=["a gap", "an item twice", "no product", "precomputed"])  # fmt: skip
def test_what_is_no_grid_is_refused_I5(kernel, items, why):
    with pytest.raises(ValueError, match=rf"a full grid.*{why}"):
        GaussianProcessRegressor(kernel, method="grid", optimizer=None).fit(items, y[: len(items)])


def test_noise_must_be_the_same_everywhere_I5():
    with pytest.raises(ValueError, match="alpha must be one number for method='grid'"):
        GaussianProcessRegressor(RBF(1.0), alpha=np.linspace(1.0, 2.0, len(X)), method="grid").fit(X, y)
    with pytest.raises(ValueError, match="noise must be > 0 for method='grid'"):
        GaussianProcessRegressor(Linear(), alpha=0.0, method="grid", optimizer=None).fit(X, y)
