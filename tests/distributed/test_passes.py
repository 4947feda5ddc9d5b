"""D1, D2: products, sums and groups of rows in blocks, and the machines made of them, on Dask's own scheduler."""

from types import SimpleNamespace

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
    KMedoids,
    RFMRegressor,
    load,
    save,
    verify,
)
from mercer.distributed import Rows, matrix, routing
from mercer.distributed.columns import ColumnFacts, column
from mercer.distributed.matrix import SpreadMatrix
from mercer.distributed.routing import routed
from mercer.distributed.rows import Shared
from mercer.gram import FeatureGram, tall
from mercer.kernels import RBF, Fixed, Hamming, Matern, On, Spectrum

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")
cloudpickle = pytest.importorskip("cloudpickle")

LOW = {"kernel": RBF(2.0), "method": "nystrom", "n_landmarks": 20}
CELLS = {"kernel": RBF(2.0), "method": "cells", "cell_rows": 200, "n_landmarks": 20}
CHUNKS = (300, 0, 299, 1)


@pytest.fixture(autouse=True)
def here(monkeypatch):
    """Tasks run in this thread, and features do not come here though they are few."""
    monkeypatch.setattr(tall, "FEW", 0)
    with dask.config.set(scheduler="synchronous"):
        yield


def spread(*arrays):
    return [da.from_array(a, chunks=(CHUNKS, *((n,) for n in a.shape[1:]))) for a in arrays]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.normal(size=600)
    return X, y, (y > 0.5).astype(int) + (y > 1.5)


def _itself(block):
    return block.X


@pytest.mark.parametrize("some", [None, np.array([599, 3, 300, 4])], ids=["all", "some"])
def test_D2_a_matrix_on_workers_has_the_products_of_an_array(table, some):
    X = table[0] if some is None else table[0][some]
    Z = SpreadMatrix.of(Rows.of("test", *spread(table[0])), _itself, width=3)
    Z = Z if some is None else Z[some]
    rng = np.random.default_rng(1)
    for centre in (np.zeros(3), np.array([1.0, -2.0, 3.0])):
        A, B = X - centre, Z - centre
        w, b, V = rng.normal(size=3), rng.normal(size=len(A)), rng.normal(size=(len(A), 2))
        assert_allclose(B @ w, A @ w, atol=1e-12)
        assert_allclose(B.T @ b, A.T @ b, atol=1e-12)
        assert_allclose(B.T @ V, A.T @ V, atol=1e-12)
        squares, sums = B.squares(b, np.abs(b))
        assert_allclose(squares[0], A.T @ (b[:, None] * A), atol=1e-11)
        assert_allclose(sums[1], A.T @ np.abs(b), atol=1e-11)
        assert_allclose(B.row_squares(), (A * A).sum(axis=1), atol=1e-12)
        assert_allclose(B.covariance(), np.cov(A, rowvar=False), atol=1e-12)
        assert_allclose(B.gathered(), A, atol=1e-14)
    assert_allclose(FeatureGram(Z).rows(np.array([1])), X[[1]] @ X.T, atol=1e-12)
    assert_allclose(FeatureGram(Z).diag(), (X * X).sum(axis=1), atol=1e-12)


def test_D2_rows_without_weight_cost_no_task_a_sum():
    Z = SpreadMatrix.of(Rows.of("test", da.ones((20, 2), chunks=(5, 2))), _itself, width=2)
    assert_allclose(Z.T @ np.zeros(20), np.zeros(2))
    assert_allclose(Z.squares(np.zeros(20))[0][0], np.zeros((2, 2)))


def test_D2_facts_of_columns_also_of_huge_numbers(table):
    X = table[0] * np.array([1e200, 1.0, 1e-200])
    rows = Rows.of("test", *spread(X))
    facts = ColumnFacts.of(rows)
    unit = np.abs(X).max(axis=0)
    assert_allclose(facts.mean / unit, (X / unit).mean(axis=0), atol=1e-14)
    assert_allclose(facts.deviation / unit, (X / unit).std(axis=0), rtol=1e-12)
    assert_allclose(column(rows, 1), X[:, 1])


