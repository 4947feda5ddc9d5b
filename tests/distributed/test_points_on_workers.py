"""D1: densities and smoothers whose points stay on the workers answer like those in memory."""

import pickle
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer import KernelDensity, LocalRegression, NadarayaWatson
from mercer.distributed.cluster import workers_known
from mercer.solvers.local_regression import LocalProblem, PartialSums, Places, Width, local_fit
from mercer.windows import Gaussian, TriCube

dask, da = pytest.importorskip("dask"), pytest.importorskip("dask.array")

CHUNKS = (200, 0, 300, 1, 99)  # unequal, and one without rows
DENSITIES = {
    "number": {"bandwidth": 0.5},
    "matrix": {"bandwidth": 0.3 * np.eye(3) + 0.05},
    "scott": {"bandwidth": "scott"},
    "silverman-epanechnikov": {"bandwidth": "silverman", "kernel": "epanechnikov"},
    "normal": {"bandwidth": "normal"},
    "isj": {"bandwidth": "isj"},
    "product": {"bandwidth": 0.4, "form": "product", "kernel": "tricube"},
    "adaptive-bounds": {"bandwidth": "silverman", "adaptive": True, "support": [None, ("circle", -1, 1), (0, None)]},
}
SMOOTHERS = {
    "NadarayaWatson": (NadarayaWatson(bandwidth=0.3), 2),
    "NadarayaWatson-loo": (NadarayaWatson(), 1),
    "NadarayaWatson-gaps": (NadarayaWatson(bandwidth=0.1, window="tricube"), 2),
    "NadarayaWatson-mean": (NadarayaWatson(bandwidth=0.1, window="tricube", gaps="mean"), 2),
    "NadarayaWatson-silverman": (NadarayaWatson(bandwidth="silverman"), 2),
    "NadarayaWatson-neighbours": (NadarayaWatson(neighbours=20), 2),
    "LocalRegression": (LocalRegression(bandwidth=0.5), 2),
    "LocalRegression-line": (LocalRegression(bandwidth="gcv", window="epanechnikov"), 1),
}


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    """Tasks run here, one after the other, unless there is a client."""
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(scope="module")
def points(rows):
    X = rows[0][:600].copy()
    X[:, 2] = np.abs(X[:, 2])
    places = np.random.default_rng(1).normal(size=(90, 3))
    places[:, 2] = np.abs(places[:, 2])
    return X, places, np.random.default_rng(2).integers(0, 3, len(X)).astype(float)


def spread(X, chunks=CHUNKS):
    return da.from_array(X, chunks=(chunks, *X.shape[1:]))


@pytest.mark.parametrize("weighted", [False, True], ids=["equal", "weighted"])
@pytest.mark.parametrize("name", DENSITIES)
def test_D1_densities_equal_those_in_memory_and_keep_no_rows_here(name, weighted, points):
    X, places, w = points
    weight = w if weighted else None
    near = KernelDensity(rtol=0.0, **DENSITIES[name]).fit(X, sample_weight=weight)
    far = KernelDensity(rtol=0.0, **DENSITIES[name]).fit(spread(X), sample_weight=weight)
    found = far.score_samples(spread(places, (40, 0, 50)))
    assert isinstance(found, da.Array)
    assert found.chunks == ((40, 0, 50),)
    wanted = near.score_samples(places)
    assert_allclose(found.compute(), wanted, rtol=1e-8, atol=1e-8)
    assert_allclose(far.score_samples(places), wanted, rtol=1e-8, atol=1e-8)
    assert_allclose(far.bandwidth_, near.bandwidth_, rtol=1e-10)
    assert far.n_effective_ == pytest.approx(near.n_effective_)
    assert "_points" not in vars(far)


def test_D1_the_allowed_error_of_a_density_holds_for_sums_over_blocks(rows):
    X = rows[0][:, :1]
    exact = KernelDensity(bandwidth=0.2, rtol=0.0).fit(X).pdf(X)
    far = KernelDensity(bandwidth=0.2, rtol=1e-3, atol=1e-4).fit(da.from_array(X, chunks=(200, 1)))
    assert (np.abs(far.pdf(X) - exact) <= 1e-3 * exact + 1e-4).all()


