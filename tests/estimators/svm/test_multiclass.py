"""One against one: the layout of coefficients, votes, and how many machines are fitted (M21, C16)."""

from __future__ import annotations

from importlib import import_module
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

from mercer import SVC, NuSVC, configure
from mercer.estimators.svm import svc as svc_module
from mercer.estimators.svm.multiclass import column, one_vs_rest, pair_values, pairs_of, spread, winners
from mercer.kernels import RBF

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 3))
codes = rng.integers(0, 4, 90)
labels = np.array(["ash", "beech", "cedar", "elm"])[codes]
K = RBF()(X)


class Matrix:
    """A cross Gram held as an array."""

    def __init__(self, K):
        self.K, self.shape = K, K.shape

    def block(self, r, c):
        return self.K[r, c]


# ---- layout


def test_every_pair_is_listed_once_with_its_items_M21():
    used = np.flatnonzero(np.arange(90) % 5)
    pairs = pairs_of(codes, used, 4)
    assert list(zip(pairs.first, pairs.second, strict=True)) == list(combinations(range(4), 2))
    assert len(pairs) == 6
    for p, (first, second) in enumerate(combinations(range(4), 2)):
        y, index = pairs.y[pairs.span(p)], pairs.index[pairs.span(p)]
        assert_array_equal(np.where(y > 0, first, second), codes[index])
        assert_array_equal(np.sort(index), used[np.isin(codes[used], (first, second))])


def test_two_classes_are_one_machine_with_the_second_positive_M21():
    pairs = pairs_of(codes % 2, np.arange(90), 2)
    assert (pairs.first.tolist(), pairs.second.tolist()) == ([1], [0])
    assert_array_equal(pairs.y, np.where(codes % 2, 1.0, -1.0))
    assert_array_equal(pairs.index, np.arange(90))


def test_a_class_has_one_column_for_every_opponent():
    for own in range(5):
        assert [column(own, o) for o in range(5) if o != own] == [0, 1, 2, 3]


def test_the_streamed_sum_is_the_sum_over_each_pairs_own_coefficients():
    pairs = pairs_of(codes, np.arange(90), 4)
    coefs = rng.normal(size=len(pairs.index))
    order = np.argsort(codes, kind="stable")
    columns, counts = pairs.by_item(coefs, 90)[order], np.bincount(codes)
    spans = [pairs.span(p) for p in range(6)]
    expected = np.column_stack([K[:, pairs.index[s]] @ coefs[s] for s in spans])
    assert_allclose(pair_values(Matrix(K[:, order]), columns, counts, lambda sums: sums), expected, atol=1e-12)
    assert_allclose(K[:, order] @ spread(columns, counts), expected, atol=1e-12)


def test_numbers_of_all_pairs_may_be_rows():
    pairs = pairs_of(codes, np.arange(90), 4)
    rows = rng.normal(size=(len(pairs.index), 3))
    found = pairs.by_item(rows, 90)
    assert found.shape == (90, 3, 3)
    for m in range(3):
        assert_array_equal(found[:, :, m], pairs.by_item(rows[:, m], 90))


# ---- votes


def test_most_votes_win_and_the_first_class_wins_ties_M21():
    assert_array_equal(winners(np.array([[1.0, 1.0, 0.5], [-1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, -1.0, -1.0]]), 3),
                       [0, 1, 0, 2])  # fmt: skip


def test_votes_by_class_are_within_a_third_of_their_number_M21():
    values = rng.normal(size=(200, 6)) * 10.0
    V = one_vs_rest(values, 4)
    assert_allclose(np.rint(V).sum(axis=1), 6)
    assert (np.abs(V - np.rint(V)) < 1.0 / 3.0).all()
    tops = np.sort(np.rint(V), axis=1)
    clear = tops[:, -1] > tops[:, -2]
    assert_array_equal(V.argmax(axis=1)[clear], winners(values, 4)[clear])


# ---- machines


def test_as_many_problems_are_solved_as_there_are_pairs_M21_C16(monkeypatch):
    sizes, solve_all = [], svc_module.solve_all

    def counted(gram, problems, limits):
        sizes.extend(problems.sizes.tolist())
        return solve_all(gram, problems, limits)

    monkeypatch.setattr(svc_module, "solve_all", counted)
    m = SVC().fit(X, labels)
    assert len(sizes) == 6
    assert sum(sizes) == 3 * 90  # every item meets each of the three other classes
    assert len(m.solution_) == len(m.certificate_.parts) == len(m.intercept_) == len(m.n_iter_) == 6
    sizes.clear()
    OneVsRestClassifier(SVC()).fit(X, labels)
    assert sizes == [90] * 4