def _sums(i, X, positions, y):
    return i, X, y[positions].sum()


def test_D2_rows_go_to_groups_in_their_order(table):
    X, y, _ = table
    rows = Rows.of("test", *spread(X, y))
    groups = [np.array([599, 0, 300]), np.arange(10, 20)]
    for i, (number, found, total) in enumerate(routed(rows, groups, _sums, Shared(y))):
        assert number == i
        assert np.array_equal(found, X[groups[i]])
        assert_allclose(total, y[groups[i]].sum())


def test_D2_chosen_rows_stay_where_they_are(table):
    X, y, _ = table
    some = np.array([0, 5, 299, 300, 599])
    found = Rows.of("test", *spread(X, y)).chosen(some)
    assert len(found) == 5
    assert np.array_equal(found.take(np.arange(5)), X[some])
    assert np.array_equal(found.targets(), y[some])


MACHINES = {
    "SVC-classes": (SVC(**LOW), 2, "decision_function"),
    "SVC-probability": (SVC(probability=True, **{**LOW, "n_landmarks": 10}), 2, "predict_proba"),
    "SVC-intercept": (SVC(penalty_intercept=True, **LOW), 2, "decision_function"),
    "SVR": (SVR(**LOW), 1, "predict"),
    "KernelLogisticRegression-softmax": (KernelLogisticRegression(**LOW), 2, "predict_proba"),
    "KernelLogisticRegression-cells": (KernelLogisticRegression(**CELLS), 2, "predict_proba"),
    "SVC-cells": (SVC(**CELLS), 2, "decision_function"),
    "GaussianProcess-learned": (
        GaussianProcessRegressor(Matern(1.0, nu=0.5), noise=Fixed(0.1), method="sgpr", n_inducing=12), 1, "predict",
    ),
    "GaussianProcess-name": (
        GaussianProcessRegressor("linear", method="sgpr", n_inducing=4, optimizer=None), 1, "predict",
    ),
    "GaussianProcess-mean": (
        GaussianProcessRegressor(RBF(1.0), alpha=np.linspace(0.01, 0.1, 600), mean="linear", normalize_y=True,
                                 method="sgpr", n_inducing=25, optimizer=None), 1, "predict",
    ),
    "GaussianProcess-auto": (GaussianProcessRegressor(RBF(), noise=0.1, method="auto", optimizer=None), 1, "predict"),
}  # fmt: skip


@pytest.mark.parametrize("name", MACHINES)
def test_D1_machines_of_passes_equal_those_on_arrays(name, table):
    machine, which, method = MACHINES[name]
    X, t = table[0], table[which]
    far = clone(machine).fit(*spread(X, t))
    near = clone(machine).fit(X, t)
    assert_allclose(getattr(far, method)(X), getattr(near, method)(X), rtol=1e-8, atol=1e-8)
    if which == 2:
        assert far.certificate_.n_iter == near.certificate_.n_iter


@pytest.mark.parametrize(
    "machine",
    [SVR(**LOW), KernelRidge(0.1, **CELLS), KernelLogisticRegression(**LOW), KernelKMeans(3, random_state=0, **LOW)],
    ids=lambda machine: type(machine).__name__,
)
def test_D1_weights_of_which_some_are_0(machine, table):
    X, y, labels = table
    w = np.random.default_rng(1).integers(0, 3, 600).astype(float)
    t = labels if isinstance(machine, KernelLogisticRegression) else y
    D, T = spread(X, t)
    near, far = clone(machine).fit(X, t, sample_weight=w), clone(machine).fit(D, T, sample_weight=w)
    assert_allclose(far.predict(X), near.predict(X), atol=1e-8)


