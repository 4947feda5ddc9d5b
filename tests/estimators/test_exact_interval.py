"""On landmarks a certificate has an interval for the optimum of the kernel itself; the exact fit lies in it (H1)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

import mercer
from mercer.estimators.training_data import low_rank
from mercer.kernels import RBF

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 3))
numbers = np.sin(X[:, 0]) + 0.1 * rng.normal(size=80)
classes = np.digitize(X[:, 1] + 0.3 * X[:, 0], [-0.5, 0.5])
MACHINES = {
    "svc": (mercer.SVC(C=3.0, tol=1e-6), classes),
    "penalised": (mercer.SVC(C=3.0, tol=1e-6, penalty_intercept=True), classes > 0),
    "svr": (mercer.SVR(C=3.0, epsilon=0.05, tol=1e-6), numbers),
    "softmax": (mercer.KernelLogisticRegression(C=2.0), classes),
    "logistic": (mercer.KernelLogisticRegression(C=2.0), classes > 0),
    "huber": (mercer.KernelRiskRegressor("huber"), numbers),
    "pinball": (mercer.KernelQuantileRegressor(), numbers),
}


def parts(machine):
    proof = machine.certificate_
    return proof.parts or (proof,)


@pytest.mark.parametrize("computed", [0, 100], ids=["bounded", "computed"])
@pytest.mark.parametrize("name", MACHINES)
def test_the_exact_optimum_lies_in_the_interval_H1(name, computed, monkeypatch):
    monkeypatch.setattr(low_rank, "_MORE", computed)
    machine, y = MACHINES[name]
    machine = clone(machine).set_params(kernel=RBF(1.0))
    exact = clone(machine).fit(X, y)
    assert exact.certificate_.exact is None
    for m in (5, 40):
        few = clone(machine).set_params(method="nystrom", n_landmarks=m).fit(X, y)
        for one, best in zip(parts(few), parts(exact), strict=True):
            low, high = one.exact
            assert low <= best.primal
            assert high >= best.dual
            assert low > 0.0
        assert "the optimum for the kernel itself lies between" in str(few.certificate_)
        assert_allclose(mercer.verify(few, X, y).exact, few.certificate_.exact, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", MACHINES)
def test_with_all_items_as_landmarks_the_interval_is_the_gap_H1(name):
    machine, y = MACHINES[name]
    few = clone(machine).set_params(kernel=RBF(1.0), method="nystrom", n_landmarks=80).fit(X, y)
    for one in parts(few):
        low, high = one.exact
        assert high - low <= one.gap + 1e-6 * high


def test_the_computed_interval_is_inside_the_bounded_one_H1(monkeypatch):
    machine = mercer.SVR(C=3.0, kernel=RBF(1.0), method="nystrom", n_landmarks=30)
    sharp = clone(machine).fit(X, numbers).certificate_.exact
    monkeypatch.setattr(low_rank, "_MORE", 0)
    wide = clone(machine).fit(X, numbers).certificate_.exact
    assert wide[0] < sharp[0]
    assert wide[1] == sharp[1]
