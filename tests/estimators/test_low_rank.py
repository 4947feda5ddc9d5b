"""method="nystrom": what is refused, what it costs, blocks of rows, and single precision (H1, H2)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError

import mercer
from mercer.estimators.training_data import KernelItems, LowRankItems
from mercer.kernels import RBF, Linear, Spectrum
from mercer.solvers.ridge import low_rank
from mercer.solvers.ridge.blocks import NormalEquations, RowBlock

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=60)
labels = y > 0.0


@pytest.mark.parametrize(("options", "words"), [
    ({"method": "fast"}, "method must be one of"),
    ({"n_landmarks": 61}, r"n_landmarks must be at most the number of items \(60 samples\); got 61"),
    ({"n_landmarks": 0}, "n_landmarks must be an integer >= 1"),
    ({"n_landmarks": 2.5}, "n_landmarks must be an integer >= 1"),
    ({"landmarks": "best"}, "landmarks must be one of"),
    ({"landmarks": X[[3, 5, 3]]}, "landmarks must be different items; got items 0 and 2 that are equal"),
    ({"landmarks": X[:0]}, "landmarks must be one item or more"),
    ({"landmarks": X[:3, :2]}, "columns"),
])  # fmt: skip
@pytest.mark.parametrize("machine", [mercer.KernelRidge, mercer.SVC, mercer.KernelLogisticRegression])
def test_bad_landmarks_are_refused_and_nothing_is_half_fitted_I5(machine, options, words):
    model = machine(**{"kernel": RBF(1.0), "method": "nystrom"} | options)
    target = y if machine is mercer.KernelRidge else labels
    with pytest.raises(ValueError, match=words):
        model.fit(X, target)
    with pytest.raises((NotFittedError, AttributeError)):
        model.predict(X)
    assert not hasattr(model, "dual_coef_")
    assert not hasattr(model, "method_")


def test_a_kernel_that_is_not_positive_is_refused_I5():
    K = RBF(1.0)(X) - 0.5 * np.eye(60)
    model = mercer.KernelRidge(kernel="precomputed", method="nystrom", n_landmarks=30, check_psd="off")
    with pytest.raises(mercer.NotPositiveDefinite):
        model.fit(K, y)
    assert not hasattr(model, "dual_coef_")


def test_given_landmarks_need_not_be_among_the_items_H1():
    Z = rng.normal(size=(10, 3))
    model = mercer.KernelRidge(0.1, kernel=RBF(1.0), method="nystrom", landmarks=Z).fit(X, y)
    assert (model.support_ == -1).all()
    assert model.approximation_.landmarks == "given"
    K, W = RBF(1.0)(X, Z), RBF(1.0)(Z)
    coef = np.linalg.solve(K.T @ K + 0.1 * W, K.T @ y)
    assert_allclose(model.predict(X), K @ coef, atol=1e-8)


def test_other_items_than_vectors_H1():
    texts = ["kernel", "kernels", "colonel", "corn", "corner", "horn", "barn", "kern"]
    model = mercer.SVC(kernel=Spectrum(2), method="nystrom", n_landmarks=8, tol=1e-9)
    f = model.fit(texts, [1, 1, 1, 0, 0, 0, 0, 1]).decision_function(texts)
    exact = mercer.SVC(kernel=Spectrum(2), tol=1e-9).fit(texts, [1, 1, 1, 0, 0, 0, 0, 1])
    assert_allclose(f, exact.decision_function(texts), atol=1e-6)


def test_costs_are_told_before_the_work_and_the_default_is_exact_I5():
    big = np.empty((20_000, 2))
    costs = mercer.KernelRidge(kernel="rbf", n_landmarks=100).estimate_cost(big)
    assert costs["exact"].bytes == 8 * 20_000**2
    assert costs["nystrom"].seconds < costs["exact"].seconds
    assert costs["nystrom"].bytes < costs["exact"].bytes
    with mercer.configure(memory=10**8):
        model = mercer.KernelRidge(kernel=RBF(1.0), n_landmarks=100)
        with pytest.raises(mercer.MemoryBudgetError, match=r"method='nystrom' with 100 landmarks takes about"):
            model.fit(np.zeros((20_000, 2)), np.zeros(20_000))
        low = model.set_params(method="auto", alpha=1.0, n_landmarks=20).fit(rng.normal(size=(6000, 2)), np.ones(6000))
    assert low.method_ == "nystrom"
    assert model.set_params(method="auto").fit(X, y).method_ == "exact"
    assert "s and" in str(costs["exact"])


def test_what_needs_all_items_says_so_H1():
    model = mercer.KernelRidge(0.1, kernel=RBF(1.0), method="nystrom").fit(X, y)
    for change in (lambda: model.update(X, y), lambda: model.remove([0]), model.leave_one_out):
        with pytest.raises(ValueError, match="KernelRidge: method must be 'exact' for"):
            change()


def test_a_search_fits_machines_on_landmarks_as_they_are_H1():
    search = mercer.KernelSearchCV(mercer.SVC(method="nystrom", n_landmarks=10), {"C": [0.1, 1.0]}, cv=2).fit(X, labels)
    assert search.best_estimator_.method_ == "nystrom"


def blocks_of(n, single=False):
    data = LowRankItems.of("test", KernelItems.of(RBF(1.0), X[:n]), 20, "rpcholesky", 0, single=single)
    return data, data.blocks(y[:n, None], rng.uniform(0.5, 2.0, n))


def test_sums_of_blocks_are_the_sums_of_all_rows_whatever_the_cut_H2():
    data, blocks = blocks_of(60)
    whole = NormalEquations.of(blocks, single=False)
    K = data.panel(np.arange(60))
    w = blocks.weight
    assert_allclose(np.tril(whole.A), np.tril(K.T @ (w[:, None] * K)), rtol=1e-10)
    parts = NormalEquations.zero(20, 1)
    for r in (slice(0, 7), slice(7, 31), slice(31, 60)):
        part = NormalEquations.zero(20, 1)
        part.add(RowBlock(K[r], np.ones(r.stop - r.start), y[r, None], w[r]))
        parts.merge(part)
    for name in ("A", "B", "c", "weight", "y", "yy", "count", "trace"):
        assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-10, err_msg=name)
    with pytest.raises(ValueError, match="a block must be one row or more"):
        RowBlock(K[:0], np.ones(0), y[:0, None], w[:0])
    with pytest.raises(ValueError, match="a block must be one row or more"):
        RowBlock(K, np.ones(60), y[:3, None], w)


@pytest.mark.parametrize("columns", ["a common factor", "constant", "zero"])
def test_sums_of_rows_in_single_precision_are_those_of_their_numbers_H2(columns):
    n = 5000  # more than are added up in single precision at a time
    K = (
        10.0 + rng.normal(size=(n, 1)) + 1e-3 * rng.normal(size=(n, 7))
        if columns == "a common factor"
        else np.ones((n, 7))
    )
    K = (K * (columns != "zero")).astype(np.float32)
    w, Y = rng.uniform(0.5, 2.0, n), rng.normal(size=(n, 2))
    rough, exact = NormalEquations.zero(7, 2), NormalEquations.zero(7, 2)
    rough.add(RowBlock(K, np.ones(n), Y, w))
    exact.add(RowBlock(K.astype(float), np.ones(n), Y, w))
    assert_allclose(np.tril(rough.A), np.tril(exact.A), rtol=1e-12)  # single precision of 1e-6 of K'K
    assert_allclose(rough.B, exact.B, rtol=1e-12)
    assert_allclose(rough.c, exact.c, rtol=1e-12)


@pytest.mark.parametrize("intercept", [False, True])
def test_single_precision_is_moved_to_the_answer_of_double_precision_H2(intercept):
    data, blocks = blocks_of(60, single=True)
    answers = []
    for single in (False, True):
        system = low_rank.one_pass(blocks, data.factor, intercept=intercept, single=single)
        answers.append(low_rank.solve_low_rank(blocks, system, 0.5, missed=system.missed))
    assert_allclose(answers[1].coef, answers[0].coef, rtol=1e-5, atol=1e-7)
    assert answers[1].certificate.relative_gap < 1e-9


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(("lengthscale", "alpha", "safe"), [(1.0, 1e-4, True), (20.0, 1e-9, False), (20.0, 1e6, True)])
def test_single_precision_is_for_sums_that_it_hardly_changes_H2(lengthscale, alpha, safe, intercept):
    data = LowRankItems.of("test", KernelItems.of(RBF(lengthscale), X), 20, "rpcholesky", 0)
    blocks = data.blocks(y[:, None], np.ones(len(X)))
    assert low_rank.single_is_safe(blocks, data.factor, len(X), alpha, intercept=intercept) == safe
    exact, rough = (
        low_rank.one_pass(blocks, data.factor, intercept=intercept, single=single).matrix() for single in (False, True)
    )
    share = np.linalg.solve(exact + alpha * np.eye(len(exact)), rough - exact)
    assert (abs(np.linalg.eigvals(share)).max() < 0.1) == safe


@pytest.mark.parametrize("intercept", [False, True])
def test_many_landmarks_go_by_conjugate_gradients_to_the_same_answer_H2(intercept, monkeypatch):
    machine = mercer.KernelRidge(0.5, kernel=RBF(1.0), fit_intercept=intercept, method="nystrom", n_landmarks=25)
    one = machine.fit(X, np.column_stack([y, X[:, 1]])).predict(X)
    monkeypatch.setattr("mercer.estimators.ridge.landmarks.ONE_PASS", 5)
    other = machine.fit(X, np.column_stack([y, X[:, 1]]))
    assert_allclose(other.predict(X), one, atol=1e-6)
    assert other.certificate_.converged


def test_linear_rows_and_sparse_rows_H1():
    from scipy.sparse import csr_matrix

    model = mercer.KernelRidge(0.1, kernel=Linear(), method="nystrom").fit(csr_matrix(X), y)
    assert model.approximation_.rank == 3
    assert_allclose(model.predict(csr_matrix(X)), mercer.KernelRidge(0.1).fit(X, y).predict(X), atol=1e-8)
