"""method="neighbours": equal to the exact process where all items are neighbours, calibrated elsewhere (M31, M32)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer import GaussianProcessRegressor
from mercer.kernels import RBF, Bounded, Fixed, Matern, Spectrum

rng = np.random.default_rng(0)
X = rng.uniform(-2.0, 2.0, (50, 2))
y = 1.0 + np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=50)
NEW = rng.uniform(-2.5, 2.5, (7, 2))


@pytest.mark.parametrize("mean", ["zero", "constant", "linear"])
def test_with_all_items_as_neighbours_it_is_the_exact_process_M31(mean):
    options = {"noise": 0.02, "mean": mean, "alpha": rng.uniform(0.01, 0.1, 50), "optimizer": None}
    exact = GaussianProcessRegressor(1.5 * Matern(0.9, nu=2.5), **options).fit(X, y)
    near = GaussianProcessRegressor(1.5 * Matern(0.9, nu=2.5), method="neighbours", n_neighbors=50, **options).fit(X, y)
    mean_of, std = near.predict(NEW, return_std=True)
    expected, expected_std = exact.predict(NEW, return_std=True)
    assert_allclose(mean_of, expected, rtol=1e-8)
    assert_allclose(std, np.sqrt(near.calibration_) * expected_std, rtol=1e-7)


def test_few_items_are_one_block_and_the_search_is_the_exact_one_M32():
    exact, near = (GaussianProcessRegressor("rbf", method=m).fit(X, y) for m in ("exact", "neighbours"))
    assert_allclose(near.log_marginal_likelihood_value_, exact.log_marginal_likelihood_value_, atol=0.05)


def test_bands_cover_as_many_items_as_they_say_M31():
    A = rng.uniform(-3.0, 3.0, (3000, 2))
    t = np.sin(2.0 * A[:, 0]) * A[:, 1] + rng.normal(0.0, 0.3, 3000)
    machine = GaussianProcessRegressor("matern", method="neighbours", n_neighbors=50).fit(A[:2000], t[:2000])
    mean, std = machine.predict(A[2000:], return_std=True, of="y")
    assert abs(np.mean(np.abs(t[2000:] - mean) < 1.96 * std) - 0.95) < 0.02
    assert np.sqrt(np.mean((t[2000:] - mean) ** 2)) < 0.33
    assert 0.8 < machine.calibration_ < 1.2


def test_a_wrong_noise_is_corrected_on_items_held_out_M31():
    machine = GaussianProcessRegressor(RBF(1.0), noise=0.5, optimizer=None, method="neighbours").fit(X, y)
    mean, std = machine.predict(X, return_std=True, of="y")
    assert machine.calibration_ < 0.3
    assert np.mean(((y - mean) / std) ** 2) < 1.5


def test_strings_have_neighbours_and_models_are_saved_E28(tmp_path):
    words = ["".join(rng.choice(list("ab"), 8)) for _ in range(30)]
    counts = np.array([word.count("ab") for word in words], dtype=float)
    machine = GaussianProcessRegressor(Spectrum(2), noise=Fixed(0.1), method="neighbours", n_neighbors=10)
    machine.fit(words, counts)
    mercer.save(machine, tmp_path / "m.mercer")
    assert_allclose(mercer.load(tmp_path / "m.mercer").predict(words[:5]), machine.predict(words[:5]), rtol=1e-10)


def test_degenerate_items_I5():
    for items, targets in ((X[:1], y[:1]), (X[:2], y[:2]), (np.repeat(X[:1], 9, axis=0), np.ones(9))):
        machine = GaussianProcessRegressor(RBF(1.0), noise=0.1, optimizer=None, method="neighbours").fit(items, targets)
        assert np.isfinite(machine.predict(NEW, return_std=True)).all()
    with pytest.raises(ValueError, match="computable for method='neighbours'"):
        GaussianProcessRegressor("precomputed", method="neighbours").fit(np.eye(3), y[:3])
    with pytest.raises(ValueError, match="n_neighbors must be an integer >= 1"):
        GaussianProcessRegressor(method="neighbours", n_neighbors=0).fit(X, y)


def test_noise_that_a_few_blocks_miss_is_found_by_items_held_out_M31():
    """Most targets are noiseless; one in 50 is far off, which 8 blocks may not show and a Gaussian must pay for."""
    draw = np.random.default_rng(0)
    places = draw.uniform(-3.0, 3.0, (1500, 2))
    target = np.sin(places[:, 0]) + places[:, 1]
    target[::50] += 3.0 * draw.normal(size=30)
    fixed, free = (
        GaussianProcessRegressor(RBF(Fixed(1.0)), noise=noise, n_neighbors=30, method="neighbours").fit(places, target)
        for noise in (Fixed(1e-5), Bounded(1e-5, 1e-6, 10.0))
    )
    assert fixed.noise_ == 1e-5
    assert fixed.calibration_ > 100.0
    assert free.noise_ > 1e-2
    assert 0.1 < free.calibration_ < 10.0


def test_items_that_all_have_twins_do_not_say_that_nothing_is_uncertain_M31():
    """The error of an item whose twin stays is rounding; that tells nothing of places between the items."""
    targets = np.repeat(y[:6], 8)
    machine = GaussianProcessRegressor("matern", method="neighbours").fit(np.repeat(X[:6], 8, axis=0), targets)
    exact = GaussianProcessRegressor("matern").fit(np.repeat(X[:6], 8, axis=0), targets)
    assert machine.calibration_ >= 1.0 / 49.0
    assert (machine.predict(NEW, return_std=True)[1] > 0.1 * exact.predict(NEW, return_std=True)[1]).all()
