"""Leaving one item out in closed form: Gaussian processes and least squares on kernel columns (M31, M1, M2)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut

from mercer import GaussianProcessRegressor, KernelSearchCV, L2VMRegressor, RBFNetworkRegressor
from mercer.estimators.gaussian_process.posterior import RegressionPosterior
from mercer.kernels import RBF, Fixed, Matern
from mercer.solvers.least_squares import Spectral

rng = np.random.default_rng(0)
X = rng.normal(size=(24, 2))
y = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.2 * rng.normal(size=24) + 5.0
KERNELS = [RBF(1.0), Matern(0.7), RBF(1.0) + 0.3]


def process(**settings):
    return GaussianProcessRegressor(RBF(1.0), optimizer=None, **{"alpha": 0.1} | settings)


def both(machine, grid, targets=y, *, cv=None, items=X):
    settings = {"scoring": "neg_mean_squared_error", "cv": LeaveOneOut() if cv is None else cv}
    return [search(machine, grid, **settings).fit(items, targets) for search in (KernelSearchCV, GridSearchCV)]


def assert_alike(ours, theirs, rtol=1e-7):
    for name in (f"split{i}_test_score" for i in range(ours.n_splits_)):
        assert_allclose(ours.cv_results_[name], theirs.cv_results_[name], rtol=rtol, atol=1e-12)
    assert ours.best_params_ == theirs.best_params_


@pytest.fixture
def counted(monkeypatch):
    """How many factorisations were made."""
    calls = []
    for kind in (RegressionPosterior, Spectral):

        def counting(cls, *given, made=kind.of.__func__):
            calls.append(cls)
            return made(cls, *given)

        monkeypatch.setattr(kind, "of", classmethod(counting))
    return calls


@pytest.mark.parametrize(
    "settings",
    [{}, {"mean": "constant"}, {"noise": 0.05}, {"noise": Fixed(0.05), "mean": "zero"}, {"noise": None}],
    ids=str,
)
def test_processes_need_one_factorisation_for_each_candidate_M31(settings, counted):
    grid = {"alpha": [1e-3, 0.1, 1.0], "kernel": KERNELS}
    ours = KernelSearchCV(process(**settings), grid, cv=LeaveOneOut(), scoring="neg_mean_squared_error").fit(X, y)
    assert len(counted) == 9 + 1
    theirs = GridSearchCV(process(**settings), grid, cv=LeaveOneOut(), scoring="neg_mean_squared_error").fit(X, y)
    assert len(counted) > 9 * 24
    assert_alike(ours, theirs)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("machine", [L2VMRegressor, RBFNetworkRegressor])
def test_least_squares_need_one_factorisation_for_each_kernel_M2(machine, fit_intercept, counted):
    grid = {"alpha": [1e-6, 1e-2, 1.0, 100.0], "kernel": KERNELS}
    search = KernelSearchCV(machine(fit_intercept=fit_intercept), grid, cv=LeaveOneOut(), refit=False,
                            scoring="neg_mean_squared_error").fit(X, y)  # fmt: skip
    assert len(counted) == 3
    theirs = GridSearchCV(machine(fit_intercept=fit_intercept), grid, cv=LeaveOneOut(), refit=False,
                          scoring="neg_mean_squared_error").fit(X, y)  # fmt: skip
    assert_alike(search, theirs, rtol=1e-5)


def test_as_many_folds_as_items_and_a_gram_that_is_given():
    K = RBF(1.0)(X)
    for machine in (process(), L2VMRegressor()):
        machine.set_params(kernel="precomputed")
        assert_alike(*both(machine, {"alpha": [0.1, 1.0]}, cv=KFold(24, shuffle=True, random_state=0), items=K))


def test_several_targets():
    assert_alike(*both(process(), {"alpha": [0.1, 1.0]}, np.column_stack([y, X[:, 0]])))


def test_left_out_items_are_predicted_as_the_process_itself_says():
    search = KernelSearchCV(process(), {"alpha": [0.1]}, cv=LeaveOneOut(), scoring="neg_mean_absolute_error").fit(X, y)
    own = search.best_estimator_.leave_one_out().mean
    assert_allclose([search.cv_results_[f"split{i}_test_score"][0] for i in range(24)], -np.abs(y - own), rtol=1e-10)


@pytest.mark.parametrize(
    "machine",
    [process(normalize_y=True), process(noise="learn"), L2VMRegressor(RBF(1.0), alpha="evidence"),
     RBFNetworkRegressor(RBF(1.0), prototypes=X[:5]), RBFNetworkRegressor(RBF(1.0), alpha=0.1, optimise=True)],
    ids=["units", "noise", "evidence", "prototypes", "moved prototypes"],
)  # fmt: skip
def test_what_depends_on_the_items_that_stay_is_fitted_to_them(machine):
    assert_alike(*both(machine, {"kernel": [RBF(1.0), RBF(3.0)]}, y[:8], items=X[:8]))


def test_a_width_by_the_data_is_that_of_the_items_that_stay():
    assert_alike(*both(L2VMRegressor(), {"gamma": ["scale"], "alpha": [0.1, 1.0]}))


def test_a_covariance_that_needs_jitter_is_refitted_for_every_item(counted):
    repeated, settings = np.vstack([X[:6], X[:6]]), {"cv": LeaveOneOut(), "scoring": "neg_mean_squared_error"}
    ours = KernelSearchCV(process(alpha=0.0), {"kernel": [RBF(1.0)]}, **settings).fit(repeated, np.tile(y[:6], 2))
    assert len(counted) == 1 + 12 + 1
    theirs = GridSearchCV(process(alpha=0.0), {"kernel": [RBF(1.0)]}, **settings).fit(repeated, np.tile(y[:6], 2))
    assert_allclose(ours.best_score_, theirs.best_score_, atol=1e-8)