@pytest.mark.parametrize(
    "machine",
    [SVC(**LOW), KernelRidge(0.1, **CELLS), RFMRegressor(max_leaf=200, metric_rows=50, rounds=1)],
    ids=["SVC", "KernelRidge-cells", "RFMRegressor"],
)
def test_D1_blocks_of_unknown_size_a_proof_made_again_and_a_file(machine, table, tmp_path):
    X, y, labels = table
    t = labels if isinstance(machine, SVC) else y
    D, T = spread(X, t)
    keep = X[:, 2] > -1.0
    far = clone(machine).fit(D[D[:, 2] > -1.0], T[D[:, 2] > -1.0])
    near = clone(machine).fit(X[keep], t[keep])
    assert_allclose(far.predict(X), near.predict(X), atol=1e-8)
    ours, theirs = verify(far, D[D[:, 2] > -1.0], T[D[:, 2] > -1.0]), verify(near, X[keep], t[keep])
    assert_allclose(ours.primal, theirs.primal, rtol=1e-6)
    save(far, tmp_path / "model.mercer")
    assert_allclose(load(tmp_path / "model.mercer").predict(X), far.predict(X), atol=1e-12)


def test_D1_a_process_keeps_its_landmarks_alone(table, tmp_path):
    X, y, _ = table
    machine = GaussianProcessRegressor(Matern(1.0), noise=0.1, method="sgpr", n_inducing=20, optimizer=None)
    far, near = clone(machine).fit(*spread(X, y)), clone(machine).fit(X, y)
    assert_allclose(far.log_marginal_likelihood_value_, near.log_marginal_likelihood_value_, rtol=1e-10)
    assert_allclose(far.predict(X, return_std=True), near.predict(X, return_std=True), atol=1e-8)
    assert_allclose(far.predict(X, return_std=True, of="y")[1], near.predict(X, return_std=True, of="y")[1], atol=1e-8)
    assert_allclose(far._known.trace_error, near._known.trace_error, rtol=1e-8)
    assert len(cloudpickle.dumps(far)) < 40_000
    save(far, tmp_path / "model.mercer")
    assert_allclose(load(tmp_path / "model.mercer").predict(X), far.predict(X), atol=1e-12)
    with pytest.raises(ValueError, match="in memory for the bound of the exact evidence; got a Dask collection"):
        _ = far.bound_
    with pytest.raises(ValueError, match="in memory for the evidence at other hyper-parameters"):
        far.log_marginal_likelihood([0.1])
    assert not hasattr(far, "X_train_")
    assert far.fit(X, y).X_train_ is not None


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_D1_the_evidence_and_its_slope_are_sums_over_blocks(kernel, table):
    from mercer.estimators.gaussian_process.methods.inducing import InducingEvidence
    from mercer.estimators.gaussian_process.model import set_up

    X, Y, H, marks = table[0], table[1][:, None], np.ones((600, 1)), np.arange(0, 600, 60)
    gp = GaussianProcessRegressor(kernel, method="sgpr")
    near, far = (InducingEvidence(set_up(gp, items, Y).covariance, Y, H, marks)
                 for items in (X, Rows.of("test", *spread(X, table[1]))))  # fmt: skip
    theta = near.covariance.theta - 0.3
    assert_allclose(far.covariance.theta, near.covariance.theta, rtol=1e-12)
    for found, wanted in zip(far.value_and_slope(theta), near.value_and_slope(theta), strict=True):
        assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


def test_D1_only_landmarks_batches_and_support_vectors_come_here(monkeypatch):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(2500, 2))
    labels = (X[:, 0] > 0.0).astype(int)
    D, T = da.from_array(X, chunks=(700, 2)), da.from_array(labels, chunks=700)
    came, take = [], Rows.take
    monkeypatch.setattr(Rows, "take", lambda self, positions: came.append(len(positions)) or take(self, positions))
    fixed = {"landmarks": X[:10], "kernel": RBF(1.0), "method": "nystrom"}
    KMedoids(2, kernel=RBF(1.0), method="sampled", batch_size=50, random_state=0).fit(D)
    KernelKMeans(2, n_init=1, random_state=0, **fixed).fit(D)
    KernelRidge(**fixed).fit(D, T)
    SVC(**{**CELLS, "cell_rows": 1000}).fit(D, T)
    assert max(came) <= 50


