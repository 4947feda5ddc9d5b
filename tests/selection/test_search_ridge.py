"""Kernel ridge regressions: all alphas and folds of a kernel at once, and leaving one out in closed form (M10)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.model_selection import GridSearchCV, LeaveOneOut

from mercer import KernelRidge, KernelSearchCV
from mercer.estimators.ridge import shared_fits
from mercer.kernels import RBF

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 3))
y = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.2 * rng.normal(size=90) + 5.0
GRID = {"alpha": [1e-6, 1e-3, 0.1, 10.0, 1e4], "gamma": [0.001, 0.1, 10.0]}


def both(machine, data, grid=GRID, *, options=None, **settings):
    settings = {"scoring": "neg_mean_squared_error"} | settings
    return [
        search(machine, grid, **settings).fit(*data, **(options or {})) for search in (KernelSearchCV, GridSearchCV)
    ]


def assert_alike(ours, theirs, rtol=1e-3):
    assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], rtol=rtol)
    assert ours.best_params_ == theirs.best_params_


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("weight", [None, rng.integers(0, 3, 90).astype(float)], ids=["equal", "weighted"])
def test_alphas_and_folds_at_once(fit_intercept, weight):
    options = {} if weight is None else {"sample_weight": weight}
    machine = KernelRidge(kernel="rbf", fit_intercept=fit_intercept)
    ours, theirs = both(machine, (X, y), return_train_score=True, options=options)
    assert_alike(ours, theirs)
    train = "mean_train_score"
    assert_allclose(ours.cv_results_[train], theirs.cv_results_[train], rtol=1e-3, atol=1e-5)
    assert (ours.cv_results_["mean_gap"] < 1e-6).all()


def test_several_targets():
    assert_alike(*both(KernelRidge(kernel="rbf"), (X, np.column_stack([y, X[:, 2], np.zeros(90)]))))


def test_constant_targets_and_folds_of_their_own():
    folds = [(np.arange(40), np.arange(40, 90)), (np.arange(30, 90), np.arange(20))]
    assert_alike(*both(KernelRidge(kernel="rbf"), (X, y), cv=folds))
    constant = KernelSearchCV(KernelRidge(kernel="rbf", fit_intercept=True), GRID, scoring="neg_mean_squared_error")
    assert_allclose(constant.fit(X, np.full(90, 7.0)).cv_results_["mean_test_score"], 0.0, atol=1e-20)


def test_what_the_products_leave_open_is_factorised(monkeypatch):
    calls = []
    factorise = shared_fits._factorised
    monkeypatch.setattr(shared_fits, "MOST", 0)
    monkeypatch.setattr(shared_fits, "_factorised", lambda *given: calls.append(1) or factorise(*given))
    assert_alike(*both(KernelRidge(kernel="rbf", fit_intercept=True), (X, y), {"alpha": [1e-9, 1.0], "gamma": [0.5]}))
    assert len(calls) == 10


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_leaving_one_out_needs_no_refits(fit_intercept, monkeypatch):
    monkeypatch.setattr(shared_fits, "solve_batched", None)
    grid = {"alpha": [1e-3, 0.1, 10.0], "gamma": [0.01, 0.1]}
    machine = KernelRidge(kernel="rbf", fit_intercept=fit_intercept)
    ours, theirs = both(machine, (X[:40], y[:40]), grid, cv=LeaveOneOut())
    assert_alike(ours, theirs, rtol=1e-8)


def test_left_out_items_are_predicted_as_the_machine_itself_says():
    search = KernelSearchCV(KernelRidge(kernel=RBF(1.0)), {"alpha": [0.1]}, cv=LeaveOneOut(),
                            scoring="neg_mean_absolute_error").fit(X, y)  # fmt: skip
    own = KernelRidge(0.1, kernel=RBF(1.0)).fit(X, y).leave_one_out()
    scores = [search.cv_results_[f"split{i}_test_score"][0] for i in range(90)]
    assert_allclose(scores, -np.abs(y - own), rtol=1e-8)


def test_weights_are_left_out_one_by_one_with_refits():
    weight = rng.integers(1, 3, 30).astype(float)
    grid = {"alpha": [0.1, 1.0]}
    ours, theirs = both(KernelRidge(kernel="rbf"), (X[:30], y[:30]), grid, cv=LeaveOneOut(),
                        options={"sample_weight": weight})  # fmt: skip
    assert_alike(ours, theirs)


def test_several_candidates_of_alpha_choose_by_themselves():
    assert_alike(*both(KernelRidge(kernel="rbf"), (X, y), {"alpha": [(0.1, 1.0), (1.0, 10.0)], "gamma": [0.1]}))