def test_D1_points_come_here_when_all_are_needed_and_for_a_file(points, tmp_path):
    X, places, _ = points
    options = {"bandwidth": 0.4, "rtol": 0.0, "support": [None, None, (0, None)]}
    near, far = KernelDensity(**options).fit(X), KernelDensity(**options).fit(spread(X))
    assert_allclose(far.leave_one_out(), near.leave_one_out(), atol=1e-9)
    assert "_points" in vars(far)
    for weight in (None, points[2]):  # without bounds it is made by workers
        near, far = (KernelDensity(bandwidth=0.4, rtol=0.0).fit(D, sample_weight=weight) for D in (X, spread(X)))
        assert_allclose(far.leave_one_out(), near.leave_one_out(), atol=1e-9)
        assert "_points" not in vars(far)
    near, far = KernelDensity(**options).fit(X), KernelDensity(**options).fit(spread(X))
    mercer.save(KernelDensity(**options).fit(spread(X)), tmp_path / "density.mercer")
    for model in (mercer.load(tmp_path / "density.mercer"), pickle.loads(pickle.dumps(far))):
        assert_allclose(model.score_samples(places), near.score_samples(places), atol=1e-9)
    assert_allclose(far.fit(X[:9]).score_samples(places), near.fit(X[:9]).score_samples(places))
    big = KernelDensity().fit(da.ones((200_000, 3), chunks=(50_000, 3)))
    with mercer.configure(memory=2**20), pytest.raises(mercer.errors.MemoryBudgetError, match="points of 3 numbers"):
        big.sample()


@pytest.mark.parametrize("weighted", [False, True], ids=["equal", "weighted"])
@pytest.mark.parametrize("name", SMOOTHERS)
@pytest.mark.filterwarnings("ignore::mercer.estimators.smoothing.local_smoother.Unsupported")
def test_D1_smoothers_equal_those_in_memory(name, weighted, points, rows):
    machine, columns = SMOOTHERS[name]
    X, places, w = (part[:, :columns] if part.ndim == 2 else part for part in points)
    y, weight = rows[1][: len(X)], w if weighted else None
    near = type(machine)(**machine.get_params()).fit(X, y, sample_weight=weight)
    far = type(machine)(**machine.get_params()).fit(spread(X), spread(y), sample_weight=weight)
    wanted, error = near.predict(places, return_se=True)
    inner = np.abs(places).max(axis=1) < 1.5 if machine._degree else np.full(len(places), True)  # not extrapolated
    lazy, lazy_error = far.predict(spread(places, (40, 0, 50)), return_se=True)
    for values, errors in ((lazy.compute(), lazy_error.compute()), far.predict(places, return_se=True)):
        assert_allclose(values[inner], wanted[inner], rtol=1e-8, atol=1e-8)
        assert_allclose(errors[inner], error[inner], rtol=1e-6, atol=1e-8)
    assert_allclose(far.fitted_values_, near.fitted_values_, rtol=1e-8, atol=1e-8)
    assert far.df_ == pytest.approx(near.df_, rel=1e-8)
    assert_allclose(far.leave_one_out(), near.leave_one_out(), rtol=1e-8, atol=1e-8)


def test_D1_a_smoother_with_categories_and_two_targets_in_a_frame(points, tmp_path):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    X = points[0]
    frame = pd.DataFrame({"a": X[:, 0], "c": np.where(X[:, 1] > 0.0, "up", "down"), "d": np.round(X[:, 2])})
    Y = np.column_stack([X[:, 0] ** 2, X[:, 1]])
    machine = NadarayaWatson([0.4, 0.1, 0.2], categorical=["c"], ordered=["d"])
    near = NadarayaWatson(**machine.get_params()).fit(frame, Y)
    D = dd.from_pandas(frame, npartitions=3)
    far = machine.fit(D, da.from_array(Y, chunks=(D.map_partitions(len).compute().tolist(), 2)))
    assert_allclose(far.predict(D).compute(), near.predict(frame), atol=1e-9)
    mercer.save(far, tmp_path / "smoother.mercer")
    assert_allclose(mercer.load(tmp_path / "smoother.mercer").predict(frame), near.predict(frame), atol=1e-9)
    assert far.certificate_.converged


def test_D1_partitions_of_unknown_size_are_counted(points):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(points[0], columns=["a", "b", "c"])
    D = dd.from_pandas(frame, npartitions=3)
    near, far = frame[frame.a > 0.0], D[D.a > 0.0]
    density = KernelDensity(bandwidth="scott", rtol=0.0, adaptive=True)
    wanted = density.fit(near).score_samples(near)
    assert_allclose(density.fit(far).score_samples(far).compute(), wanted, rtol=1e-8, atol=1e-8)
    assert list(density.feature_names_in_) == ["a", "b", "c"]
    smoother = NadarayaWatson(0.5)
    wanted = smoother.fit(near[["a", "b"]], near.c).predict(near[["a", "b"]])
    found = smoother.fit(far[["a", "b"]], far.c).predict(far[["a", "b"]]).compute()
    assert_allclose(found, wanted, rtol=1e-8, atol=1e-8)
    with pytest.raises(ValueError, match="feature names"):
        density.score_samples(far.rename(columns={"a": "z"})).compute()


