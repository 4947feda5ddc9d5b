"""Nothing of the items held out reaches what is fitted, and the best machine proves itself (M22)."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import SVC, KernelSearchCV
from mercer.kernels import RBF

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
    assert best.certificate_ is search.certificate_
    assert mercer.verify(best, items, y).relative_gap < 1e-2
    assert search.cv_results_["mean_gap"].shape == (2,)
    assert ((search.cv_results_["mean_gap"] >= 0.0) & (search.cv_results_["mean_gap"] < 1e-2)).all()
