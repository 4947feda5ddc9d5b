"""Grids by name, random search and successive halving."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from scipy.stats import loguniform
from sklearn.datasets import make_classification, make_regression
from sklearn.model_selection import GridSearchCV, KFold, ParameterSampler, ShuffleSplit, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from mercer import SVC, SVR, KernelRidge, KernelSearchCV
from mercer.kernels import RBF
from mercer.selection.grids import LIBSVM
from mercer.selection.halving import shares_of

X, y = make_classification(120, 6, n_informative=4, flip_y=0.1, random_state=0)
X = X * np.array([1.0, 100.0, 0.01, 1.0, 1.0, 1.0]) + 7.0
SMALL = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0]}


@pytest.fixture(scope="module")
def search():
    """The search over the grid of that name."""
    return KernelSearchCV(SVC(), "libsvm", cv=2).fit(X, y)


def test_the_grid_of_libsvm_has_110_points_M22(search):
    params = search.cv_results_["params"]
    assert len(params) == 110
    assert sorted({p["gamma"] for p in params}) == [2.0**e for e in range(-15, 4, 2)]
    assert sorted({p["C"] for p in params}) == [2.0**e for e in range(-5, 16, 2)]


def test_it_scales_within_folds_M22(search):
    grid = {f"svc__{name}": values[::3] for name, values in LIBSVM.items()}
    other = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=2).fit(X, y)
    scores = {(p["C"], p["gamma"]): s for p, s in
              zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True)}  # fmt: skip
    theirs = other.cv_results_
    mine = [scores[p["svc__C"], p["svc__gamma"]] for p in theirs["params"]]
    assert_allclose(mine, theirs["mean_test_score"], atol=0.02)
    assert isinstance(search.best_estimator_, Pipeline)
    assert set(search.best_params_) == {"C", "gamma"}
    assert search.score(X, y) > 0.8


def test_equal_scores_go_to_the_smaller_C_and_then_to_the_smaller_gamma_M22(search):
    results = search.cv_results_
    best = results["mean_test_score"] == results["mean_test_score"].max()
    tied = [(p["C"], p["gamma"]) for p, b in zip(results["params"], best, strict=True) if b]
    assert (search.best_params_["C"], search.best_params_["gamma"]) == min(tied)


def test_a_pipeline_keeps_its_own_steps():
    pipe = Pipeline([("fit in", MinMaxScaler()), ("machine", SVC())])
    search = KernelSearchCV(pipe, "libsvm", cv=2).fit(X, y)
    assert [name for name, _ in search.best_estimator_.steps] == ["fit in", "machine"]
    assert set(search.best_params_) == {"machine__C", "machine__gamma"}


def test_the_choice_is_reproducible_by_seed_M22():
    folds = [StratifiedKFold(3, shuffle=True, random_state=7) for _ in range(2)]
    first, second = (KernelSearchCV(SVC(), SMALL, cv=cv).fit(X, y) for cv in folds)
    assert first.best_params_ == second.best_params_
    assert_array_equal(first.cv_results_["mean_test_score"], second.cv_results_["mean_test_score"])


@pytest.mark.parametrize("machine", [SVC(kernel=RBF(1.0)), KernelRidge(kernel="rbf"), SVC(kernel="precomputed")])
def test_the_grid_of_libsvm_is_refused_where_it_would_do_nothing(machine):
    with pytest.raises(ValueError, match="C and gamma"):
        KernelSearchCV(machine, "libsvm").fit(X, y)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"param_grid": "libsvn"}, "'libsvm'"),
        ({"strategy": "luck"}, "strategy must be one of"),
        ({"cv": []}, "split"),
        ({"n_iter": 0}, "n_iter must be an integer >= 1"),
        ({"factor": 1}, "factor must be an integer >= 2"),
        ({"time_limit": "soon"}, "time_limit must be seconds"),
    ],
    ids=["grid", "strategy", "folds", "draws", "factor", "time"],
)
def test_what_is_not_known_is_refused(settings, says):
    with pytest.raises(ValueError, match=says):
        KernelSearchCV(**{"estimator": SVC(), "param_grid": SMALL} | settings).fit(X, y)


def test_sparse_rows_are_scaled_without_being_centred_M22():
    sparse = csr_matrix(np.where(np.abs(X - 7.0) < 0.5, 0.0, X))
    for grid in ("libsvm", "auto"):
        ours = KernelSearchCV(SVC(), grid, cv=2, strategy="random", n_iter=9, random_state=0).fit(sparse, y)
        dense = KernelSearchCV(SVC(), grid, cv=2, strategy="random", n_iter=9, random_state=0).fit(sparse.toarray(), y)
        assert_allclose(ours.cv_results_["mean_test_score"], dense.cv_results_["mean_test_score"], atol=0.02)
        assert_array_equal(ours.predict(sparse), dense.predict(sparse.toarray()))


def test_other_estimators_are_refused():
    from sklearn.linear_model import LogisticRegression

    with pytest.raises(ValueError, match=r"kernel machine.*GridSearchCV"):
        KernelSearchCV(LogisticRegression(), {"C": [1.0]}).fit(X, y)


def test_random_search_draws_what_scikit_learn_draws():
    space = {"C": loguniform(1e-2, 1e2), "gamma": loguniform(1e-3, 1.0)}
    search = KernelSearchCV(SVC(), space, strategy="random", n_iter=7, random_state=3, cv=3).fit(X, y)
    assert search.cv_results_["params"] == list(ParameterSampler(space, 7, random_state=3))


def test_halving_tries_all_settings_on_few_items_and_few_on_all():
    search = KernelSearchCV(SVC(), SMALL, strategy="halving", factor=3, cv=3, random_state=0).fit(X, y)
    results = search.cv_results_
    rungs = [int(np.sum(results["iter"] == r)) for r in range(3)]
    assert rungs == [9, 3, 1]
    sizes = [int(results["n_resources"][results["iter"] == r][0]) for r in range(3)]
    assert sizes[0] < sizes[1] < sizes[2] == len(y)
    assert results["iter"][search.best_index_] == 2
    whole = KernelSearchCV(SVC(), SMALL, cv=3).fit(X, y)
    same = whole.cv_results_["params"].index(search.best_params_)
    assert_allclose(search.best_score_, whole.cv_results_["mean_test_score"][same], atol=1e-12)


@pytest.mark.parametrize("cv", [KFold(5, shuffle=True, random_state=0), ShuffleSplit(4, test_size=0.2, random_state=0)])
def test_halving_leaves_items_of_every_class_on_both_sides_of_every_split(cv):
    some = np.random.default_rng(0).permutation(len(y))[:60]
    search = KernelSearchCV(SVC(), "libsvm", strategy="halving", cv=cv).fit(X[some], y[some])  # warnings are errors
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_halving_of_regressions_and_of_a_precomputed_gram():
    Xr, yr = make_regression(100, 4, noise=5.0, random_state=0)
    yr = yr / yr.std()
    grid = {"alpha": [0.01, 1.0, 100.0, 1e4]}
    search = KernelSearchCV(KernelRidge(kernel="precomputed"), grid, strategy="halving", cv=3).fit(RBF(3.0)(Xr), yr)
    assert search.best_params_["alpha"] < 1e4
    assert search.cv_results_["iter"].max() == 2
    KernelSearchCV(SVR(), {"C": [0.1, 1.0, 10.0]}, strategy="halving", cv=3).fit(Xr, yr)


def test_every_rung_has_a_factor_more_items():
    assert_allclose(shares_of(9, 3), [1 / 9, 1 / 3, 1.0])
    assert shares_of(1, 3) == [1.0]
    assert_allclose(shares_of(10, 3)[-1], 1.0)
