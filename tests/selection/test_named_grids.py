"""Grids by name: the median heuristic and alignment as cheap starts of a search (M22)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes, load_wine, make_moons
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, SVR, GaussianProcessRegressor, KernelRidge, KernelSearchCV, OneClassSVM, median_lengthscale
from mercer.kernels import RBF, Linear, Matern, Periodic
from mercer.selection.named_grids import ALIGNED, COSTS, TIMES, aligned_lengthscales, named_grid

moons = make_moons(150, noise=0.25, random_state=0)
wine = load_wine(return_X_y=True)
Xr, yr = load_diabetes(return_X_y=True)
Xr, yr = Xr[:120], (yr[:120] - 150.0) / 75.0


@pytest.mark.parametrize("data", [moons, wine], ids=["moons", "wine"])
def test_it_finds_what_the_110_points_find_with_a_third_of_the_fits_M22(data):
    whole, auto = (KernelSearchCV(SVC(), name, cv=3).fit(*data) for name in ("libsvm", "auto"))
    assert auto.best_score_ >= whole.best_score_ - 0.01
    assert 3 * len(auto.cv_results_["params"]) < len(whole.cv_results_["params"]) == 110
    assert [name for name, _ in auto.best_estimator_.steps] == ["scale", "machine"]


def test_units_of_the_columns_do_not_matter():
    units = np.array([1000.0, 0.001])
    near, far = (KernelSearchCV(SVC(), "auto", cv=3).fit(X, moons[1]) for X in (moons[0], moons[0] * units))
    assert_allclose(near.best_params_["gamma"], far.best_params_["gamma"])
    assert_allclose(near.cv_results_["mean_test_score"], far.cv_results_["mean_test_score"], atol=0.02)


def test_lengthscales_that_say_little_of_the_targets_are_left_out():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 10))
    middle, smooth = median_lengthscale(X), X[:, 0]
    found = aligned_lengthscales(RBF(1.0), X, smooth)
    assert set(found) < {middle * times for times in TIMES}
    assert min(found) > middle * min(TIMES)  # at an eighth of the median distance all items are strangers
    assert 0.0 < ALIGNED < 1.0
    assert aligned_lengthscales(RBF(1.0), X, None) == [middle * times for times in TIMES]


def test_labels_are_names_also_where_they_are_numbers():
    X, y = wine
    grids = [named_grid("auto", SVC(), X, labels) for labels in (y, y.astype(float), np.array(["a", "c", "b"])[y])]
    assert grids[0] == grids[1] == grids[2]


@pytest.mark.parametrize(
    ("machine", "axes"),
    [
        (SVR(), {"C", "gamma"}),
        (KernelRidge(kernel="rbf"), {"alpha", "gamma"}),
        (KernelRidge(kernel=Matern(1.0)), {"alpha", "kernel__lengthscale"}),
        (GaussianProcessRegressor(RBF(1.0), optimizer=None), {"alpha", "kernel__lengthscale"}),
        (make_pipeline(StandardScaler(), PCA(4), SVR(kernel=RBF(1.0))), {"svr__C", "svr__kernel__lengthscale"}),
    ],
    ids=["SVR", "ridge", "kernel object", "process", "pipeline"],
)
def test_any_machine_with_a_lengthscale(machine, axes):
    search = KernelSearchCV(machine, "auto", cv=3).fit(Xr, yr)
    assert set(search.best_params_) == axes
    assert search.best_score_ > 0.3
    assert len(search.cv_results_["params"]) <= len(TIMES) * len(COSTS)


def test_the_simpler_of_two_comes_first():
    grid = named_grid("auto", KernelRidge(kernel="rbf"), Xr, yr)
    assert grid["gamma"] == sorted(grid["gamma"])
    assert grid["alpha"] == sorted(grid["alpha"], reverse=True)
    assert len(named_grid("auto", OneClassSVM(), Xr, None)["gamma"]) == len(TIMES)


@pytest.mark.parametrize("kernel", [Linear(), "poly", "precomputed", Periodic(1.0) + Linear()], ids=str)
def test_kernels_without_a_lengthscale_are_refused(kernel):
    with pytest.raises(ValueError, match="lengthscale for the grid 'auto'"):
        KernelSearchCV(SVC(kernel=kernel), "auto").fit(*moons)
