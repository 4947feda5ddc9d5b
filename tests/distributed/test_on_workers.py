"""D1: machines whose passes, cells and leaves are tasks of two real workers answer like those on arrays."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from mercer import (
    SVC,
    SVR,
    GaussianProcessRegressor,
    KernelKMeans,
    KernelLogisticRegression,
    KernelRidge,
    RFMClassifier,
    RFMRegressor,
)
from mercer.distributed import Rows
from mercer.distributed.matrix import SpreadMatrix
from mercer.distributed.rows import Shared
from mercer.gram import tall
from mercer.kernels import RBF, Matern

from .conftest import cluster_of

da = pytest.importorskip("dask.array")

LOW = {"kernel": RBF(2.0), "method": "nystrom", "n_landmarks": 15}
CELLS = {"kernel": RBF(2.0), "method": "cells", "cell_rows": 260, "n_landmarks": 15}
RFM = {"max_leaf": 260, "metric_rows": 50, "rounds": 1}
PROCESS = {"kernel": 1.0 * Matern(1.0, nu=1.5), "noise": 0.1}
MACHINES = {  # those of many passes make one step: the path is the same
    "SVC": (SVC(max_iter=1, **LOW), "labels", "decision_function"),
    "SVR": (SVR(max_iter=1, squared=True, **LOW), "y", "predict"),
    "KernelLogisticRegression": (KernelLogisticRegression(max_iter=1, **LOW), "labels", "predict_proba"),
    "KernelKMeans": (KernelKMeans(2, n_init=1, max_iter=1, random_state=0, **LOW), None, "transform"),
    "SVC-cells": (SVC(**CELLS), "labels", "decision_function"),
    "SVR-cells": (SVR(**CELLS), "y", "predict"),
    "KernelRidge-cells": (KernelRidge(0.1, **CELLS), "y", "predict"),
    "GaussianProcessRegressor-sgpr": (
        GaussianProcessRegressor(method="sgpr", n_inducing=20, optimizer=None, **PROCESS), "y", "predict",
    ),
    "GaussianProcessRegressor-neighbours": (
        GaussianProcessRegressor(method="neighbours", n_neighbors=15, optimizer=None, **PROCESS), "y", "predict",
    ),
    "RFMRegressor": (RFMRegressor(**RFM), "y", "predict"),
    "RFMClassifier": (RFMClassifier(**RFM), "labels", "predict_proba"),
}  # fmt: skip
SAME_BITS = ("KernelLogisticRegression", "GaussianProcessRegressor-sgpr", "RFMRegressor")


@pytest.fixture(scope="module")
def answers():
    """What machines on two workers have answered."""
    return {}


def data(kind):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(512, 3)) + 4.0 * (np.arange(512) % 2)[:, None]
    y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.normal(size=len(X))
    target = {"y": y, "labels": (y > np.median(y)).astype(int), None: None}[kind]
    return X, () if target is None else (target,)


def answer(name):
    machine, kind, method = MACHINES[name]
    X, target = data(kind)
    D = da.from_array(X, chunks=((200, 0, 311, 1), 3))  # unequal, and one without rows
    with pytest.MonkeyPatch.context() as patch:
        if getattr(machine, "method", "") == "nystrom":
            patch.setattr(tall, "FEW", 0)  # so few features would come here
        far = clone(machine).fit(D, *(da.from_array(t, chunks=(D.chunks[0],)) for t in target))
    found = getattr(far, method)(D)
    assert isinstance(found, da.Array)
    return found.compute()


@pytest.mark.filterwarnings("ignore:.*(stopped early|ended after max_iter)")
@pytest.mark.parametrize("name", MACHINES)
def test_D1_passes_cells_and_leaves_on_workers_equal_threads(name, client, answers):
    machine, kind, method = MACHINES[name]
    X, target = data(kind)
    answers[name] = found = answer(name)
    wanted = getattr(clone(machine).fit(X, *target), method)(X)
    assert_allclose(found, wanted, rtol=1e-8, atol=1e-8)


@pytest.mark.filterwarnings("ignore:.*stopped early")
def test_D3_same_bits_with_one_worker(client, answers):
    wanted = {name: answers[name] if name in answers else answer(name) for name in SAME_BITS}
    one = cluster_of(1)
    try:
        with one.as_current():
            for name in SAME_BITS:
                assert np.array_equal(answer(name), wanted[name]), name
    finally:
        one.cluster.close()
        one.close()


def _doubled(block, factor):
    return factor * block.X


def test_D3_rows_and_values_that_workers_lost_are_made_and_sent_again(client):
    from distributed.client import futures_of

    X, _ = data("y")
    factor = Shared(2.0)
    Z = SpreadMatrix.of(Rows.of("test", da.from_array(X, chunks=(200, 3))), _doubled, factor, width=3)
    wanted = Z @ np.ones(3)
    client.cancel([*futures_of(Z.rows.array), factor.reference], force=True)
    assert np.array_equal(Z @ np.ones(3), wanted)


def test_D3_a_model_that_no_worker_has_room_for_is_refused(client, monkeypatch):
    from mercer.distributed import cluster
    from mercer.errors import MemoryBudgetError

    X, target = data("y")
    machine = clone(MACHINES["GaussianProcessRegressor-neighbours"][0]).fit(X, *target)
    monkeypatch.setattr(cluster, "_SMALL", 0)
    monkeypatch.setattr(cluster, "_ROOM", 1e-6)
    with pytest.raises(MemoryBudgetError, match=r"must fit half of its memory; got .* MiB.*more memory"):
        machine.predict(da.from_array(X, chunks=(200, 3)))
