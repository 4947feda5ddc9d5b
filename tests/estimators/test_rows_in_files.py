"""Rows in files: the answer is that of rows in memory, and a fault names its block and row (H2, I5)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mercer
from mercer.kernels import RBF, Linear

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 3)).astype(np.float32)
y = np.sin(X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=300)
labels = np.where(y > 0.0, "high", "low")
CUTS = (0, 7, 100, 101, 300)


def ridge(**options):
    return mercer.KernelRidge(**{"kernel": "rbf", "gamma": "scale", "method": "nystrom", "n_landmarks": 30} | options)


def blocks(*columns):
    """The columns in pieces; pairs, if there are two."""
    parts = [[column[a:b] for column in columns] for a, b in pairwise(CUTS)]
    return iter([part[0] if len(part) == 1 else tuple(part) for part in parts])


@pytest.fixture
def mapped(tmp_path):
    np.save(tmp_path / "rows.npy", X)
    return np.load(tmp_path / "rows.npy", mmap_mode="r")


@pytest.fixture
def parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {f"c{j}": X[:, j] for j in range(3)}
    parquet.write_table(pyarrow.table({"y": y, **columns, "class": labels}).drop(["class"]), tmp_path / "rows.parquet")
    parquet.write_table(pyarrow.table({**columns, "class": labels}), tmp_path / "classes.parquet")
    return tmp_path


@pytest.mark.parametrize("kernel", ["rbf", RBF(1.5) + 0.5 * Linear()], ids=["named", "object"])
def test_ridge_from_a_map_is_ridge_from_memory_H2(mapped, kernel):
    weight = np.where(np.arange(300) % 5, 1.0, 0.0)
    inside = ridge(alpha=[0.1, 1.0], kernel=kernel, fit_intercept=True).fit(X, y, weight)
    outside = ridge(alpha=[0.1, 1.0], kernel=kernel, fit_intercept=True).fit(mapped, y, weight)
    assert outside.alpha_ == inside.alpha_
    assert_array_equal(outside.support_, inside.support_)
    assert_allclose(outside.dual_coef_, inside.dual_coef_, rtol=1e-6, atol=1e-8)
    assert_allclose(outside.predict(mapped), inside.predict(X), atol=1e-6)
    assert outside.shape_fit_ == (300, 3)
    assert outside.certificate_.relative_gap < 1e-9
    assert outside.score(mapped, y) == pytest.approx(inside.score(X, y), abs=1e-6)


def test_blocks_of_any_length_give_the_same_machine_H2():
    inside = ridge().fit(X, y)
    for machine in (ridge().fit(blocks(X, y), None), ridge().fit(blocks(X), y)):
        assert_allclose(machine.predict(blocks(X)), inside.predict(X), atol=1e-6)
        assert_array_equal(machine.support_, inside.support_)


def test_several_targets_come_in_blocks_H2():
    Y = np.column_stack([y, -y])
    machine = ridge().fit(blocks(X, Y), None)
    assert machine.predict(X).shape == (300, 2)
    assert_allclose(machine.predict(X)[:, 0], ridge().fit(X, y).predict(X), atol=1e-6)


def test_a_parquet_file_is_read_by_names_H2(parquet):
    machine = ridge().fit(parquet / "rows.parquet", "y")
    assert list(machine.feature_names_in_) == ["c0", "c1", "c2"]
    expected = ridge().fit(X, y).predict(X)
    assert_allclose(machine.predict(str(parquet / "rows.parquet")), expected, atol=1e-6)
    assert_allclose(machine.predict(parquet / "classes.parquet"), expected, atol=1e-6)  # the columns of the fit
    assert set(machine.estimate_cost(parquet / "rows.parquet")) >= {"exact", "nystrom"}


def test_labels_of_a_parquet_file_may_be_words_H2(parquet):
    inside = mercer.SVC(kernel=RBF(1.0), method="nystrom", n_landmarks=30).fit(X, labels)
    machine = mercer.SVC(kernel=RBF(1.0), method="nystrom", n_landmarks=30).fit(parquet / "classes.parquet", "class")
    assert list(machine.classes_) == ["high", "low"]
    assert_array_equal(machine.predict(parquet / "classes.parquet"), inside.predict(X))


@pytest.mark.parametrize(
    "machine",
    [
        mercer.KernelLogisticRegression(method="nystrom", n_landmarks=20),
        mercer.SVR(method="nystrom", n_landmarks=20),
        mercer.KernelRidgeCV([RBF(1.0), RBF(3.0), RBF(9.0)], method="nystrom", n_landmarks=20),
        mercer.Nystroem(n_components=20, random_state=0),
        mercer.KernelPCA(2, kernel="rbf", method="nystrom", n_landmarks=20),
        mercer.KernelKMeans(2, method="nystrom", n_landmarks=20, random_state=0),
    ],
    ids=lambda machine: type(machine).__name__,
)
def test_every_machine_on_landmarks_reads_maps_H2(machine, mapped):
    from sklearn.base import clone

    target = labels if hasattr(machine, "predict_proba") else y
    inside, outside = clone(machine).fit(X, target), clone(machine).fit(mapped, target)
    name = "predict" if hasattr(machine, "predict") else "transform"
    one, other = getattr(inside, name)(X), getattr(outside, name)(mapped)
    assert_array_equal(one, other) if one.dtype.kind in "OU" else assert_allclose(other, one, atol=1e-5)


def test_an_exact_fit_reads_a_file_into_memory_H2(parquet):
    machine = mercer.KernelRidge(kernel=RBF(1.0)).fit(parquet / "rows.parquet", "y")
    assert machine.method_ == "exact"
    assert_allclose(machine.predict(X), mercer.KernelRidge(kernel=RBF(1.0)).fit(X, y).predict(X), atol=1e-3)
    with mercer.configure(memory=2**16), pytest.raises(mercer.MemoryBudgetError, match="method='nystrom'"):
        mercer.KernelRidge(kernel=RBF(1.0)).fit(iter([(np.zeros((3000, 3)), np.zeros(3000))]), None)


BROKEN = np.array(X[:9])
BROKEN[4, 2] = np.nan
FAULTS = {
    "empty": ([(X[:9], y[:9]), (X[:0], y[:0])], "block 1: X must be one row or more"),
    "width": ([(X[:9], y[:9]), (X[:9, :2], y[:9])], "block 1: X must be 3 columns wide.*got 2 columns"),
    "nan": ([(X[:9], y[:9]), (X[:9], y[:9]), (BROKEN, y[:9])], "block 2: .*nan at row 4, column 2"),
    "nan in y": ([(X[:9], y[:9]), (X[:9], BROKEN[:, 2])], "block 1: y must be finite numbers; got nan at row 4"),
    "length": ([(X[:9], y[:8])], r"block 0: y must be 9 targets.*\(8,\)"),
    "type": ([(X[:9], y[:9]), (X[:9].astype(float), y[:9])], "block 1: X must be float32"),
    "nothing": ([], "one block or more"),
}


@pytest.mark.parametrize("fault", list(FAULTS))
def test_a_fault_names_its_block_and_nothing_is_half_fitted_I5(fault):
    given, words = FAULTS[fault]
    machine = ridge(n_landmarks=5)
    with pytest.raises(ValueError, match=words):
        machine.fit(iter(given), None)
    assert not [name for name in vars(machine) if name.endswith("_")]


def test_other_faults_of_files_are_told_I5(mapped, parquet, tmp_path):
    pyarrow = pytest.importorskip("pyarrow.parquet")
    del pyarrow
    np.save(tmp_path / "broken.npy", BROKEN)
    (tmp_path / "noise.parquet").write_bytes(b"no table")
    for X_, y_, words in [
        (mapped, y[:9], "y must be 300 long, as X has rows; got 9 targets"),
        (np.load(tmp_path / "broken.npy", mmap_mode="r"), y[:9], "nan at row 4, column 2"),
        (parquet / "rows.parquet", "z", "y must be a column of"),
        (parquet / "rows.parquet", None, "Name the target column"),
        (parquet / "classes.parquet", "c0", "column 'class' must be numbers; got string"),
        (tmp_path / "noise.parquet", "y", "must be a Parquet file"),
    ]:
        with pytest.raises(ValueError, match=words):
            ridge(n_landmarks=5).fit(X_, y_)
    with pytest.raises(TypeError, match="a pair"):
        ridge(n_landmarks=5).fit(blocks(X), None)
    with pytest.raises(ValueError, match="block 0: X must be 3 columns wide"):
        ridge(n_landmarks=5).fit(mapped, y).predict(iter([X[:, :2]]))


def test_a_model_from_a_map_is_saved_without_it_M1(mapped, tmp_path):
    machine = ridge().fit(mapped, y)
    mercer.save(machine, tmp_path / "model.mercer")
    assert_allclose(mercer.load(tmp_path / "model.mercer").predict(X), machine.predict(X), atol=1e-12)
