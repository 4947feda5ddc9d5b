"""method="statespace" is the exact process, in O(n) (M31, M32)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer import GaussianProcessRegressor
from mercer.kernels import RBF, Bounded, Exponential, Fixed, Matern

rng = np.random.default_rng(0)
X = rng.uniform(0.0, 10.0, (60, 1))
y = 3.0 + np.sin(X[:, 0]) + 0.1 * rng.normal(size=60)
NEW = np.linspace(-1.0, 11.0, 9)[:, None]


@pytest.mark.parametrize("kernel", [
    Matern(1.3, nu=1.5), 2.0 * Matern(Bounded(0.8, 0.1, 9.0), nu=2.5), Fixed(2.0) * (3.0 * Exponential((1.5,))),
], ids=["plain", "bounded", "scaled twice"])  # fmt: skip
@pytest.mark.parametrize("mean", ["zero", "constant", "linear"])
def test_it_is_the_exact_process_M31(kernel, mean):
    options = {"noise": 0.05, "mean": mean, "alpha": rng.uniform(0.01, 0.1, 60), "optimizer": None}
    exact, fast = (GaussianProcessRegressor(kernel, method=m, **options).fit(X, y) for m in ("exact", "statespace"))
    for found, expected in zip(fast.predict(NEW, return_std=True), exact.predict(NEW, return_std=True), strict=True):
        assert_allclose(found, expected, rtol=1e-8, atol=1e-9)
    assert_allclose(fast.predict(NEW), exact.predict(NEW), rtol=1e-8)
    assert_allclose(fast.log_marginal_likelihood_value_, exact.log_marginal_likelihood_value_, rtol=1e-9)
    assert_allclose(fast.intercept_, exact.intercept_, rtol=1e-7)
    theta = np.append(fast.kernel_.theta, np.log(0.07)) + 0.1
    for found, expected in zip(*(m.log_marginal_likelihood(theta, True) for m in (fast, exact)), strict=True):
        assert_allclose(found, expected, rtol=1e-7, atol=1e-8)


def test_the_search_ends_at_the_same_evidence_M32():
    exact, fast = (GaussianProcessRegressor("matern", method=m).fit(X, y) for m in ("exact", "auto"))
    assert fast.method_ == "statespace"
    assert_allclose(fast.log_marginal_likelihood_value_, exact.log_marginal_likelihood_value_, atol=1e-3)
    assert fast.converged_


def test_several_outputs_and_repeated_places_M31():
    Y = np.column_stack([y, -2.0 * y])
    twice = np.vstack([X, X[:5]])
    exact, fast = (
        GaussianProcessRegressor(Matern(nu=0.5), noise=0.1, optimizer=None, normalize_y=True, method=m)
        .fit(twice, np.vstack([Y, Y[:5]]))
        .predict(NEW, return_std=True)
        for m in ("exact", "statespace")
    )
    for found, expected in zip(fast, exact, strict=True):
        assert_allclose(found, expected, rtol=1e-8)


def test_a_model_file_predicts_the_same(tmp_path):
    machine = GaussianProcessRegressor("matern", method="statespace").fit(X, y)
    mercer.save(machine, tmp_path / "m.mercer")
    assert_allclose(mercer.load(tmp_path / "m.mercer").predict(NEW), machine.predict(NEW), rtol=1e-12)


@pytest.mark.parametrize(("kernel", "items"), [
    (RBF(1.0), X), (Matern(nu=3.5), X), (Matern() + Matern(), X), (Matern(), np.hstack([X, X])),
], ids=["rbf", "order", "sum", "columns"])  # fmt: skip
def test_other_kernels_and_columns_are_refused_I5(kernel, items):
    with pytest.raises(ValueError, match="on one column of numbers for method='statespace'"):
        GaussianProcessRegressor(kernel, method="statespace").fit(items, y)


def test_what_needs_the_whole_covariance_says_so_I5():
    machine = GaussianProcessRegressor(Matern(nu=1.5), noise=0.1, method="statespace").fit(X, y)
    calls = [lambda: machine.L_, lambda: machine.update(X, y), machine.leave_one_out, lambda: machine.sample_y(NEW)]
    for call in calls:
        with pytest.raises(ValueError, match="method must be 'exact' for"):
            call()
    with pytest.raises(ValueError, match="method must be one of"):
        GaussianProcessRegressor(method="fast").fit(X, y)
