"""method="auto": which method it takes, and that nothing jumps where it takes another one (M31, M32)."""

from __future__ import annotations

import pkgutil

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer import GaussianProcessRegressor
from mercer.estimators.gaussian_process.methods import choice, neighbours
from mercer.kernels import RBF, Fixed, Matern

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


# ---- degenerate data, on every method

METHODS = ("exact", "sgpr", "neighbours", "auto", "statespace", "grid")
LEVELS = np.linspace(-1.0, 1.0, 6)
GRID = np.stack(np.meshgrid(LEVELS, LEVELS), axis=-1).reshape(-1, 2)


def data_for(method, n=36):
    """Items, targets, new items and the name of a kernel that the method takes."""
    if method == "grid":
        return GRID[:n], np.sin(2.0 * GRID[:n, 0]) + 0.1 * y[: len(GRID[:n])], NEW, "rbf"
    width = 1 if method == "statespace" else 2
    return X[:n, :width], y[:n], NEW[:, :width], "matern"


def predictions(items, targets, new, kernel, method, **options):
    machine = GaussianProcessRegressor(kernel, method=method, **options).fit(items, targets)
    return np.stack(machine.predict(new, return_std=True, of="y"))


@pytest.mark.parametrize("method", METHODS)
def test_targets_far_from_zero_are_like_others_M31(method):
    """With an unknown constant in the mean, squares of a common offset must not swallow what the targets say."""
    items, targets, new, kernel = data_for(method)
    near, far = (predictions(items, targets + level, new, kernel, method) for level in (0.0, 1e8))
    assert_allclose(far - [[1e8], [0.0]], near, rtol=1e-2, atol=1e-3)
    linear = predictions(items, targets + 1e8, new, kernel, method, mean="linear")
    assert np.abs(linear[0] - 1e8).max() < 5.0


@pytest.mark.parametrize("method", METHODS)
def test_one_item_twins_and_constant_targets_I5(method):
    items, targets, new, kernel = data_for(method)
    cases = [(items[:1], targets[:1]), (items, np.full(len(items), 3.0)), (items, np.zeros(len(items)))]
    if method != "grid":
        cases += [(np.repeat(items[:4], 6, axis=0), np.repeat(targets[:4], 6)), (np.ones_like(items), targets)]
    for some, values in cases:
        mean, std = predictions(some, values, new, kernel, method)
        assert np.isfinite(mean).all()
        assert (std > 0.0).all()
    mean, _ = predictions(*cases[1], new, kernel, method)
    assert_allclose(mean, 3.0, rtol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_units_of_items_and_targets_do_not_matter_M32(method):
    items, targets, new, kernel = data_for(method)
    plain = predictions(items, targets, new, kernel, method)
    for unit in (1e-100, 1e100):
        assert_allclose(predictions(unit * items, targets, unit * new, kernel, method), plain, rtol=1e-2, atol=1e-3)
    for unit in (1e-50, 1e50):
        assert_allclose(predictions(items, unit * targets, new, kernel, method) / unit, plain, rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize("method", ["sgpr", "statespace", "grid"])
def test_targets_whose_fourth_powers_overflow_are_refused_I5(method):
    items, targets, new, kernel = data_for(method)
    for unit in (1e-100, 1e100):
        with pytest.raises(ValueError, match=r"y must be of a standard deviation between 1e-60 and 1e60"):
            predictions(items, unit * targets, new, kernel, method)


@pytest.mark.parametrize("method", METHODS)
def test_kernels_without_free_hyper_parameters_are_not_searched_M31(method):
    items, targets, new, name = data_for(method)
    kernel = Fixed(1.5) * (RBF(Fixed(0.7)) if name == "rbf" else Matern(Fixed(0.7), nu=1.5))
    options = {"noise": Fixed(0.01), "mean": "constant"}
    machine = GaussianProcessRegressor(kernel, method=method, **options).fit(items, targets)
    exact = GaussianProcessRegressor(kernel, **options).fit(items, targets)
    assert machine.n_iter_ == 0
    assert_allclose(machine.predict(new), exact.predict(new), atol=0.02)
    low, high = machine.bound_
    assert low - 1e-6 <= exact.log_marginal_likelihood_value_ <= high + 1e-6


# ---- Ctrl-C and progress

EVIDENCES = {
    "exact": "regression_evidence.RegressionEvidence",
    "sgpr": "methods.inducing.InducingEvidence",
    "neighbours": "methods.neighbours.BlockEvidence",
    "statespace": "methods.state_space.LineEvidence",
    "grid": "methods.grid.GridEvidence",
}


@pytest.mark.parametrize("method", EVIDENCES)
def test_an_interrupted_search_keeps_its_best_C2(method, monkeypatch):
    items, targets, new, kernel = data_for(method)
    path = f"mercer.estimators.gaussian_process.{EVIDENCES[method]}.value_and_slope"
    inner, calls = pkgutil.resolve_name(path), []

    def third(*args, **options):
        calls.append(None)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return inner(*args, **options)

    monkeypatch.setattr(path, third)
    machine = GaussianProcessRegressor(kernel, method=method)
    with pytest.raises(KeyboardInterrupt, match="GaussianProcessRegressor was interrupted and keeps"):
        machine.fit(items, targets)
    assert machine.certificate_.reason == "interrupted"
    assert np.isfinite(machine.predict(new, return_std=True)).all()


@pytest.mark.parametrize("call", [1, 2])
def test_ctrl_c_while_variances_are_corrected_keeps_the_model_C2(call, monkeypatch):
    calls = []
    inner = neighbours.NeighbourPosterior.held_out

    def interrupted(self, rows):
        calls.append(len(rows))
        if len(calls) == call:
            raise KeyboardInterrupt
        return inner(self, rows)

    monkeypatch.setattr(neighbours, "_BLOCK", 100)
    monkeypatch.setattr(neighbours.NeighbourPosterior, "held_out", interrupted)
    machine = GaussianProcessRegressor("rbf", method="neighbours", n_neighbors=30)
    with pytest.raises(KeyboardInterrupt, match="was interrupted and keeps"):
        machine.fit(X, y)
    assert len(calls) == call + 1  # the noise stays, and variances are corrected at once
    assert np.isfinite(machine.predict(NEW, return_std=True)).all()


@pytest.mark.parametrize("method", EVIDENCES)
def test_every_method_tells_of_its_progress_C2(method):
    items, targets, new, kernel = data_for(method)
    told = []
    with mercer.configure(progress=lambda done, total: told.append((done, total))):
        predictions(items, targets, new, kernel, method)
    assert told
    assert all(0 <= done <= total for done, total in told)
