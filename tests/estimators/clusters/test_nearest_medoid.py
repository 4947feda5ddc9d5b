"""The nearest-medoid classifier: the item nearest to the mean, several medoids, single items (M9, T35, I1, I3)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import NearestCentroid

import mercer
from mercer import NearestMedoidClassifier, verify
from mercer.kernels import RBF, Intersection, Normalised, Polynomial, Spectrum

rng = np.random.default_rng(0)
code = np.arange(60) % 3
y = np.array(["x", "y", "z"])[code]
X = rng.normal(size=(60, 2)) + 3.0 * np.array([[0, 0], [1, 0], [0, 1]])[code]
WORDS = ["".join(rng.choice(list("abcdef"[2 * c : 2 * c + 2]), size=10)) for c in code]
SETS = [set(rng.choice(range(8 * c, 8 * c + 7), size=5, replace=False).tolist()) for c in code]
KINDS = {"vectors": (RBF(1.0), X), "strings": (Normalised(Spectrum(2)), WORDS), "sets": (Intersection(), SETS)}


def test_with_the_linear_kernel_the_medoid_is_the_item_nearest_to_the_mean_M9():
    m = NearestMedoidClassifier().fit(X, y)
    for c, medoid in zip(range(3), m.medoid_indices_, strict=True):
        own = np.flatnonzero(code == c)
        assert medoid == own[np.argmin(((X[own] - X[own].mean(axis=0)) ** 2).sum(axis=1))]
    Z = rng.normal(size=(500, 2)) + 1.5
    assert np.mean(m.predict(Z) == NearestCentroid().fit(X, y).predict(Z)) > 0.9


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_medoids", [1, 4])
def test_items_of_every_kind_and_their_gram_give_the_same_classes_I1_I3(kind, n_medoids):
    k, items = KINDS[kind]
    K = k(items)
    direct = NearestMedoidClassifier(n_medoids, kernel=k, random_state=0).fit(items, y)
    given = NearestMedoidClassifier(n_medoids, kernel="precomputed", random_state=0).fit(K, y)
    assert_array_equal(direct.medoid_indices_, given.medoid_indices_)
    assert_array_equal(direct.predict(items), given.predict(K))
    assert direct.score(items, y) > 0.8
    assert_array_equal(code[direct.medoid_indices_], direct.medoid_classes_)


def test_a_kernel_is_the_linear_kernel_on_its_features_T35():
    k = Polynomial(2, gamma=0.3)
    one = NearestMedoidClassifier(3, kernel=k, random_state=0).fit(X, y)
    other = NearestMedoidClassifier(3, random_state=0).fit(k.feature_map(X), y)
    assert_array_equal(one.medoid_indices_, other.medoid_indices_)
    assert_array_equal(one.predict(X), other.predict(k.feature_map(X)))


def test_every_class_is_proved_M9():
    m = NearestMedoidClassifier(3, random_state=0).fit(X, y)
    again = verify(m, X, y)
    assert len(again.parts) == len(m.certificate_.parts) == 3
    assert again.swap_optimal
    assert again.loss == pytest.approx(m.certificate_.loss)
    with pytest.raises(ValueError, match="verify: y must be the labels of the fit"):
        verify(m, X)


def test_a_class_with_one_item_is_that_item_M9():
    few = np.r_[np.flatnonzero(code < 2), 2]
    m = NearestMedoidClassifier(4, random_state=0).fit(X[few], y[few])
    assert m.predict(X[2:3]) == ["z"]
    assert np.bincount(m.medoid_classes_).tolist() == [4, 4, 1]
    assert m.certificate_.swap_optimal


def test_weights_metrics_files_and_search(tmp_path):
    w = np.where(np.arange(60) % 4 == 0, 0.0, 1.0)
    some = np.flatnonzero(w)
    m = NearestMedoidClassifier(2, kernel=None, metric="manhattan", random_state=0).fit(X, y, sample_weight=w)
    other = NearestMedoidClassifier(2, kernel=None, metric="manhattan", random_state=0).fit(X[some], y[some])
    assert_array_equal(m.medoid_indices_, some[other.medoid_indices_])
    mercer.save(m, tmp_path / "m.mercer")
    assert_array_equal(mercer.load(tmp_path / "m.mercer").predict(X), m.predict(X))
    search = mercer.KernelSearchCV(NearestMedoidClassifier(random_state=0), {"n_medoids": [1, 3]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.8


@pytest.mark.parametrize(
    "options", [{"kernel": None, "metric": "manhattan"}, {"kernel": RBF(1.0)}, {"distance": "plain"}]
)
def test_a_search_with_shared_grams_is_that_of_scikit_learn_I4(options):
    machine, grid = NearestMedoidClassifier(random_state=0, **options), {"n_medoids": [1, 2, 5]}
    ours, theirs = (search(machine, grid, cv=3).fit(X, y) for search in (mercer.KernelSearchCV, GridSearchCV))
    assert_array_equal(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])


@pytest.mark.parametrize(("options", "words"), [
    ({"n_medoids": 0}, "n_medoids must be an integer >= 1"),
    ({"init": [0, 1]}, "init must be the name of a start"),
    ({"method": "best"}, "method must be one of"),
])  # fmt: skip
def test_what_is_refused_I5(options, words):
    with pytest.raises(ValueError, match=f"^NearestMedoidClassifier: {words}"):
        NearestMedoidClassifier(**options).fit(X, y)
    with pytest.raises(ValueError, match="two classes or more"):
        NearestMedoidClassifier().fit(X, np.zeros(60))
