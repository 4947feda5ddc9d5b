"""Settings by their evidence, and pipelines of tables."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    SVC,
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    KernelSearchCV,
    NotConverged,
    RVMRegressor,
)
from mercer.estimators.table_scaler import TableScaler
from mercer.kernels import RBF, Hamming, Linear, On

rng = np.random.default_rng(0)
X = rng.uniform(-3.0, 3.0, (60, 1))
y = np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=60)
KERNELS = [RBF(0.7), RBF(0.01), Linear()]
MACHINES = [
    GaussianProcessRegressor(noise=0.01, optimizer=None),
    RVMRegressor(),
    make_pipeline(StandardScaler(), GaussianProcessRegressor(noise=0.01, optimizer=None)),
]


@pytest.mark.parametrize("machine", MACHINES, ids=["gp", "rvm", "pipeline"])
def test_the_setting_of_largest_evidence_is_taken(machine):
    name = "gaussianprocessregressor__kernel" if hasattr(machine, "steps") else "kernel"
    search = KernelSearchCV(machine, {name: KERNELS}, strategy="evidence").fit(X, y)
    fits = [clone(machine).set_params(**{name: k}).fit(X, y) for k in KERNELS]
    last = [fit[-1] if hasattr(fit, "steps") else fit for fit in fits]
    evidence = [getattr(m, "log_evidence_", getattr(m, "log_marginal_likelihood_value_", None)) for m in last]
    assert_allclose(search.cv_results_["mean_test_score"], evidence, rtol=1e-6)
    assert search.best_params_[name] == KERNELS[0]
    assert search.score(X, y) > 0.9


def test_classifiers_have_an_evidence_too():
    labels = np.sin(2.0 * X[:, 0]) > 0.0
    machine = GaussianProcessClassifier(optimizer=None)
    search = KernelSearchCV(machine, {"kernel": [2.0 * RBF(50.0), 2.0 * RBF(0.7)]}, strategy="evidence").fit(X, labels)
    assert search.best_index_ == 1


def test_the_best_by_evidence_is_not_fitted_twice(monkeypatch):
    fits = []
    real = RVMRegressor.fit
    monkeypatch.setattr(RVMRegressor, "fit", lambda self, *given: fits.append(self) or real(self, *given))
    search = KernelSearchCV(RVMRegressor(), {"kernel": KERNELS}, strategy="evidence").fit(X, y)
    assert len(fits) == len(KERNELS)
    assert search.best_estimator_ is fits[search.best_index_]
    assert search.refit_time_ == search.cv_results_["mean_fit_time"][search.best_index_]


def test_a_machine_without_evidence_is_refused():
    with pytest.raises(ValueError, match=r"evidence.*SVC"):
        KernelSearchCV(SVC(), {"C": [1.0]}, strategy="evidence").fit(X, y > 0.0)


def test_when_time_is_up_the_settings_that_were_fitted_count():
    search = KernelSearchCV(MACHINES[0], {"kernel": KERNELS}, strategy="evidence", time_limit=1e-9)
    with pytest.warns(NotConverged, match="after 1 of 3 settings"):
        search.fit(X, y)
    assert len(search.cv_results_["params"]) == 1
    assert search.best_index_ == 0


@pytest.mark.parametrize("form", ["dict", "frame"])
def test_tables_are_scaled_by_the_training_rows_of_each_fold(form):
    columns = {
        "age": rng.uniform(20.0, 80.0, 90),
        "pay": rng.lognormal(8.0, 1.0, 90),
        "job": rng.choice(["a", "b"], 90),
    }
    columns["age"][::9] = np.nan
    labels = (columns["pay"] > np.median(columns["pay"])) ^ (columns["job"] == "a")
    frame = pytest.importorskip("pandas").DataFrame(columns)
    table = {name: list(values) for name, values in columns.items()} if form == "dict" else frame
    kernel = On(["age", "pay"], RBF(1.0)) + On("job", Hamming())
    pipe = make_pipeline(TableScaler(output="table"), SVC(kernel=kernel))
    folds = list(KFold(3).split(np.zeros(90)))
    grid = {"svc__C": [0.1, 1.0, 10.0], "svc__kernel": [kernel, On(["age"], RBF(0.5))]}
    ours = KernelSearchCV(pipe, grid, cv=folds).fit(table, labels)
    theirs = GridSearchCV(pipe, grid, cv=folds).fit(frame, labels)
    assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=0.02)
    assert ours.best_params_ == theirs.best_params_
    assert np.mean(ours.predict(table) == theirs.predict(frame)) > 0.98
