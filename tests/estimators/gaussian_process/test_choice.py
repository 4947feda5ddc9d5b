"""method="auto": which method it takes, and that nothing jumps where it takes another one (M31, M32)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer import GaussianProcessRegressor
from mercer.estimators.gaussian_process.methods import choice
from mercer.kernels import RBF, Matern

rng = np.random.default_rng(0)
X = rng.uniform(-2.0, 2.0, (500, 2))
TRUTH = np.sin(2.0 * X[:, 0]) + 0.5 * X[:, 1]
y = TRUTH + 0.1 * rng.normal(size=len(X))
NEW = rng.uniform(-1.8, 1.8, (40, 2))


def auto(kernel, n, **options):
    return GaussianProcessRegressor(kernel, method="auto", n_inducing=100, n_neighbors=100, **options).fit(X[:n], y[:n])


@pytest.mark.parametrize(("kernel", "method"), [("rbf", "sgpr"), ("exponential", "neighbours")])
def test_predictions_do_not_jump_at_the_switch_M32(kernel, method, monkeypatch):
    monkeypatch.setattr(choice, "_EXACT", 449)
    below, above = auto(kernel, 449), auto(kernel, 450)
    assert (below.method_, above.method_) == ("exact", method)
    (a, a_std), (b, b_std) = (m.predict(NEW, return_std=True, of="y") for m in (below, above))
    assert np.abs(a - b).max() < 0.5 * a_std.min()
    assert_allclose(a_std, b_std, rtol=0.15)
    truth = np.sin(2.0 * NEW[:, 0]) + 0.5 * NEW[:, 1]
    assert np.sqrt(np.mean((b - truth) ** 2)) < 0.1


def test_a_small_memory_budget_asks_for_an_approximation_M31():
    with mercer.configure(memory=8 * 420**2):
        assert auto(RBF(1.0), 400, noise=0.01, optimizer=None).method_ == "exact"
        assert auto(RBF(1.0), 450, noise=0.01, optimizer=None).method_ == "sgpr"


def test_exact_methods_come_first_M31():
    assert auto(1.0 * Matern(1.0, nu=1.5), 50, noise=0.1, optimizer=None).method_ == "exact"
    line = GaussianProcessRegressor("matern", method="auto").fit(X[:50, :1], y[:50])
    assert line.method_ == "statespace"
    assert line.calibration_ == 1.0
    assert line.bound_ == (line.log_marginal_likelihood_value_,) * 2


@pytest.mark.parametrize("method", ["sgpr", "neighbours"])
def test_bounds_hold_the_exact_evidence_whatever_the_method_M32(method):
    options = {"noise": 0.02, "optimizer": None, "mean": "zero", "n_inducing": 60}
    exact, fast = (GaussianProcessRegressor(RBF(0.8), method=m, **options).fit(X[:300], y[:300])
                   for m in ("exact", method))  # fmt: skip
    low, high = fast.bound_
    assert low <= exact.log_marginal_likelihood_value_ <= high
    assert exact.bound_ == (exact.log_marginal_likelihood_value_,) * 2


def test_the_evidence_at_other_hyper_parameters_is_that_of_the_method_used_M32(monkeypatch):
    monkeypatch.setattr(choice, "_EXACT", 100)
    machine = auto(1.0 * RBF(1.0), 300, noise=0.02, optimizer=None)
    assert machine.method_ == "sgpr"
    value = machine.log_marginal_likelihood(np.append(machine.kernel_.theta, np.log(0.02)))
    assert_allclose(value, machine.log_marginal_likelihood_value_, rtol=1e-10)