def test_pairs_solved_together_are_those_solved_one_by_one_M21(monkeypatch):
    together = SVC(tol=1e-5, probability=True).fit(X, labels)
    monkeypatch.setattr(import_module("mercer.solvers.dual.solve"), "STORED", 0)
    alone = SVC(tol=1e-5, probability=True).fit(X, labels)
    assert_allclose(together.decision_function(X), alone.decision_function(X), atol=1e-4)
    assert_allclose(together.predict_proba(X), alone.predict_proba(X), atol=0.02)
    for part, twin in zip(together.certificate_.parts, alone.certificate_.parts, strict=True):
        assert part.name == twin.name
        assert part.gradient_error == 0.0  # the small Gram is in double precision throughout
        assert_allclose(part.dual, twin.dual, rtol=1e-5)


@pytest.mark.parametrize("machine", [SVC(C=3.0, tol=1e-8), NuSVC(nu=0.3, tol=1e-8)], ids=["C", "nu"])
def test_each_pair_is_the_machine_of_its_two_classes_M21(machine):
    machine.set_params(gamma=0.4, decision_function_shape="ovo").fit(X, labels)
    values = machine.decision_function(X)
    alone = type(machine)(**machine.get_params())
    for p, (i, j) in enumerate(combinations(range(4), 2)):
        some = np.isin(codes, (i, j))
        f = alone.fit(X[some], codes[some]).decision_function(X)
        assert_allclose(values[:, p], -f, atol=1e-5)  # two classes are told with the second one positive
    names = [part.name for part in machine.certificate_.parts]
    assert names[1] == "ash against cedar"


@pytest.mark.parametrize("n", [300, 3000], ids=["in batches", "one by one"])
def test_solutions_are_in_the_order_of_the_pairs_M21(n):
    """Problems are solved the largest first; the rare class comes first among the pairs."""
    t = np.random.default_rng(0).choice(3, n, p=[0.05, 0.65, 0.3])
    Z = np.random.default_rng(1).normal(size=(n, 2)) + np.column_stack([3.0 * t, np.zeros(n)])
    m = SVC().fit(Z, t)
    for solution, part, intercept in zip(m.solution_, m.certificate_.parts, m.intercept_, strict=True):
        assert solution.dual == part.dual
        assert solution.bias == intercept


def test_pairs_agree_with_scikit_learns_own_one_against_one_M21():
    ours = SVC(gamma=0.4).fit(X, labels)
    assert (OneVsOneClassifier(SVC(gamma=0.4)).fit(X, labels).predict(X) == ours.predict(X)).mean() > 0.95


def test_scikit_learns_one_against_rest_works_also_on_a_gram_M21():
    direct = OneVsRestClassifier(SVC(kernel=RBF())).fit(X, labels)
    given = OneVsRestClassifier(SVC(kernel="precomputed")).fit(K, labels)
    assert_array_equal(given.predict(K), direct.predict(X))
    assert_allclose(given.decision_function(K), direct.decision_function(X), atol=1e-3)


def test_a_linear_machine_of_many_classes_is_evaluated_by_its_weights_M21():
    m = SVC(kernel="linear", decision_function_shape="ovo").fit(X, labels)
    assert m.coef_.shape == (6, 3)
    assert_allclose(m.decision_function(X), X @ m.coef_.T + m.intercept_, atol=1e-10)
    assert_allclose(m.decision_function(X), (X @ X[m.support_].T) @ spread(m.dual_coef_.T, m.n_support_) + m.intercept_,
                    atol=1e-9)  # fmt: skip


def test_prediction_never_holds_all_kernel_values():
    import tracemalloc

    items = rng.normal(size=(2000, 3))
    m = SVC(C=0.01).fit(items, rng.integers(0, 3, 2000))  # nearly all items are support vectors
    many = rng.normal(size=(20_000, 3))
    with configure(threads=1):
        m.predict(many[:10])
        tracemalloc.start()
        m.predict(many)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 20_000 * len(m.support_) * 8 / 20


def test_string_labels_come_back_in_sorted_order():
    m = SVC().fit(X, labels)
    assert m.classes_.tolist() == ["ash", "beech", "cedar", "elm"]
    assert set(m.predict(X)) <= set(labels)
