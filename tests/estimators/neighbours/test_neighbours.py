"""Nearest neighbours by kernel distance (M7, T12, T35)."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import mercer
from mercer import KernelKNeighborsClassifier, KernelKNeighborsRegressor, KernelSearchCV
from mercer.estimators.neighbours.classifier import shares
from mercer.kernels import (
    RBF,
    Geometric,
    Homogeneous,
    Intersection,
    Linear,
    Normalised,
    Polynomial,
    Similarity,
    Spectrum,
    SubsetCount,
)

rng = np.random.default_rng(0)
X, Z = rng.normal(size=(120, 3)), rng.normal(size=(50, 3))
y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + 0.5 * rng.normal(size=120), [-0.4, 0.4])]
t = np.column_stack([np.sin(X[:, 0]), X[:, 1] ** 2])
WEIGHTS = ["uniform", "distance", lambda d: np.exp(-d)]


# ---- agreement with scikit-learn


@pytest.mark.parametrize("weights", WEIGHTS, ids=["uniform", "distance", "function"])
@pytest.mark.parametrize("k", [1, 4, 7])
def test_the_linear_kernel_is_euclidean_M7(k, weights):
    ours = KernelKNeighborsClassifier(k, weights=weights, kernel="linear").fit(X, y)
    theirs = KNeighborsClassifier(k, weights=weights).fit(X, y)
    assert_allclose(ours.predict_proba(Z), theirs.predict_proba(Z), atol=1e-12)
    ours = KernelKNeighborsRegressor(k, weights=weights, kernel="linear").fit(X, t)
    theirs = KNeighborsRegressor(k, weights=weights).fit(X, t)
    assert_allclose(ours.predict(Z), theirs.predict(Z), atol=1e-12)


@pytest.mark.parametrize("gamma", [1e-6, "scale", 1e6])
def test_a_radial_kernel_has_the_same_neighbours_as_the_euclidean_distance_M7(gamma):
    ours, theirs = KernelKNeighborsClassifier(gamma=gamma).fit(X, y), KNeighborsClassifier().fit(X, y)
    assert_array_equal(ours.kneighbors(Z, return_distance=False), theirs.kneighbors(Z, return_distance=False))
    assert_array_equal(ours.kneighbors(n_neighbors=3)[1], theirs.kneighbors(n_neighbors=3)[1])
    assert (ours.predict(Z) == theirs.predict(Z)).mean() > 0.9  # but for ties of votes


def test_distances_are_those_of_the_kernel_T12():
    k = RBF(0.8) + Polynomial(2)
    d, index = KernelKNeighborsClassifier(6, kernel=k).fit(X, y).kneighbors(Z)
    D = mercer.distance(k, Z, X)
    assert_allclose(d, np.sort(D, axis=1)[:, :6], atol=1e-7)
    assert_allclose(np.take_along_axis(D, index, axis=1), d, atol=1e-7)


@pytest.mark.parametrize("mode", ["connectivity", "distance"])
@pytest.mark.parametrize("given", [True, False])
def test_graphs_are_scikit_learns(mode, given):
    ours, theirs = KernelKNeighborsRegressor(kernel="linear").fit(X, t), KNeighborsRegressor().fit(X, t)
    A, B = (machine.kneighbors_graph(Z if given else None, 3, mode=mode) for machine in (ours, theirs))
    assert_allclose(A.toarray(), B.toarray(), atol=1e-12)


# ---- the kernel trick


SETS = [frozenset(rng.choice(9, size=rng.integers(1, 6), replace=False).tolist()) for _ in range(170)]
FEATURES = {
    "K5": (Polynomial(2), np.vstack([X, Z])),
    "K6": (Homogeneous(2), np.vstack([X, Z])),
    "K7": (Geometric(3), np.vstack([X, Z])),
    "K32": (SubsetCount(), SETS),
}


@pytest.mark.parametrize("name", FEATURES)
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_a_kernel_gives_what_its_features_give_T35(name, weights):
    k, items = FEATURES[name]
    F = np.asarray(k.feature_map(items), dtype=float)
    one = KernelKNeighborsRegressor(3, weights=weights, kernel=k).fit(items[:120], t)
    other = KernelKNeighborsRegressor(3, weights=weights, kernel="linear").fit(F[:120], t)
    D = mercer.distance(Linear(), F[120:], F[:120], squared=True)
    clear = np.diff(np.sort(D, axis=1)[:, 2:4], axis=1)[:, 0] > 1e-9  # where the third neighbour is no tie
    assert name == "K32" or clear.all()
    assert_allclose(one.predict(items[120:])[clear], other.predict(F[120:])[clear], atol=1e-6)
    if name == "K32":  # all numbers are whole, and ties go by position in both
        assert_array_equal(one.kneighbors(items[120:])[1], other.kneighbors(F[120:])[1])


# ---- ties


def test_equal_distances_go_by_position_M7():
    line = np.array([[1.0], [-1.0], [1.0], [-1.0]])
    for kernel in ("linear", "rbf", Similarity(lambda a, b: float(a[0] * b[0]))):
        m = KernelKNeighborsClassifier(2, kernel=kernel).fit(line, [0, 1, 1, 0])
        assert_array_equal(m.kneighbors([[0.0]], 3)[1], [[0, 1, 2]])
        assert_array_equal(m.kneighbors(n_neighbors=2)[1], [[2, 1], [3, 0], [0, 1], [1, 0]])


def test_equal_votes_go_to_the_nearest_neighbour_M7():
    line = np.array([[3.0], [1.0], [-2.0], [-4.0]])
    m = KernelKNeighborsClassifier(4, kernel="linear").fit(line, ["a", "b", "b", "a"])
    assert_array_equal(m.predict([[0.0], [2.6], [-3.9]]), ["b", "a", "a"])
    P = m.predict_proba([[0.0], [2.6]])
    assert_allclose(P, 0.5)
    assert_array_equal(m.classes_[P.argmax(axis=1)], ["b", "a"])
    codes = np.array([[2, 0, 1, 0, 2, 1], [1, 1, 0, 0, 2, 2]])
    assert_array_equal(shares(codes, None, 3).argmax(axis=1), [2, 1])


def test_copies_of_an_item_do_not_hide_it_from_itself():
    many = np.repeat([[0.0], [1.0]], 20, axis=0)
    index = KernelKNeighborsClassifier(3).fit(many, np.repeat([0, 1], 20)).kneighbors()[1]
    assert (index != np.arange(40)[:, None]).all()
    assert (many[index] == many[:, None]).all()


def test_an_item_at_distance_0_decides_alone():
    m = KernelKNeighborsRegressor(3, weights="distance").fit([[0.0], [1.0], [1.0], [5.0]], [1.0, 2.0, 4.0, 9.0])
    assert_allclose(m.predict([[1.0], [0.0]]), [3.0, 1.0])


# ---- any items, given matrices


def test_strings_and_sets_have_neighbours_I1_M7():
    words = ["anna", "hanna", "susanna", "otto", "lotto", "motto"]
    m = KernelKNeighborsClassifier(2, kernel=Normalised(Spectrum(2))).fit(words, ["f", "f", "f", "m", "m", "m"])
    assert_array_equal(m.predict(["johanna", "grotto"]), ["f", "m"])
    assert mercer.verify(m, words, ["f", "f", "f", "m", "m", "m"]).converged
    sets = [{1, 2}, {2, 3}, {1, 3}, {7, 8}, {8, 9}]
    r = KernelKNeighborsRegressor(2, kernel=Intersection()).fit(sets, [1.0, 1.0, 1.0, 5.0, 5.0])
    assert_array_equal(r.predict([{2, 3, 4}, {7, 9}]), [1.0, 5.0])


@pytest.mark.parametrize("k", [RBF(0.7), Polynomial(2), Normalised(Polynomial(3))], ids=repr)
def test_a_given_gram_is_as_good_as_items_I3(k):
    items = KernelKNeighborsClassifier(kernel=k).fit(X, y)
    given = KernelKNeighborsClassifier(kernel="precomputed").fit(k(X), y)
    assert_array_equal(given.predict_proba(k(Z, X)), items.predict_proba(Z))
    assert_array_equal(given.kneighbors(k(Z, X), return_distance=False), items.kneighbors(Z, return_distance=False))
    assert mercer.verify(given, k(X), y).converged
    if not isinstance(k, Polynomial):
        given = KernelKNeighborsRegressor(kernel="precomputed", weights="distance").fit(k(X), t)
        items = KernelKNeighborsRegressor(kernel=k, weights="distance").fit(X, t)
        assert_allclose(given.predict(k(Z, X)), items.predict(Z), rtol=1e-6)
        assert_allclose(given.kneighbors(k(Z, X))[0], items.kneighbors(Z)[0], atol=1e-7)


def test_distances_to_new_items_of_a_given_gram_need_a_constant_diagonal():
    K = Polynomial(2)(X)
    m = KernelKNeighborsClassifier(kernel="precomputed", weights="distance").fit(K, y)
    for ask in (m.predict, m.kneighbors):
        with pytest.raises(ValueError, match=r"k\(x, x\) of the training items must be the same number.*uniform"):
            ask(K)
    with pytest.raises(ValueError, match="X must be given for a precomputed kernel"):
        m.kneighbors(return_distance=False)


# ---- laws


@pytest.mark.parametrize("machine", [KernelKNeighborsClassifier(4), KernelKNeighborsRegressor(4, weights="distance")])
def test_the_order_of_training_items_is_immaterial(machine):
    p = np.random.default_rng(2).permutation(len(X))
    target = y if isinstance(machine, KernelKNeighborsClassifier) else t
    one = machine.fit(X, target).predict(Z)
    other = machine.fit(X[p], target[p]).predict(Z)
    assert_array_equal(one, other) if one.dtype.kind == "U" else assert_allclose(one, other)


def test_the_limits_1_and_n():
    assert_array_equal(KernelKNeighborsClassifier(1).fit(X, y).predict(X), y)
    mean = KernelKNeighborsRegressor(120).fit(X, t).predict(Z)
    assert_allclose(mean, np.tile(t.mean(axis=0), (50, 1)))


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_and_single_precision_change_nothing(threads):
    A, B = rng.normal(size=(2000, 4)).astype(np.float32), rng.normal(size=(300, 4)).astype(np.float32)
    m = KernelKNeighborsRegressor().fit(A, A[:, 0])
    expected = KernelKNeighborsRegressor().fit(A.astype(float), A[:, 0]).predict(B.astype(float))
    with mercer.configure(threads=threads):
        assert_array_equal(m.predict(B), expected)


def test_log_probabilities_and_pickles_agree():
    m = KernelKNeighborsClassifier(3).fit(X, y)
    assert_allclose(np.exp(m.predict_log_proba(Z)), m.predict_proba(Z))
    assert_array_equal(pickle.loads(pickle.dumps(m)).predict(Z), m.predict(Z))


@pytest.mark.parametrize("kernel", [Spectrum(2), "rbf", "precomputed"], ids=str)
def test_model_files_bring_the_machine_back(kernel, tmp_path):
    items, new = (["abab", "baba", "cccc", "caca"], ["abba", "cccb"])
    target = ["u", "u", "v", "v"]
    if kernel == "rbf":
        items, new, target = X, Z, y
    if kernel == "precomputed":
        items, new, target = RBF()(X), RBF()(Z, X), y
    m = KernelKNeighborsClassifier(2, kernel=kernel).fit(items, target)
    mercer.save(m, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert_array_equal(again.predict_proba(new), m.predict_proba(new))
    assert_array_equal(again.kneighbors(new, return_distance=False), m.kneighbors(new, return_distance=False))


# ---- search


@pytest.mark.parametrize("kernel", ["rbf", "poly", RBF(0.5) * Linear() + 1.0], ids=str)
def test_a_search_with_a_shared_gram_is_a_grid_search_M7(kernel):
    grid = {"n_neighbors": [1, 2, 5, 8], "weights": ["uniform", "distance"]}
    for machine, target in (
        (KernelKNeighborsClassifier(kernel=kernel), y),
        (KernelKNeighborsRegressor(kernel=kernel), t),
    ):
        ours = KernelSearchCV(machine, grid, cv=3, return_train_score=True).fit(X, target)
        theirs = GridSearchCV(machine, grid, cv=3, return_train_score=True).fit(X, target)
        for scores in ("mean_test_score", "mean_train_score"):
            assert_allclose(ours.cv_results_[scores], theirs.cv_results_[scores], atol=1e-12)
        assert ours.best_params_ == theirs.best_params_


def test_a_search_over_kernels_computes_each_gram_once():
    calls = [0]

    def similarity(a, b):
        calls[0] += 1
        return float(len(set(a) & set(b)))

    words = ["".join(rng.choice(list("abcdefgh"), 5)) for _ in range(20)]
    grid = {"n_neighbors": [1, 2, 3, 4]}
    machine = KernelKNeighborsClassifier(kernel=Similarity(similarity), check_psd="off")
    KernelSearchCV(machine, grid, cv=4, refit=False).fit(words, np.arange(20) % 2)
    assert calls[0] <= 20 * 20 + 40


@pytest.mark.filterwarnings("ignore:One or more of the test scores")
def test_folds_with_too_few_items_are_told_as_failures():
    search = KernelSearchCV(KernelKNeighborsClassifier(kernel="poly"), {"n_neighbors": [2, 90]}, cv=3)
    with pytest.warns(FitFailedWarning, match="n_neighbors must be at most"):
        search.fit(X, y)
    assert search.best_params_ == {"n_neighbors": 2}


def test_weights_of_items_are_refused_by_a_search_too():
    search = KernelSearchCV(KernelKNeighborsClassifier(kernel="poly"), {"n_neighbors": [2, 3]}, error_score="raise")
    with pytest.raises(ValueError, match="sample_weight must be None"):
        search.fit(X, y, sample_weight=np.ones(120))


# ---- bad input


BAD = {
    "too many": (KernelKNeighborsClassifier(121), y, r"n_neighbors must be at most .*\(120\); got 121"),
    "no neighbours": (KernelKNeighborsClassifier(0), y, "n_neighbors must be an integer >= 1; got 0"),
    "half a neighbour": (KernelKNeighborsRegressor(1.5), t, "n_neighbors must be an integer >= 1; got 1.5"),
    "yes": (KernelKNeighborsRegressor(True), t, "n_neighbors must be an integer >= 1; got True"),
    "odd weights": (KernelKNeighborsRegressor(weights="near"), t, "weights must be 'uniform', 'distance' or a"),
    "one class": (KernelKNeighborsClassifier(), np.zeros(120), "y must be labels of two classes or more; got 1 class"),
    "odd policy": (KernelKNeighborsRegressor(check_psd="maybe"), t, "check_psd must be one of"),
    "two columns of labels": (KernelKNeighborsClassifier(), np.column_stack([y, y]), "y should be a 1d array"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments_are_refused_I5(name):
    machine, target, words = BAD[name]
    with pytest.raises(ValueError, match=words):
        machine.fit(X, target)


@pytest.mark.parametrize(("function", "words"), [
    (lambda d: d[:, 0], "numbers >= 0; got shape"),
    (lambda d: -d, "numbers >= 0; got negative"),
    (lambda d: d * np.nan, "numbers >= 0; got negative ones or some that are not finite"),
    (lambda d: 0.0 * d, "positive for a neighbour of every item; got 0 for all of item 0"),
])  # fmt: skip
def test_bad_weights_of_a_function_are_refused_I5(function, words):
    m = KernelKNeighborsRegressor(weights=function).fit(X, t)
    with pytest.raises(ValueError, match=rf"weights\(distances\) must be .*{words}"):
        m.predict(Z)


def test_bad_questions_are_refused_I5():
    m = KernelKNeighborsClassifier(3).fit(X, y)
    with pytest.raises(ValueError, match=r"at most the number of training items \(119\)"):
        m.kneighbors(n_neighbors=120)
    with pytest.raises(ValueError, match="mode must be one of"):
        m.kneighbors_graph(mode="weights")
    with pytest.raises(ValueError, match="3 features"):
        m.predict(Z[:, :2])
    with pytest.raises(NotFittedError):
        KernelKNeighborsClassifier().kneighbors(Z)


def test_an_indefinite_kernel_is_told_I6():
    K = -np.eye(20) + 0.1
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        KernelKNeighborsClassifier(kernel="precomputed").fit(K, np.arange(20) % 2)
    with pytest.raises(mercer.NotPositiveDefinite):
        KernelKNeighborsClassifier(kernel="precomputed", check_psd="raise").fit(K, np.arange(20) % 2)


# ---- proof


@pytest.mark.parametrize("kernel", ["rbf", Polynomial(3), "laplacian"], ids=str)
def test_neighbours_are_proved(kernel):
    m = KernelKNeighborsRegressor(4, kernel=kernel).fit(X, t)
    proof = mercer.verify(m, X, t)
    assert proof.converged
    assert proof.items == 120
    assert m.certificate_.converged
    assert "finds the 4 neighbours of 64 items again" in str(m.certificate_)


def test_a_missed_neighbour_is_found_out():
    m = KernelKNeighborsClassifier(4, kernel="linear").fit(X, y)
    m._kept = m._kept.keep(np.r_[1:120, 0])  # items in another order than their labels
    proof = mercer.verify(m, X, y)
    assert not proof.converged
    assert proof.gap > 0.0
    assert "some are not the nearest" in str(proof)


def test_other_targets_are_found_out():
    m = KernelKNeighborsClassifier(4).fit(X, y)
    assert "not those of the fit" in str(mercer.verify(m, X, y[::-1]))
    with pytest.raises(ValueError, match="y must be the targets of the fit"):
        mercer.verify(m, X)
    with pytest.raises(ValueError, match="the 120 samples the model was fitted on"):
        mercer.verify(m, X[:50], y[:50])