@pytest.mark.parametrize(
    ("machine", "options"),
    [
        (KernelRidge, {"alpha": 0.1, "method": "cells", "cell_rows": 60, "n_landmarks": 12}),
        (SVR, {"method": "nystrom", "n_landmarks": 12}),
        (GaussianProcessRegressor, {"noise": 0.1, "method": "sgpr", "n_inducing": 12, "optimizer": None}),
        (GaussianProcessRegressor, {"noise": 0.1, "method": "neighbours", "n_neighbors": 9, "optimizer": None}),
    ],
    ids=["cells", "low-rank", "sgpr", "neighbours"],
)
def test_D1_frames_with_categories_and_text(machine, options, table):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"a": table[0][:160, 0], "c": pd.Categorical(rng.choice(["x", "y"], 160)),
                          "t": rng.choice(["red apple", "green pear", "blue sky"], 160)})  # fmt: skip
    y = frame.a + (frame.c == "x")
    kernel = On(["a"], RBF(1.0)) + On(["c"], Hamming()) + On("t", Spectrum(2))
    D = dd.from_pandas(frame, npartitions=3)
    far = machine(kernel=kernel, **options).fit(D, dd.from_pandas(y, npartitions=3))
    near = machine(kernel=kernel, **options).fit(frame, y)
    assert_allclose(far.predict(D).compute(), near.predict(frame), atol=1e-8)


def test_D2_what_needs_numbers_names_other_columns():
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame({"a": np.arange(12.0), "c": pd.Categorical(list("xyxyxyxyxyxy"))})
    y = dd.from_pandas(frame.a, npartitions=2)
    with pytest.raises(TypeError, match=r"columns of numbers; got a frame with c \(category\)"):
        RFMRegressor().fit(dd.from_pandas(frame, npartitions=2), y)
    with pytest.raises(ValueError, match="two rows or more"):
        RFMRegressor().fit(da.ones((1, 2), chunks=(1, 2)), da.ones(1, chunks=1))


def test_D1_a_hard_margin_brings_features_here_or_says_what_they_take(table):
    from mercer import errors
    from mercer.config import here

    X = table[0]
    labels = (X[:, 0] > 0.0).astype(int)
    machine = SVC(C=np.inf, kernel=RBF(1.0), method="nystrom", n_landmarks=60)
    near, far = clone(machine).fit(X, labels), clone(machine).fit(*spread(X, labels))
    assert_allclose(far.decision_function(X), near.decision_function(X), atol=1e-6)
    with here(memory=2**17), pytest.raises(errors.MemoryBudgetError, match=r"600 x .* numbers"):
        clone(machine).fit(*spread(X, labels))


def test_D2_graphs_of_passes_and_of_groups_are_small(monkeypatch):
    sizes, blocks = [], 10_000

    def measured(make, *rest):
        graph = make().__dask_graph__()
        sizes.append(sum(len(cloudpickle.dumps(layer)) for name, layer in graph.layers.items() if "Parcel" not in name))
        return SimpleNamespace(parts=[np.zeros(3), np.zeros(3)])

    monkeypatch.setattr("mercer.distributed.rows.completed", measured)
    monkeypatch.setattr(routing, "all_computed", lambda some, *rest: [measured(lambda: next(iter(some)))])
    monkeypatch.setattr(matrix, "kept_on_workers", lambda array, size: array)
    rows = Rows(da.ones((10 * blocks, 3), chunks=(10, 3)), None, np.full(blocks, 10))
    for m in (3, 300):
        Z = SpreadMatrix.of(rows, _itself, Shared(np.ones(m)), width=m)
        Z @ np.ones(m)
        Z.squares(np.ones(10 * blocks))
        routed(rows, [np.arange(m), np.arange(m)], _sums, Shared(np.ones(1000 * m)))
    assert max(sizes) < 1e6
    assert np.abs(np.subtract(sizes[:3], sizes[3:])).max() < 200
