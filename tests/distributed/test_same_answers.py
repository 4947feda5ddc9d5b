"""D1: a machine fitted to a Dask collection answers like the same machine on arrays, and lazily."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from mercer import (
    SVC,
    SVR,
    GaussianProcessRegressor,
    KernelDensity,
    KernelKMeans,
    KernelLogisticRegression,
    KernelPCA,
    KernelRidge,
    KernelSearchCV,
    KMedoids,
    NadarayaWatson,
    Nystroem,
)
from mercer.kernels import RBF, Centred, Hamming, On, Spectrum, TfIdf

da = pytest.importorskip("dask.array")

LOW = {"kernel": RBF(2.0), "method": "nystrom", "n_landmarks": 40}
MACHINES = {
    "KernelRidge": (KernelRidge(0.1, **LOW), "y", "predict"),
    "KernelRidge-candidates": (KernelRidge([0.1, 1.0], fit_intercept=True, **LOW), "y", "predict"),
    "KernelRidge-scale": (KernelRidge(0.1, **{**LOW, "kernel": "rbf"}, gamma="scale"), "y", "predict"),
    "Nystroem": (Nystroem(RBF(2.0), n_components=30, random_state=0), None, "transform"),
    "KernelLogisticRegression": (KernelLogisticRegression(**LOW), "labels", "predict_proba"),
    "SVC": (SVC(**LOW), "labels", "decision_function"),
    "SVC-names": (SVC(**LOW), "names", "predict"),
    "SVR": (SVR(**LOW), "y", "predict"),
    "KernelPCA": (KernelPCA(3, **LOW), None, "transform"),
    "KernelKMeans": (KernelKMeans(3, random_state=0, **LOW), None, "transform"),
    "KMedoids": (KMedoids(3, kernel=RBF(2.0), method="sampled", random_state=0), None, "transform"),
    "GaussianProcessRegressor-sgpr": (
        GaussianProcessRegressor(kernel=RBF(2.0), method="sgpr", optimizer=None),
        "y",
        "predict",
    ),
    "KernelDensity": (KernelDensity(bandwidth=0.5, rtol=0.0), None, "score_samples"),
    "NadarayaWatson": (NadarayaWatson(bandwidth=0.5), "y", "predict"),
}


def targets_of(kind, y):
    labels = (y > 0.5).astype(int) + (y > 1.5)
    return {"y": y, "labels": labels, "names": np.array(["low", "middle", "high"])[labels], None: None}[kind]


@pytest.mark.parametrize("name", MACHINES)
def test_D1_dask_equals_threads(name, client, rows):
    machine, kind, method = MACHINES[name]
    X, y = rows
    t = targets_of(kind, y)
    D = da.from_array(X, chunks=((400, 0, 700, 1, 399), 3))  # unequal, and one without rows
    more = () if t is None else (da.from_array(t, chunks=(D.chunks[0],)),)
    near = clone(machine).fit(X, *(() if t is None else (t,)))
    far = clone(machine).fit(D, *more)
    found = getattr(far, method)(D)
    assert isinstance(found, da.Array)
    assert found.chunks[0] == D.chunks[0]
    wanted = getattr(near, method)(X)
    found = found.compute()
    assert found.dtype == wanted.dtype
    if wanted.dtype.kind == "U":
        assert (found == wanted).all()
    else:
        assert_allclose(found, wanted, rtol=1e-8, atol=1e-8 * max(1.0, float(np.abs(wanted).max())))


def test_D1_a_frame_is_counted_and_keeps_its_names(client, rows):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    X, y = rows
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y)
    far = dd.from_pandas(frame, npartitions=3)
    far = far[far.a > -0.5]  # the sizes of partitions are unknown now
    near = frame[frame.a > -0.5]
    machine = MACHINES["KernelRidge"][0]
    wanted = clone(machine).fit(near[["a", "b", "c"]], near.y)
    found = clone(machine).fit(far[["a", "b", "c"]], far.y)
    assert list(found.feature_names_in_) == ["a", "b", "c"]
    assert_allclose(found.predict(far[["a", "b", "c"]]).compute(), wanted.predict(near[["a", "b", "c"]]), atol=1e-8)


def test_D1_a_frame_with_categories_and_text(client, rows):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"a": rows[0][:200, 0], "c": pd.Categorical(rng.choice(["x", "y"], 200)),
                          "t": rng.choice(["red apple", "green pear", "blue sky"], 200)})  # fmt: skip
    y = frame.a + (frame.c == "x")
    kernel = On(["a"], RBF(1.0)) + On(["c"], Hamming()) + On("t", Spectrum(2))
    near, far = (KernelRidge(0.1, kernel=kernel, method="nystrom", n_landmarks=20) for _ in range(2))
    D = dd.from_pandas(frame, npartitions=3)
    far.fit(D, dd.from_pandas(y, npartitions=3))
    assert_allclose(far.predict(D).compute(), near.fit(frame, y).predict(frame), atol=1e-8)


def test_D1_kernels_that_learn_from_all_items(client, rows):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    rng = np.random.default_rng(3)
    words = np.array(["red", "green", "blue", "apple", "pear", "sky", "tree", "stone", "rare"])
    texts = [" ".join(rng.choice(words, rng.integers(2, 6))) for _ in range(150)]
    frame = pd.DataFrame({"a": rows[0][:150, 0], "t": texts})
    y = frame.a + frame.t.str.contains("red")
    for kernel in (On("t", TfIdf()) + On(["a"], RBF(1.0)), On(["a"], Centred(RBF(2.0))) + On("t", TfIdf()) * 0.5):
        near, far = (KernelRidge(0.1, kernel=kernel, method="nystrom", n_landmarks=25) for _ in range(2))
        D = dd.from_pandas(frame, npartitions=3)
        far.fit(D, dd.from_pandas(y, npartitions=3))
        assert_allclose(far.predict(D).compute(), near.fit(frame, y).predict(frame), atol=1e-8)


def test_D1_weights_and_the_proof_made_again(client, rows):
    X, y = rows
    D, t = da.from_array(X, chunks=(500, 3)), da.from_array(y, chunks=500)
    w = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    near = clone(MACHINES["KernelRidge"][0]).fit(X, y, sample_weight=w)
    far = clone(MACHINES["KernelRidge"][0]).fit(D, t, sample_weight=w)
    assert_allclose(far.predict(X), near.predict(X), atol=1e-8)
    assert_allclose(far.certificate_.primal, near.certificate_.primal, rtol=1e-10)
    assert_allclose(far.approximation_.trace_error, near.approximation_.trace_error, rtol=1e-6)


def test_D4_a_search_on_workers_finds_what_one_machine_finds(client, rows):
    X, y = rows
    labels = targets_of("labels", y)[:300]
    grid = {"kernel": [RBF(1.0), RBF(3.0)], "C": [0.1, 1.0, 10.0]}
    far = KernelSearchCV(SVC(), grid, cv=3).fit(X[:300], labels)
    from mercer.distributed import cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster, "client", lambda: None)
        patch.setattr("mercer.selection.search.client", lambda: None)
        near = KernelSearchCV(SVC(), grid, cv=3).fit(X[:300], labels)
    assert far.best_params_ == near.best_params_
    assert_allclose(far.cv_results_["mean_test_score"], near.cv_results_["mean_test_score"], atol=1e-12)
