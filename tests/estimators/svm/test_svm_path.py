"""The public path function (M23): every SVC of a dataset at once, on any items, at the price of a few fits (C15)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mercer
from mercer import LazyGram, StoredGram, svm_path
from mercer.kernels import RBF, Linear, Spectrum
from mercer.solvers.dual import solve, svc

rng = np.random.default_rng(6)
X = rng.normal(size=(60, 2))
y = np.where(X[:, 0] + X[:, 1] ** 2 + 0.4 * rng.normal(size=60) > 0.7, "b", "a")
new = rng.normal(size=(7, 2))


@pytest.mark.parametrize("kernel", [RBF(1.0), Linear()], ids=repr)
def test_it_is_the_svc_at_and_between_its_events_M23(kernel):
    path = svm_path(X, y, kernel, C_max=50.0)
    assert path.solution.converged
    bends = path.C[:: max(len(path.C) // 6, 1)]
    between = np.sqrt(bends[:-1] * bends[1:])
    gram, sign = LazyGram(kernel, X), np.where(y == "b", 1.0, -1.0)
    for C in [0.5 * path.C[0], *bends, *between]:
        refit = solve(gram, svc(sign, C), tol=1e-4)
        coef, intercept = path.coef(C)
        f = gram @ coef
        primal = 0.5 * coef @ f + C * np.maximum(0.0, 1.0 - sign * (f + intercept)).sum()
        assert_allclose(primal, refit.dual, rtol=1e-5)
        assert_allclose(path.decision_function(new, C), kernel(new, X) @ refit.coef + intercept, atol=5e-3)


def test_it_agrees_with_the_estimator_M23():
    path = svm_path(X, y, gamma=0.5)
    for C in (0.2, 3.0, 40.0):
        machine = mercer.SVC(C=C, gamma=0.5, tol=1e-6).fit(X, y)
        assert_allclose(path.decision_function(new, C), machine.decision_function(new), atol=1e-3)
        assert_array_equal(path.predict(new, C), machine.predict(new))
        assert path.n_support(C) == machine.n_support_.sum()


def test_many_values_of_C_are_columns():
    path = svm_path(X, y)
    Cs = [0.1, 1.0, 10.0]
    f = path.decision_function(new, Cs)
    assert f.shape == (7, 3)
    assert_allclose(f, np.column_stack([path.decision_function(new, C) for C in Cs]), rtol=1e-12)
    assert path.predict(new, Cs).shape == (7, 3)
    assert (np.diff(path.margin(Cs)) < 0.0).all()


@pytest.mark.parametrize("labels", [[0, 1], [-1, 1], [True, False], ["x", "y"], [2.0, 7.0]], ids=str)
def test_labels_are_of_any_type_and_the_second_class_is_positive(labels):
    first, second = np.unique(labels)
    path = svm_path(X, np.where(y == "b", second, first))
    assert_array_equal(path.classes, [first, second])
    assert_allclose(path.decision_function(new, 2.0), svm_path(X, y).decision_function(new, 2.0), rtol=1e-9)
    assert set(path.predict(new, 2.0)) <= {first, second}


def test_a_precomputed_gram_gives_the_same_path_I3():
    k = RBF(0.8)
    ours, given = svm_path(X, y, k), svm_path(k(X), y, "precomputed")
    assert_allclose(given.C, ours.C, rtol=1e-9)
    assert_allclose(given.decision_function(k(new, X), 3.0), ours.decision_function(new, 3.0), atol=1e-8)


def test_words_have_a_path_too():
    words = ["abab", "abba", "baba", "aabb", "cdcd", "dccd", "ddcc", "cdcc", "abcd", "dcba"]
    path = svm_path(words, ["ab"] * 4 + ["cd"] * 4 + ["ab", "cd"], Spectrum(2))
    assert_array_equal(path.predict(["bbab", "dcdc"], 1.0), ["ab", "cd"])


def test_the_kernel_is_evaluated_once_for_the_whole_path_C15():
    """50 fits would evaluate it 50 times; and the events are a small multiple of the items."""
    asked = []

    def counting(A, B):
        asked.append(len(A) * len(B))
        return np.exp(-((A[:, None] - B) ** 2).sum(axis=2))

    path = svm_path(X, y, counting)
    assert sum(asked) <= 2 * len(X) ** 2  # one half is mirrored; the diagonal and the number type are asked for too
    assert len(X) // 4 < len(path.events) < 20 * len(X)
    before = len(asked)
    path.coef(np.geomspace(1e-3, 10.0, 50))
    assert len(asked) == before


def test_events_belong_to_bends_in_order():
    path = svm_path(X, y)
    assert (np.diff(path.C) > 0.0).all()
    knots = [event.knot for event in path.events]
    assert knots == sorted(knots)
    assert {event.kind for event in path.events} <= {"enter", "zero", "one"}
    assert max(knots) <= len(path.C) - 1


def test_a_ridge_is_added_to_the_diagonal():
    K = RBF(1.0)(X)
    ours = svm_path(X, y, RBF(1.0), ridge=0.1)
    by_hand = svm_path(K + 0.1 * np.eye(60), y, "precomputed")
    assert_allclose(ours.coef(5.0)[0], by_hand.coef(5.0)[0], atol=1e-9)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: svm_path(X, np.zeros(60)), "two classes"),
        (lambda: svm_path(X, np.arange(60) % 3), "two classes"),
        (lambda: svm_path(X, y, C_max=0.0), "C_max must be a positive"),
        (lambda: svm_path(X, y, "cubic"), "kernel must be"),
        (lambda: svm_path(X, y).coef(-1.0), "C must be positive"),
        (lambda: svm_path(X, y, C_max=1.0).coef(10.0), "where the path ends"),
        (lambda: svm_path(X[:, :1] * np.nan, y), "NaN"),
        (lambda: svm_path(X, y).decision_function(X[:, :1], 1.0), "features"),
    ],
)
def test_bad_input_is_named_I5(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_a_refit_is_a_point_of_the_path_for_a_stored_gram_too():
    K, sign = RBF(1.0)(X), np.where(y == "b", 1.0, -1.0)
    C = 7.0
    refit = solve(StoredGram(K), svc(sign, C), tol=1e-7)
    assert_allclose(K @ svm_path(X, y, RBF(1.0)).coef(C)[0], K @ refit.coef, atol=1e-4)
