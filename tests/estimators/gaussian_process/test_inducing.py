"""method="sgpr": a lower bound through landmarks, with the exact evidence between two bounds (M31, M32)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer import GaussianProcessRegressor
from mercer.kernels import RBF, Fixed, Linear, Matern, Spectrum

rng = np.random.default_rng(0)
X = rng.uniform(-2.0, 2.0, (80, 2))
y = 1.0 + np.sin(2.0 * X[:, 0]) + 0.2 * rng.normal(size=80)
NEW = rng.uniform(-2.5, 2.5, (7, 2))


def pair(kernel, n_inducing, **options):
    options = {"noise": 0.05, "optimizer": None} | options
    exact = GaussianProcessRegressor(kernel, **options).fit(X, y)
    return exact, GaussianProcessRegressor(kernel, method="sgpr", n_inducing=n_inducing, **options).fit(X, y)


@pytest.mark.parametrize("mean", ["zero", "constant", "linear"])
def test_with_all_items_as_landmarks_it_is_the_exact_process_M31(mean):
    exact, through = pair(1.5 * Matern(0.9, nu=1.5), 80, mean=mean, alpha=rng.uniform(0.01, 0.1, 80))
    for found, expected in zip(through.predict(NEW, return_std=True), exact.predict(NEW, return_std=True), strict=True):
        assert_allclose(found, expected, rtol=1e-5)
    assert_allclose(through.log_marginal_likelihood_value_, exact.log_marginal_likelihood_value_, rtol=1e-6)
    theta = np.append(through.kernel_.theta, np.log(0.07)) + 0.1
    for found, expected in zip(*(m.log_marginal_likelihood(theta, True) for m in (through, exact)), strict=True):
        assert_allclose(found, expected, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("count", [5, 15, 40])
def test_the_exact_evidence_lies_between_the_bounds_M32(count):
    exact, through = pair(RBF(0.6), count, mean="zero")
    low, high = through.bound_
    value = exact.log_marginal_likelihood_value_
    assert through.log_marginal_likelihood_value_ <= value + 1e-6
    assert low <= value + 1e-6 <= high + 2e-6
    assert low >= through.log_marginal_likelihood_value_ - 1.1
    assert through.predict(NEW, return_std=True)[1].min() > 0.0


def test_a_kernel_of_few_features_needs_few_landmarks_M32():
    exact, through = pair(Linear() + 1.0, 3)
    assert_allclose(through.predict(NEW), exact.predict(NEW), rtol=1e-4)
    assert_allclose(through.log_marginal_likelihood_value_, exact.log_marginal_likelihood_value_, rtol=1e-4)


def test_the_search_ends_near_the_exact_one_M32():
    exact, through = (
        GaussianProcessRegressor("rbf", method=m, n_inducing=40).fit(X, y) for m in ("exact", "sgpr")
    )  # fmt: skip
    assert_allclose(through.log_marginal_likelihood_value_, exact.log_marginal_likelihood_value_, atol=1.0)


def test_strings_and_model_files_E28(tmp_path):
    words = ["".join(rng.choice(list("ab"), 8)) for _ in range(30)]
    counts = np.array([word.count("ab") for word in words], dtype=float)
    machine = GaussianProcessRegressor(Spectrum(2), noise=Fixed(0.1), method="sgpr", n_inducing=4).fit(words, counts)
    mercer.save(machine, tmp_path / "m.mercer")
    assert_allclose(mercer.load(tmp_path / "m.mercer").predict(words[:5]), machine.predict(words[:5]), rtol=1e-10)


@pytest.mark.parametrize("mean", ["zero", "linear"])
def test_covariances_of_new_items_and_draws_M31(mean):
    exact, through = pair(1.5 * Matern(0.9, nu=1.5), 80, mean=mean)
    for found, expected in zip(through.predict(NEW, return_cov=True), exact.predict(NEW, return_cov=True), strict=True):
        assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    few = pair(1.5 * Matern(0.9, nu=1.5), 10, mean=mean)[1]
    mean_of, cov = few.predict(NEW, return_cov=True, of="y")
    assert_allclose(np.sqrt(np.diagonal(cov)), few.predict(NEW, return_std=True, of="y")[1], rtol=1e-8)
    draws = few.sample_y(NEW, 4000, random_state=0, of="y")
    assert_allclose(np.cov(draws), cov, atol=0.1 * cov.max())
    assert_allclose(draws.mean(axis=1), mean_of, atol=0.1)


def test_faults_are_named_I5():
    with pytest.raises(ValueError, match="noise must be > 0 for method='sgpr'"):
        GaussianProcessRegressor(RBF(1.0), alpha=0.0, method="sgpr").fit(X, y)
    with pytest.raises(ValueError, match="computable for method='sgpr'"):
        GaussianProcessRegressor("precomputed", method="sgpr").fit(np.eye(3), y[:3])
    with pytest.raises(ValueError, match="n_inducing must be an integer >= 1"):
        GaussianProcessRegressor(method="sgpr", n_inducing=0).fit(X, y)
