"""Grids by name: the median heuristic and alignment as cheap starts of a search (M22)."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_wine, make_moons
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import SVC, SVR, GaussianProcessRegressor, KernelRidge, KernelSearchCV, OneClassSVM, median_lengthscale
from mercer.kernels import RBF, Linear, Matern, Periodic
from mercer.selection.grids import ALIGNED, COSTS, TIMES, aligned_lengthscales, named_grid

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


@pytest.mark.parametrize("where", ["one entry", "one row", "one target"])
def test_one_wild_number_does_not_spoil_it(where):
    X, y = Xr.copy(), yr.copy()
    if where == "one entry":
        X[17, 3] = 1e9
    elif where == "one row":
        X[17] = 1e6
    else:
        y[17] = 1e6
    tame, wild = named_grid("auto", SVR(), Xr, yr), named_grid("auto", SVR(), X, y)
    assert_allclose(wild["gamma"], tame["gamma"], rtol=0.1)
    if where != "one target":  # which is in the scores themselves
        best = KernelSearchCV(SVR(), "auto", cv=3, scoring="r2").fit(X, y).best_score_
        assert best > KernelSearchCV(SVR(), "auto", cv=3, scoring="r2").fit(Xr, yr).best_score_ - 0.05


def test_its_scaler_can_be_cloned_pickled_and_saved(tmp_path):
    search = KernelSearchCV(SVC(), "auto", cv=3).fit(*moons)
    mercer.save(search.best_estimator_, tmp_path / "model.mercer")
    for again in (pickle.loads(pickle.dumps(search)), mercer.load(tmp_path / "model.mercer")):
        assert_array_equal(again.predict(moons[0]), search.predict(moons[0]))
    assert_array_equal(clone(search.best_estimator_).fit(*moons).predict(moons[0]), search.predict(moons[0]))


def test_names_of_columns_are_kept():
    import pandas as pd

    table = pd.DataFrame(moons[0], columns=["east", "north"])
    search = KernelSearchCV(SVC(), "auto", cv=3).fit(table, moons[1])
    assert list(search.feature_names_in_) == ["east", "north"]
    assert_array_equal(search.predict(table), KernelSearchCV(SVC(), "auto", cv=3).fit(*moons).predict(moons[0]))


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
