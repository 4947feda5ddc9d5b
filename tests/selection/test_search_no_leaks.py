"""Nothing of the items held out reaches what is fitted, and the best machine proves itself (M22)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.feature_selection import SelectKBest
from sklearn.metrics import make_scorer
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import SVC, SVR, KernelRidge, KernelSearchCV
from mercer import GaussianProcessRegressor as Gp
from mercer.kernels import RBF, Matern

rng = np.random.default_rng(0)


def test_columns_chosen_by_the_targets_of_a_fold_say_nothing_of_noise():
    X, y = rng.normal(size=(60, 1000)), np.arange(60) % 2
    grid = {"svc__C": [0.1, 1.0, 10.0]}
    honest = KernelSearchCV(make_pipeline(SelectKBest(k=10), SVC(kernel=RBF(3.0))), grid, cv=5).fit(X, y)
    chosen = SelectKBest(k=10).fit_transform(X, y)
    leaked = KernelSearchCV(SVC(kernel=RBF(3.0)), {"C": [0.1, 1.0, 10.0]}, cv=5).fit(chosen, y)
    assert honest.best_score_ < 0.7 < 0.8 < leaked.best_score_
    assert cross_val_score(KernelSearchCV(honest.estimator, grid, cv=3), X, y, cv=3).mean() < 0.7


@pytest.mark.parametrize("machine", [SVC(), make_pipeline(StandardScaler(), SVC())], ids=["machine", "pipeline"])
def test_the_best_machine_carries_its_certificate(machine):
    X, y = rng.normal(size=(80, 3)), np.arange(80) % 2
    alone = isinstance(machine, SVC)
    search = KernelSearchCV(machine, {"C" if alone else "svc__C": [0.1, 1.0]}, cv=3).fit(X, y)
    best, items = search.best_estimator_, X
    if not alone:
        best, items = best[-1], best[:-1].transform(X)
    assert best.certificate_ == search.certificate_
    assert mercer.verify(best, items, y).relative_gap < 1e-2
    assert search.cv_results_["mean_gap"].shape == (2,)
    assert ((search.cv_results_["mean_gap"] >= 0.0) & (search.cv_results_["mean_gap"] < 1e-2)).all()


MARK = 99.0  # the target of an item that is not scored


def error_of_others(target, predicted):
    known = target != MARK
    return -float(np.mean((target[known] - predicted[known]) ** 2))


def numbers():
    """Items whose first is held out in the first split, and not scored."""
    X = np.random.default_rng(1).normal(size=(60, 3)) * [1.0, 10.0, 0.1]
    y = np.sin(X[:, 0]) + 0.1 * np.random.default_rng(2).normal(size=60)
    y[0] = MARK
    return X, y


SEARCHES = {
    "pipeline of SVR": (make_pipeline(StandardScaler(), SVR(tol=1e-6)), {"svr__C": [1.0, 10.0]}),
    "linear SVR": (make_pipeline(StandardScaler(), SVR(kernel="linear", tol=1e-6)), {"svr__C": [0.1, 1.0]}),
    "polynomial": (make_pipeline(StandardScaler(), SVR(kernel="poly", degree=2, tol=1e-6)), {"svr__C": [0.1, 1.0]}),
    "ridge": (make_pipeline(StandardScaler(), KernelRidge(kernel="rbf")), {"kernelridge__alpha": [0.1, 1.0]}),
    "linear ridge": (make_pipeline(StandardScaler(), KernelRidge()), {"kernelridge__alpha": [0.1, 1.0]}),
    "process": (make_pipeline(StandardScaler(), Gp(RBF(1.0), alpha=0.1, optimizer=None)),
                {"gaussianprocessregressor__kernel": [RBF(1.0), Matern(2.0)]}),
    "libsvm": (SVR(tol=1e-6, C=1.0), "libsvm"),
}  # fmt: skip


@pytest.mark.parametrize("wild", [1e3, 1e6])
@pytest.mark.parametrize("name", SEARCHES)
def test_a_wild_item_that_is_held_out_changes_nothing_for_the_others_M22(name, wild):
    """Neither through the scaler, nor through what folds share."""
    (X, y), (machine, grid) = numbers(), SEARCHES[name]
    spoiled, first = X.copy(), [(np.arange(20, 60), np.arange(20))]
    spoiled[0] = wild
    scoring = make_scorer(error_of_others)
    strategy = {"strategy": "random", "n_iter": 12, "random_state": 0} if name == "libsvm" else {}
    tame, told = (
        KernelSearchCV(machine, grid, cv=first, scoring=scoring, refit=False, **strategy).fit(items, y).cv_results_
        for items in (X, spoiled)
    )
    assert_allclose(told["mean_test_score"], tame["mean_test_score"], rtol=5e-3)


def test_scores_are_those_of_a_loop_that_scales_by_the_training_items_M22():
    X, y = numbers()
    y[0], X[:, 1] = 0.0, np.exp(2.0 * X[:, 2] / 0.1)  # a column whose deviation differs from fold to fold
    folds = KFold(4)
    search = KernelSearchCV(SVR(tol=1e-4), "libsvm", cv=folds, strategy="random", n_iter=20, random_state=3)
    search.set_params(scoring="neg_mean_squared_error").fit(X, y)
    seen = False
    moderate = [(s, params) for s, params in enumerate(search.cv_results_["params"]) if params["C"] < 40.0]
    assert len(moderate) > 5
    for s, params in moderate:
        for f, (train, test) in enumerate(folds.split(X)):
            scores = []
            for fitted_to in (train, np.arange(60)):
                scaler = StandardScaler().fit(X[fitted_to])
                machine = SVR(tol=1e-4, **params).fit(scaler.transform(X[train]), y[train])
                scores.append(-np.mean((machine.predict(scaler.transform(X[test])) - y[test]) ** 2))
            assert_allclose(search.cv_results_[f"split{f}_test_score"][s], scores[0], rtol=1e-2)
            seen |= abs(scores[1] / scores[0] - 1.0) > 0.05
    assert seen  # a scaler that had seen all items would be noticed
