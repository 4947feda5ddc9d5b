"""mercer.verify of pipelines: their last step, on the data as the steps before it see them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import svm
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, SVR, KernelRidge, L1VMRegressor, TableScaler, verify
from mercer.kernels import RBF, Hamming, On

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 4)) * [1.0, 10.0, 0.1, 5.0]
numbers = np.sin(X[:, 0]) + 0.1 * rng.normal(size=60)
labels = numbers > 0.0
w = np.where(np.arange(60) % 10 == 0, 0.0, 1.0)

LAST = {
    "SVC": (SVC(), labels),
    "their SVC": (svm.SVC(), labels),
    "SVR": (SVR(), numbers),
    "KernelRidge": (KernelRidge(0.1, kernel="rbf"), numbers),
    "L1VMRegressor": (L1VMRegressor(alpha=0.1), numbers),
}


@pytest.mark.parametrize(("machine", "y"), LAST.values(), ids=LAST)
def test_the_last_step_is_proved_on_transformed_data(machine, y):
    pipeline = make_pipeline(StandardScaler(), PCA(3), machine).fit(X, y)
    proof = verify(pipeline, X, y)
    assert proof.converged
    assert_allclose(proof.primal, verify(machine, pipeline[:-1].transform(X), y).primal)
    machine.dual_coef_ = 1.1 * machine.dual_coef_
    assert not verify(pipeline, X, y).converged


def test_weights_tables_and_pipelines_of_one_step_work_too():
    weighed = make_pipeline(StandardScaler(), SVR()).fit(X, numbers, svr__sample_weight=w)
    assert verify(weighed, X, numbers, w).converged
    assert verify(make_pipeline(SVC()).fit(X, labels), X, labels).converged
    table = {"a": X[:, 0], "b": X[:, 1], "kind": np.where(X[:, 2] > 0.0, "x", "y").tolist()}
    k = On(["a", "b"], RBF(1.0)) + On("kind", Hamming())
    assert verify(make_pipeline(TableScaler(), SVC(kernel=k)).fit(table, labels), table, labels).converged


def test_what_cannot_be_proved_is_refused():
    with pytest.raises(ValueError, match=r"model must be one of .*; got Ridge. A pipeline may end in one of these"):
        verify(make_pipeline(StandardScaler(), Ridge()).fit(X, numbers), X, numbers)
    with pytest.raises(NotFittedError):
        verify(make_pipeline(StandardScaler(), SVC()), X, labels)