def test_D1_bad_rows_of_a_density_are_named(points):
    X = points[0].copy()
    with pytest.raises(ValueError, match=r"inside of support, 0.0 to inf, in column 0; got .* in row"):
        KernelDensity(support=(0, None)).fit(spread(X))
    X[450, 1] = np.nan
    for fit in (KernelDensity().fit, lambda D: NadarayaWatson().fit(D, np.zeros(len(X)))):
        with pytest.raises(ValueError, match="block 2: X has nan in row 250, column 1"):
            fit(spread(X))


@pytest.mark.parametrize("window", [Gaussian(), TriCube()], ids=["gaussian", "tricube"])
@pytest.mark.parametrize("d", [1, 2])
def test_D1_sums_over_parts_add_up_far_from_all_points_too(window, d):
    rng = np.random.default_rng(d)
    X, Y = rng.uniform(size=(80, d)), rng.normal(size=(80, 1))
    X[40:] += 30.0  # the parts see nothing of each other
    Z = np.concatenate([rng.uniform(-40.0, 70.0, size=(30, d)), X[:5]])

    def problem(part):
        some = X[part]
        return LocalProblem(some, np.empty((len(some), 0)), (), Y[part], np.ones(len(some)), window, 0)

    places, width = Places(Z, np.empty((len(Z), 0))), Width(np.full(d, 0.3), np.empty(0))
    total, *rest = (PartialSums.of(problem(part), width, places, True, True) for part in np.split(np.arange(80), 4))
    for one in rest:
        total.merge(one)
    found, wanted = total.fit(), local_fit(problem(slice(None)), width, places, gradient=True, variance=True)
    assert (found.empty == wanted.empty).all()
    for name in ("values", "slopes", "spread"):
        assert_allclose(getattr(found, name), getattr(wanted, name), rtol=1e-8, atol=1e-10, err_msg=name)


def test_D1_a_smoother_far_from_all_points_is_the_ratio_of_its_sums():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(900, 2)), rng.normal(size=900)
    h, Q = np.array([0.27, 0.065]), 1.5 * rng.normal(size=(300, 2))
    L = -0.5 * (((Q[:, None] - X) / h) ** 2).sum(axis=2)
    K = np.exp(L - L.max(axis=1, keepdims=True))
    with pytest.warns(UserWarning, match="outside of the data"):
        assert_allclose(NadarayaWatson(h).fit(X, y).predict(Q), K @ y / K.sum(axis=1), rtol=1e-9, atol=1e-9)


def test_D2_what_a_density_sends_does_not_hold_its_points(points):
    cloudpickle = pytest.importorskip("cloudpickle")
    X = np.repeat(points[0], 20, axis=0)
    far = KernelDensity(bandwidth="silverman").fit(da.from_array(X, chunks=(1000, 3)))
    graph = far.score_samples(da.ones((50, 3), chunks=(10, 3))).__dask_graph__()
    (sent,) = far._on_workers.kept.values()
    assert len(cloudpickle.dumps(sent.value)) < 10_000
    assert sum(len(cloudpickle.dumps(layer)) for name, layer in graph.layers.items() if "Parcel" not in name) < 1e6


def test_D3_same_bits_on_one_worker_and_two(client, points, rows):
    X, places, _ = points
    D, t, Q = spread(X), spread(rows[1][: len(X)]), spread(places, (40, 0, 50))

    def answers():
        density, smoother = KernelDensity(bandwidth="silverman").fit(D), NadarayaWatson(0.3).fit(D, t)
        return density.score_samples(Q).compute(), smoother.predict(Q).compute(), smoother.fitted_values_

    wanted = answers()
    y = rows[1][: len(X)]
    assert_allclose(wanted[0], KernelDensity(bandwidth="silverman").fit(X).score_samples(places), rtol=1e-8)
    assert_allclose(wanted[2], NadarayaWatson(0.3).fit(X, y).fitted_values_, rtol=1e-8, atol=1e-8)
    client.cluster.scale(1)
    client.cluster.sync(client.cluster._correct_state)
    while len(workers_known(client)) > 1:
        time.sleep(0.05)
    for one, two in zip(answers(), wanted, strict=True):
        assert np.array_equal(one, two)
    client.cluster.scale(2)
    client.wait_for_workers(2)
