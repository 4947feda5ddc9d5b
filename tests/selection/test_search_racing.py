"""Hopeless candidates are dropped on request, and the best cell is found all the same."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import SVC, KernelLogisticRegression, KernelSearchCV
from mercer.selection.racing import RISK, left_behind

X, y = make_classification(200, 6, n_informative=4, flip_y=0.05, class_sep=1.5, random_state=0)
GRID = {"C": [0.01, 1.0, 30.0], "gamma": [1e-3, 0.1, 30.0]}


def both(machine, grid, **settings):
    settings = {"cv": 8} | settings
    return [KernelSearchCV(machine, grid, eliminate=e, **settings).fit(X, y) for e in (True, False)]


@pytest.mark.parametrize(
    ("machine", "grid"),
    [
        (SVC(), GRID),
        (make_pipeline(StandardScaler(), SVC()), {f"svc__{name}": values for name, values in GRID.items()}),
        (KernelLogisticRegression(kernel="rbf"), {"gamma": [1e-3, 0.1, 100.0]}),
    ],
    ids=["chains", "pipeline", "single fits"],
)
def test_the_best_cell_is_found_with_fewer_fits(machine, grid):
    quick, whole = both(machine, grid)
    gone = quick.cv_results_["eliminated"]
    assert gone.any()
    assert not gone[quick.best_index_]
    assert quick.best_params_ == whole.best_params_
    assert_allclose(quick.best_score_, whole.best_score_, atol=1e-12)
    assert "eliminated" not in whole.cv_results_
    scores, all_scores = (np.array([s.cv_results_[f"split{f}_test_score"] for f in range(8)]).T for s in (quick, whole))
    ran = np.isfinite(scores)
    assert_allclose(scores[ran], all_scores[ran], atol=0.05)  # chains start elsewhere when some of them are dropped
    assert ran[~gone].all()
    assert (ran[gone].sum(axis=1) >= 3).all()
    assert not ran[gone].all(axis=1).any()
    assert (quick.cv_results_["rank_test_score"][gone] > quick.cv_results_["rank_test_score"][~gone].max()).all()


def test_each_gram_is_still_made_once():
    quick, whole = both(SVC(), GRID)
    assert quick.kernel_evaluations_ == whole.kernel_evaluations_


@pytest.mark.parametrize("memory", [2**19, 2 * 8 * 5 * 200 * 200, 2 * 8 * 6 * 200 * 200])
def test_memory_that_is_short_changes_the_order_and_not_the_best(memory):
    with mercer.configure(memory=memory):
        quick, whole = both(SVC(), GRID)
    assert quick.cv_results_["eliminated"].any()
    assert quick.best_params_ == whole.best_params_


def test_threads_do_not_decide_who_is_dropped():
    dropped = []
    for threads in (1, 3):
        with mercer.configure(threads=threads):
            dropped.append(both(SVC(), GRID)[0].cv_results_["eliminated"].tolist())
    assert dropped[0] == dropped[1]


def test_of_several_scores_the_one_that_refit_names_decides():
    quick, whole = both(SVC(), GRID, scoring=["accuracy", "roc_auc"], refit="roc_auc", return_train_score=True)
    assert quick.cv_results_["eliminated"].any()
    assert quick.best_params_ == whole.best_params_
    with pytest.raises(ValueError, match="name of one of the metrics"):
        both(SVC(), GRID, scoring=["accuracy", "roc_auc"], refit=False)


def test_halving_can_race_too():
    quick = KernelSearchCV(SVC(), GRID, cv=8, strategy="halving", eliminate=True, random_state=0).fit(X, y)
    assert len(quick.cv_results_["eliminated"]) == 9 + 3 + 1


def test_too_few_folds_drop_nobody():
    quick, whole = both(SVC(), GRID, cv=3)
    assert not quick.cv_results_["eliminated"].any()
    assert_allclose(quick.cv_results_["mean_test_score"], whole.cv_results_["mean_test_score"])


def test_the_risk_is_what_it_is_said_to_be():
    rng = np.random.default_rng(0)
    F, m, lost = 10, 4, []
    for d in rng.normal(0.3, 1.0, size=(20_000, F)):
        seen = np.where(np.arange(F) < m, d, np.nan)
        lost.append(left_behind(seen, False) and d.mean() < 0.0)
    assert np.mean(lost) < RISK


def test_who_is_level_or_ahead_stays():
    rest = [np.nan] * 4
    assert not left_behind(np.array([0.0, 0.0, 0.0, *rest]), False)
    assert not left_behind(np.array([-0.2, -0.1, -0.2, *rest]), False)
    assert not left_behind(np.array([0.3, 0.3, *rest]), False)
    assert left_behind(np.array([0.30, 0.31, 0.32, *rest]), False)
    assert not left_behind(np.array([0.30, 0.31, 0.32]), True)
