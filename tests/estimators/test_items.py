"""Machines on any kind of item: strings, sets, rows of tables, functions of two items (I1, I3)."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.model_selection import GridSearchCV, cross_val_score

from mercer import (
    SVC,
    SVR,
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    KernelRidge,
    NuSVC,
    NuSVR,
    OneClassSVM,
)
from mercer.items import Vectors
from mercer.kernels import RBF, Hamming, Intersection, Linear, Normalised, On, Similarity, Spectrum, TfIdf

rng = np.random.default_rng(0)
n = 60
code = np.arange(n) % 3
y = np.array(["x", "y", "z"])[code]
words = ["".join(rng.choice(list("abcd"[c : c + 2]), size=12)) for c in code]
sets = [set(rng.choice(range(4 * c, 4 * c + 6), size=4).tolist()) for c in code]
numbers = rng.normal(size=(n, 2)) + code[:, None]
table = {"text": words, "age": numbers[:, 0].tolist(), "town": [f"t{c}" for c in rng.integers(0, 3, n)]}

KINDS = {
    "strings": (Normalised(Spectrum(2)), words),
    "sets": (Intersection(), sets),
    "documents": (TfIdf(), [" ".join(word) for word in words]),
    "rows": (On("text", Normalised(Spectrum(2))) + On("age", RBF(1.0)) + On("town", Hamming()), table),
    "vectors": (RBF(1.0), numbers),
    "wrapped": (RBF(1.0), Vectors.check(numbers, "test")),
}
MACHINES = [SVC(), NuSVC(), SVR(), NuSVR(), OneClassSVM()]
kinds = pytest.mark.parametrize("kind", KINDS)
machines = pytest.mark.parametrize("machine", MACHINES, ids=lambda m: type(m).__name__)


def values(machine, X):
    return machine.decision_function(X) if hasattr(machine, "decision_function") else machine.predict(X)


@machines
@kinds
def test_a_machine_on_items_is_the_machine_on_their_gram_I1_I3(machine, kind):
    k, items = KINDS[kind]
    target = y if isinstance(machine, (SVC, NuSVC)) else code.astype(float)
    settings = machine.get_params() | {"tol": 1e-8}
    direct = type(machine)(**settings | {"kernel": k}).fit(items, target)
    K = k.fit(items)(items)
    given = type(machine)(**settings | {"kernel": "precomputed"}).fit(K, target)
    assert_allclose(values(direct, items), values(given, K), atol=1e-5)


@kinds
def test_only_support_vectors_are_kept_and_pickled_I7(kind):
    k, items = KINDS[kind]
    m = SVC(kernel=k, C=10.0).fit(items, y)
    again = pickle.loads(pickle.dumps(m))
    assert len(m._kept) == len(m.support_) < n
    assert_array_equal(again.decision_function(items), m.decision_function(items))


def test_support_vectors_are_the_items_as_they_came():
    m = SVC(kernel=Spectrum(2), C=10.0).fit(words, y)
    assert m.support_vectors_ == [words[i] for i in m.support_]
    m = SVC(kernel=RBF(), C=10.0).fit(numbers, y)
    assert_array_equal(m.support_vectors_, numbers[m.support_])


def test_a_learned_kernel_learns_from_the_training_items_only():
    """The idf weights are those of the training items, also when other items are predicted alone."""
    k, items = KINDS["documents"]
    m = SVC(kernel=k).fit(items[:40], y[:40])
    together = m.decision_function(items[40:])
    alone = np.vstack([m.decision_function([item]) for item in items[40:]])
    assert_allclose(alone, together, atol=1e-12)


def test_strings_go_through_cross_validation_and_search_I4():
    k = Normalised(Spectrum(2))
    assert cross_val_score(SVC(kernel=k), words, y, cv=3).mean() > 0.9
    assert cross_val_score(SVC(kernel=k), np.array(words), y, cv=3).mean() > 0.9
    search = GridSearchCV(SVC(kernel=k), {"kernel__k1__k": [1, 2], "C": [1.0]}, cv=3).fit(words, y)
    assert search.best_score_ > 0.9


def test_tables_of_any_library_give_the_same_machine_I1():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    k, _ = KINDS["rows"]
    frames = (table, pd.DataFrame(table), pl.DataFrame(table))
    one, two, three = (SVC(kernel=k).fit(frame, y).decision_function(frame) for frame in frames)
    assert_array_equal(one, two)
    assert_array_equal(one, three)


@pytest.mark.parametrize("X", [numbers, csr_matrix(numbers), numbers.astype("f4")], ids=["dense", "csr", "single"])
def test_a_function_of_two_datasets_is_a_kernel(X):
    def dot(A, B):
        return A @ B.T

    m = SVC(kernel=dot, tol=1e-6).fit(X, y)
    assert_allclose(m.decision_function(X), SVC(kernel="linear", tol=1e-6).fit(X, y).decision_function(X), atol=1e-3)
    assert not hasattr(m, "coef_")


def test_a_function_of_two_datasets_gets_arrays_also_from_a_table():
    pd = pytest.importorskip("pandas")

    def dot(A, B):
        assert isinstance(A, np.ndarray)
        return A @ B.T

    frame = pd.DataFrame(numbers, columns=["a", "b"])
    assert_array_equal(SVC(kernel=dot).fit(frame, y).predict(frame), SVC(kernel=dot).fit(numbers, y).predict(numbers))


def test_a_function_of_two_items_is_a_kernel_on_anything():
    def common(a, b):
        return float(len(a & b))

    one, other = (SVC(kernel=k).fit(sets, y).decision_function(sets) for k in (Similarity(common), Intersection()))
    assert_allclose(one, other, atol=1e-2)


@machines
def test_items_of_another_kind_are_refused(machine):
    k = Normalised(Spectrum(2))
    with pytest.raises((TypeError, ValueError), match=r"text|strings"):
        type(machine)(kernel=k).fit(numbers, code)
    m = type(machine)(kernel=k).fit(words, code)
    with pytest.raises((TypeError, ValueError), match=r"text|strings"):
        m.predict(numbers)


def test_labels_are_checked_for_items_of_any_kind_I5():
    k = Spectrum(2)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        SVR(kernel=k).fit(words, np.where(code, 1.0, np.nan))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        SVC(kernel=k).fit(words, y[:-1])
    with pytest.raises(ValueError, match="requires y"):
        SVC(kernel=k).fit(words, None)


@pytest.mark.parametrize("X", [numbers, csr_matrix(numbers)], ids=["dense", "csr"])
def test_a_linear_machine_is_evaluated_by_its_weights(X):
    m = SVR(kernel=Linear(), tol=1e-6).fit(X, code.astype(float))
    coef = m.coef_.toarray() if hasattr(m.coef_, "toarray") else m.coef_
    assert_allclose(m.predict(X), (X @ coef.T).ravel() + m.intercept_, atol=1e-12)


@pytest.mark.parametrize("machine", [SVC, SVR, KernelRidge, GaussianProcessRegressor, GaussianProcessClassifier])
def test_a_class_in_place_of_a_kernel_is_told_so_I5(machine):
    with pytest.raises(ValueError, match=r"kernel must be .*A class is not a kernel yet: write RBF\(\.\.\.\)"):
        machine(kernel=RBF).fit(numbers, code)


@pytest.mark.parametrize("machine", [SVC(), SVR(kernel=RBF(1.0)), KernelRidge(), GaussianProcessRegressor("rbf")])
@pytest.mark.parametrize("items", [words, sets, [{"a": 1}] * n], ids=["strings", "sets", "dicts"])
def test_items_for_which_a_kernel_is_not_made_are_refused_with_a_cure_I5(machine, items):
    with pytest.raises(TypeError, match=r"must be rows of numbers for kernel = .*Choose a kernel for such items"):
        machine.fit(items, code)
