"""Sums of windows over points: three methods against plain sums, within the stated error (S8, C11)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.solvers.density import Accuracy, Mixture, abramson, log_sums
from mercer.windows import NAMES, Epanechnikov, Gaussian

WINDOWS = {name: window for name, window in NAMES.items() if name not in ("tophat", "linear")}
rng = np.random.default_rng(0)


def rows(n, D, seed=0):
    return np.random.default_rng(seed).normal(size=(n, D))


def plain(mixture, Q):
    """The definition, in a loop over queries."""
    factor = np.ones(len(mixture)) if mixture.factor is None else mixture.factor
    found = []
    for q in Q:
        r = np.sqrt((((q - mixture.rows) / mixture.scale) ** 2).sum(axis=1)) / factor
        found.append(np.sum(mixture.weights * factor**-mixture.columns * mixture.window.profile(r)))
    return np.array(found)


@pytest.mark.parametrize("D", [1, 2, 4])
@pytest.mark.parametrize("name", WINDOWS)
def test_tree_equals_plain_sums_C11(name, D):
    w, factor = rng.uniform(0.5, 2.0, 300), rng.uniform(0.5, 2.0, 300)
    for chosen in (None, factor):
        mixture = Mixture(rows(300, D), np.full(D, 0.6), WINDOWS[name], w / w.sum(), chosen)
        Q = 1.5 * rows(40, D, 1)
        truth = plain(mixture, Q)
        for method in ("tree", "exact"):
            logs, cost = log_sums(mixture, Q, Accuracy(), method)
            assert cost.method == method
            assert_allclose(np.exp(logs), truth, rtol=1e-11, atol=1e-15)


@pytest.mark.parametrize("rtol", [1e-1, 1e-3, 1e-5])
@pytest.mark.parametrize(("D", "method"), [(1, "fft"), (2, "fft"), (1, "tree"), (2, "tree"), (5, "tree")])
def test_the_stated_error_is_kept_everywhere(D, method, rtol):
    X = np.concatenate([rows(600, D), 0.05 * rows(300, D, 3) + 2.0])
    mixture = Mixture(X, np.full(D, 0.35), Gaussian())
    Q = np.concatenate([X[::20], 3.0 * rows(60, D, 2), np.full((1, D), 30.0)])
    truth, _ = log_sums(mixture, Q, Accuracy(), "exact")
    logs, cost = log_sums(mixture, Q, Accuracy(rtol), method)
    assert cost.method == method
    assert np.abs(np.expm1(logs - truth)).max() <= rtol
    if method == "fft":
        assert cost.off_grid < len(Q) / 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_grid_with_weights_and_any_number_type(dtype):
    x, w = rows(5000, 1).astype(dtype), rng.uniform(0.0, 1.0, 5000)
    mixture = Mixture(x, np.array([0.1]), Gaussian(), w / w.sum())
    Q = np.linspace(-6.0, 6.0, 101)[:, None].astype(dtype)
    logs, _ = log_sums(mixture, Q, Accuracy(1e-4), "fft")
    assert_allclose(logs, log_sums(mixture, Q, Accuracy(), "exact")[0], atol=1e-4)


def test_far_tails_have_logarithms_S2():
    mixture = Mixture(rows(500, 2), np.full(2, 0.01), Gaussian())
    Q = np.array([[50.0, 0.0], [-80.0, 3.0]])
    truth = log_sums(mixture, Q, Accuracy(), "exact")[0]
    assert truth.max() < -1e6
    assert_allclose(log_sums(mixture, Q, Accuracy(1e-6), "tree")[0], truth, rtol=1e-10)


def test_leaving_points_out_equals_sums_without_them_S9():
    X = rows(200, 2)
    for window in (Gaussian(), Epanechnikov()):
        mixture = Mixture(X, np.full(2, 0.4), window)
        for method in ("tree", "exact"):
            logs, _ = log_sums(mixture, X, Accuracy(), method, np.arange(200))
            with np.errstate(divide="ignore"):
                others = [
                    np.log(plain(mixture.subset(np.delete(np.arange(200), i)), X[i : i + 1])[0]) for i in range(200)
                ]
            assert_allclose(logs, others, rtol=1e-9)


def test_cost_of_a_compact_window_is_sublinear_at_a_fixed_bandwidth_C11():
    costs = []
    for n in (2_000, 8_000, 32_000):
        mixture = Mixture(rows(n, 2), np.full(2, 0.5), Epanechnikov())
        logs, cost = log_sums(mixture, rows(100, 2, 9), Accuracy(), "tree")
        assert_allclose(logs, log_sums(mixture, rows(100, 2, 9), Accuracy(), "exact")[0], rtol=1e-9)
        costs.append(cost.values + cost.boxes)
    assert costs[1] < 3.0 * costs[0]  # of four times as many points
    assert costs[2] < 2.6 * costs[1]
    assert costs[2] < 0.1 * 100 * 32_000


@pytest.mark.parametrize("norm", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("form", ["radial", "product"])
def test_every_norm_and_form_integrates_to_one_S4(norm, form):
    side = np.linspace(-3.0, 3.0, 241)
    Q = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    for window in (NAMES["gaussian"], NAMES["triweight"]):
        mixture = Mixture(np.zeros((1, 2)), np.array([0.5, 0.4]), window, form=form, norm=norm)
        logs, _ = log_sums(mixture, Q, Accuracy(), "exact")
        assert np.exp(logs + mixture.log_constant).sum() * (side[1] - side[0]) ** 2 == pytest.approx(1.0, rel=6e-3)


def test_abramson_widens_windows_where_points_are_rare():
    factor = abramson(np.log([4.0, 1.0, 0.25]), np.full(3, 1 / 3))
    assert_allclose(factor, [0.5, 1.0, 2.0])


def test_a_method_that_is_not_open_is_refused():
    mixture = Mixture(rows(50, 4), np.ones(4), Gaussian())
    with pytest.raises(ValueError, match="method='fft' must be used with the Gaussian"):
        log_sums(mixture, rows(5, 4), Accuracy(1e-3), "fft")
    with pytest.raises(ValueError, match="method='tree' must be used with a radial window"):
        log_sums(Mixture(rows(50, 2), np.ones(2), Epanechnikov(), form="product"), rows(5, 2), Accuracy(), "tree")
