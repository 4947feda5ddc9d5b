"""D2: Dask's own schedulers, graphs, and what is wrong with collections."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer import SVC, KernelLDA, KernelRidge
from mercer.distributed import Block, Rows
from mercer.distributed.rows import Shared
from mercer.kernels import RBF, On, Spectrum

da = pytest.importorskip("dask.array")
cloudpickle = pytest.importorskip("cloudpickle")

RIDGE = {"kernel": RBF(2.0), "method": "nystrom", "n_landmarks": 30}


def test_D2_dasks_own_scheduler_works(rows):
    X, y = rows
    D, t = da.from_array(X, chunks=(500, 3)), da.from_array(y, chunks=500)
    near, far = KernelRidge(0.1, **RIDGE).fit(X, y), KernelRidge(0.1, **RIDGE).fit(D, t)
    assert_allclose(far.predict(D).compute(scheduler="synchronous"), near.predict(X), atol=1e-8)


def test_D2_nothing_of_dask_is_imported_without_a_collection():
    code = "import sys; from mercer import KernelRidge; KernelRidge().fit([[0.0], [1.0]], [0, 1]).predict([[2]]); "
    code += "assert not {'dask', 'distributed'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def _count(block: Block, shared):
    return len(block)


def test_D2_the_graph_is_small_and_does_not_grow_with_what_is_shared(monkeypatch):
    sizes, blocks = [], 10_000

    def measured(make, task, needs):
        graph = make().__dask_graph__()
        sizes.append(sum(len(cloudpickle.dumps(layer)) for name, layer in graph.layers.items() if "Parcel" not in name))
        return SimpleNamespace(found=[(i, 10, 10, "float64", "") for i in range(blocks)])

    monkeypatch.setattr("mercer.distributed.rows.completed", measured)
    X = da.ones((10 * blocks, 3), chunks=(10, 3))
    rows = Rows.of("test", X, da.ones(10 * blocks, chunks=10))
    for m in (10, 100_000):
        rows.total(_count, Shared(np.ones(m)))
    assert max(sizes) < 1e6
    assert abs(sizes[-1] - sizes[-2]) < 100


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (lambda X: X.map_blocks(lambda b: np.where(b > 2.9, np.inf, b)), 0, "block 1: X has inf in row 20, column 0"),
        (lambda X: X.map_blocks(lambda b: b.astype(np.float32), dtype=np.float64), 0, "of one type in all blocks"),
        (lambda X: X[:, 0], 0, "two dimensions"),
        (lambda X: X[:40], 0, "as long as X"),
        (lambda X: X[:0], None, "one row or more|0 sample"),
        (lambda X: X.astype(str), 0, "numbers"),
    ],
    ids=["nan", "dtypes", "flat", "lengths", "empty", "texts"],
)
def test_D2_bad_blocks_are_named(X, y, message):
    values = np.random.default_rng(0).normal(size=(100, 2))
    values[70] = 3.0
    D = X(da.from_array(values, chunks=(50, 2)))
    t = da.zeros(100, chunks=50) if y is not None else da.zeros(D.shape[0], chunks=50)
    with pytest.raises((ValueError, TypeError), match=message):
        KernelRidge(**RIDGE).fit(D, t)


def test_D2_the_row_of_a_nan_is_named():
    values = np.ones((100, 2))
    values[70, 1] = np.nan
    with pytest.raises(ValueError, match=r"block 1: X has nan in row 20, column 1"):
        KernelRidge(**RIDGE).fit(da.from_array(values, chunks=(50, 2)), da.zeros(100, chunks=50))


def test_D2_columns_in_chunks_are_joined_and_unknown_ones_refused(rows):
    X, y = rows
    near = KernelRidge(0.1, **RIDGE).fit(X, y)
    far = KernelRidge(0.1, **RIDGE).fit(da.from_array(X, chunks=(500, 1)), y)
    assert_allclose(far.predict(da.from_array(X, chunks=(400, 2))).compute(), near.predict(X), atol=1e-8)
    D = da.from_array(X, chunks=(500, 1))
    with pytest.raises(ValueError, match="in one chunk along the columns"):
        KernelRidge(**RIDGE).fit(D[D[:, 0] > 0.0], y)


def test_D2_blocks_of_unknown_size_are_counted(rows):
    X, y = rows
    D, t = da.from_array(X, chunks=(500, 3)), da.from_array(y, chunks=500)
    near = KernelRidge(0.1, **RIDGE).fit(X[y > 0.0], y[y > 0.0])
    far = KernelRidge(0.1, **RIDGE).fit(D[t > 0.0], t[t > 0.0])
    assert_allclose(far.predict(X), near.predict(X), atol=1e-8)


def test_D2_machines_that_need_all_rows_say_so(rows):
    D, labels = da.from_array(rows[0], chunks=(500, 3)), (rows[1] > 0.5).astype(int)
    with pytest.raises(TypeError, match=r"KernelLDA: the data must be in memory; got a Dask collection.*compute"):
        KernelLDA().fit(D, labels)
    with pytest.raises(ValueError, match="'nystrom' or 'auto' for a Dask collection"):
        SVC().fit(D, labels)


def test_D2_a_gap_in_a_frame_of_several_kinds_is_named():
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame({"t": ["red apple", "blue sky"] * 10, "a": np.arange(20.0)})
    frame.loc[13, "a"] = np.nan
    kernel = On(["a"], RBF(1.0)) + On("t", Spectrum(2))
    D = dd.from_pandas(frame, npartitions=2)
    with pytest.raises(ValueError, match=r"block 1: X has nan in row 3, column 'a' of that block"):
        KernelRidge(kernel=kernel, method="nystrom").fit(D, D.a.fillna(0.0))
