"""KMedoids: any kernel, any kind of item, given matrices, weights, proofs, and refusals (M8, T35, I1, I3, I5)."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics import pairwise_distances, silhouette_samples

import mercer
from mercer import KMedoids, MemoryBudgetError, NotConverged, medoid_silhouette, silhouette, verify
from mercer.kernels import RBF, Intersection, Linear, Normalised, Polynomial, Sigmoid, Spectrum, TfIdf

rng = np.random.default_rng(0)
code = np.arange(60) % 3
X = rng.normal(size=(60, 2)) + 6.0 * np.array([[0, 0], [1, 0], [0, 1]])[code]
WORDS = ["".join(rng.choice(list("abcdef"[2 * c : 2 * c + 2]), size=10)) for c in code]
SETS = [set(rng.choice(range(8 * c, 8 * c + 7), size=5, replace=False).tolist()) for c in code]
KINDS = {
    "vectors": (RBF(3.0), X),
    "sparse": (RBF(3.0), csr_array(X)),
    "strings": (Normalised(Spectrum(2)), WORDS),
    "sets": (Intersection(), SETS),
    "documents": (TfIdf(), [" ".join(word) for word in WORDS]),
}
METHODS = ("fasterpam", "pam", "alternate", "clara", "sampled", "auto")
kinds = pytest.mark.parametrize("kind", KINDS)
methods = pytest.mark.parametrize("method", METHODS)


def edits(a, b):
    """Positions in which two words differ."""
    return float(sum(p != q for p, q in zip(a, b, strict=True)))


def chosen(items, index):
    return items[index] if hasattr(items, "shape") else [items[i] for i in index]


def agrees(labels, truth):
    """Whether the clusters are the classes, under any names."""
    return len(set(zip(np.asarray(labels).tolist(), truth.tolist(), strict=True))) == len(set(truth.tolist()))


@kinds
@methods
def test_items_of_every_kind_and_their_gram_have_the_same_clusters_I1_I3(kind, method):
    k, items = KINDS[kind]
    direct = KMedoids(3, kernel=k, method=method, n_init=3, random_state=0).fit(items)
    K = k.fit(items)(items)
    given = KMedoids(3, kernel="precomputed", method=method, n_init=3, random_state=0).fit(K)
    assert_array_equal(direct.medoid_indices_, given.medoid_indices_)
    assert_array_equal(direct.labels_, given.labels_)
    assert_allclose(direct.inertia_, given.inertia_, rtol=1e-6)
    assert agrees(direct.labels_, code)
    assert_array_equal(direct.predict(items), direct.labels_)
    assert_array_equal(given.predict(K), given.labels_)
    assert_allclose(given.transform(K, np.diagonal(K)), direct.transform(items), atol=1e-9)
    assert given.cluster_centers_ is None


@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize("distance", ["squared", "plain"])
@methods
def test_a_kernel_is_the_linear_kernel_on_its_features_T35(degree, distance, method):
    Z = X - X.mean(axis=0)
    k = Polynomial(degree, gamma=0.3)
    settings = {"n_clusters": 4, "distance": distance, "method": method, "random_state": 3}
    one = KMedoids(kernel=k, **settings).fit(Z)
    other = KMedoids(kernel="linear", **settings).fit(k.feature_map(Z))
    assert_array_equal(one.medoid_indices_, other.medoid_indices_)
    assert_array_equal(one.labels_, other.labels_)
    assert_allclose(one.inertia_, other.inertia_)


def test_medoids_are_items_as_they_were_passed():
    for kind, (k, items) in KINDS.items():
        m = KMedoids(3, kernel=k, random_state=0).fit(items)
        centres, wanted = m.cluster_centers_, chosen(items, m.medoid_indices_)
        if kind == "sparse":
            assert_array_equal(centres.toarray(), wanted.toarray())
        elif kind == "vectors":
            assert_array_equal(centres, wanted)
        else:
            assert list(centres) == wanted


@pytest.mark.parametrize("metric", ["manhattan", "euclidean", "sqeuclidean", "chebyshev", "cosine"])
@methods
def test_a_metric_and_its_matrix_have_the_same_clusters(metric, method):
    Z = X + 10.0
    D = pairwise_distances(Z, metric=metric)
    direct = KMedoids(3, kernel=None, metric=metric, method=method, random_state=0).fit(Z)
    given = KMedoids(3, kernel=None, metric="precomputed", method=method, random_state=0).fit(D)
    assert_array_equal(direct.medoid_indices_, given.medoid_indices_)
    assert_allclose(given.inertia_, D[:, given.medoid_indices_].min(axis=1).sum())
    assert_allclose(direct.transform(Z[:7]), given.transform(D[:7]), atol=1e-6)
    assert_array_equal(direct.predict(Z), given.predict(D))
    assert given.__sklearn_tags__().input_tags.pairwise


def test_the_euclidean_metric_is_the_linear_kernel_T12():
    for metric, distance in (("euclidean", "plain"), ("sqeuclidean", "squared")):
        one = KMedoids(3, kernel=None, metric=metric, random_state=0).fit(X)
        other = KMedoids(3, kernel="linear", distance=distance, random_state=0).fit(X)
        assert_array_equal(one.medoid_indices_, other.medoid_indices_)
        assert_allclose(one.inertia_, other.inertia_)


def test_a_function_of_two_items_is_a_metric_on_anything_I1():
    D = np.array([[edits(a, b) for b in WORDS] for a in WORDS])
    direct = KMedoids(3, kernel=None, metric=edits, random_state=0).fit(WORDS)
    given = KMedoids(3, kernel=None, metric="precomputed", random_state=0).fit(D)
    assert_array_equal(direct.medoid_indices_, given.medoid_indices_)
    assert agrees(direct.labels_, code)
    assert_array_equal(direct.predict(WORDS), direct.labels_)
    assert direct.cluster_centers_ == [WORDS[i] for i in direct.medoid_indices_]
    assert verify(direct, WORDS).swap_optimal


def test_the_books_example_of_squares_and_plain_distances_M8():
    x = np.array([[0.0], [0.0], [0.0], [4.0], [10.0]])
    assert KMedoids(1, distance="plain").fit(x).cluster_centers_ == [[0.0]]
    assert KMedoids(1, distance="plain").fit(x).inertia_ == 14.0
    assert KMedoids(1).fit(x).cluster_centers_ == [[4.0]]
    assert KMedoids(1).fit(x).inertia_ == 84.0


# ---- weights


@methods
def test_weight_zero_is_absence_and_such_items_get_the_nearest_medoid_M8(method):
    w = np.where(np.arange(60) % 4 == 0, 0.0, 1.0 + code)
    some = np.flatnonzero(w)
    one = KMedoids(3, method=method, random_state=0).fit(X, sample_weight=w)
    other = KMedoids(3, method=method, random_state=0).fit(X[some], sample_weight=w[some])
    assert_array_equal(one.medoid_indices_, some[other.medoid_indices_])
    assert_allclose(one.inertia_, other.inertia_)
    assert_array_equal(one.labels_, one.predict(X))
    assert verify(one, X, sample_weight=w).loss == pytest.approx(one.inertia_)


def test_whole_weights_are_copies_M8():
    w = 1 + np.arange(60) % 3
    one = KMedoids(4, method="pam", init="build").fit(X, sample_weight=w)
    other = KMedoids(4, method="pam", init="build").fit(np.repeat(X, w, axis=0))
    assert_array_equal(one.cluster_centers_, other.cluster_centers_)
    assert_allclose(one.inertia_, other.inertia_)


# ---- the witness


@pytest.mark.parametrize("method", ["fasterpam", "pam"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_certificate_is_made_again_from_the_data_alone_M8(method, dtype):
    m = KMedoids(5, kernel="rbf", method=method, random_state=0).fit(X.astype(dtype))
    assert m.certificate_.swap_optimal
    assert m.certificate_.converged
    again = verify(m, X.astype(dtype))
    assert again.swap_optimal
    assert again.reason == "verified"
    assert_allclose(again.loss, m.inertia_, rtol=1e-5 if dtype == np.float32 else 1e-9)
    assert "Swap-optimal: no single swap" in str(again)


def test_medoids_that_a_swap_improves_are_not_proved_M8():
    m = KMedoids(3, random_state=0).fit(X)
    best = m.medoid_indices_.copy()
    m.medoid_indices_ = np.sort(np.r_[best[:2], np.setdiff1d(np.arange(60), best)[-1]])
    found = verify(m, X)
    assert not found.swap_optimal
    assert not found.converged
    assert f"item {found.item} in place of medoid {found.medoid}" in str(found)
    with pytest.raises(ValueError, match="verify: X must be the items of the fit"):
        verify(m, X[:3])


def test_what_a_sampled_search_did_not_look_at_is_said_and_verify_looks_M8():
    m = KMedoids(3, method="sampled", batch_size=20, random_state=0).fit(X)
    assert np.isnan(m.certificate_.change)
    assert "Not proven" in str(m.certificate_)
    assert np.isfinite(verify(m, X).change)


def test_rounds_that_do_not_suffice_are_warned_of_and_so_is_an_indefinite_kernel_I6():
    with pytest.warns(NotConverged, match="KMedoids ended after max_iter = 1 rounds"):
        KMedoids(5, method="pam", max_iter=1, random_state=0).fit(X)
    with pytest.warns(UserWarning, match="KMedoids: the kernel is not positive semi-definite"):
        KMedoids(2, kernel=Sigmoid(1.0, offset=-1.0), random_state=0).fit(X)
    with pytest.raises(mercer.NotPositiveDefinite, match="KMedoids"):
        KMedoids(2, kernel=Sigmoid(1.0, offset=-1.0), check_psd="raise").fit(X)


# ---- memory


def test_auto_is_sampled_where_memory_is_short_and_nothing_of_size_n_squared_is_made():
    Z = np.repeat(X, 20, axis=0) + rng.normal(size=(1200, 2))
    whole = KMedoids(3, random_state=0).fit(Z)
    with mercer.configure(memory=1200 * 1000 * 8):
        with pytest.raises(MemoryBudgetError, match="method='sampled'"):
            KMedoids(3).fit(Z)
        m = KMedoids(3, method="auto", random_state=0).fit(Z)
        assert m.method_ == "sampled"
        assert m.choose_k(Z[:, :1], [2, 3], None).k in (2, 3)
    assert KMedoids(3, method="auto").fit(Z).method_ == "fasterpam"
    assert m.inertia_ <= 1.03 * whole.inertia_
    assert_allclose(m.inertia_, (np.square(Z[:, None] - Z[m.medoid_indices_]).sum(2)).min(1).sum())
    assert_array_equal(m.labels_, m.predict(Z))


# ---- the number of clusters, silhouettes


def test_the_number_of_clusters_is_chosen_for_every_kind_of_item():
    for k, items in KINDS.values():
        machine = KMedoids(kernel=k, random_state=0)
        assert machine.choose_k(items, range(2, 7)).k == 3
        assert not hasattr(machine, "labels_")
    found = KMedoids(random_state=0).choose_k(X)
    assert found.ks == tuple(range(2, 11))
    assert KMedoids(3, init=found.medoids[1]).fit(X).inertia_ == pytest.approx(found.losses[1])


def test_silhouettes_of_any_kernel():
    assert_allclose(silhouette(X, code), silhouette_samples(X, code))
    manhattan = silhouette(X, code, metric="manhattan")
    assert_allclose(manhattan, silhouette_samples(X, code, metric="manhattan"))
    k = Normalised(Spectrum(2))
    D = mercer.distance(k, WORDS, squared=True)
    assert_allclose(silhouette(WORDS, code, kernel=k), silhouette_samples(D, code, metric="precomputed"), atol=1e-9)
    assert_allclose(silhouette(D, code, metric="precomputed"), silhouette(WORDS, code, kernel=k), atol=1e-9)
    near = np.sort(D[:, :3], axis=1)
    assert_allclose(medoid_silhouette(WORDS, [0, 1, 2], kernel=k), 1.0 - near[:, 0] / near[:, 1], atol=1e-9)


# ---- scikit-learn's ways, and files


def test_clones_pickles_and_nested_parameters_I4():
    m = KMedoids(3, kernel=RBF(1.0), random_state=0).set_params(kernel__lengthscale=2.0).fit(X)
    assert m.kernel == RBF(2.0)
    assert clone(m).get_params() == m.get_params()
    assert_array_equal(pickle.loads(pickle.dumps(m)).predict(X), m.labels_)
    assert_array_equal(m.fit_predict(X), m.labels_)
    assert_allclose(m.fit_transform(X), m.transform(X))
    assert m.get_feature_names_out().tolist() == ["kmedoids0", "kmedoids1", "kmedoids2"]


@kinds
def test_files_keep_the_medoids_only_I7(kind, tmp_path):
    k, items = KINDS[kind]
    m = KMedoids(3, kernel=k, random_state=0).fit(items)
    mercer.save(m, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert len(again._kept) == 3
    assert_array_equal(again.predict(items), m.labels_)
    assert str(again.certificate_) == str(m.certificate_)
    assert verify(again, items).swap_optimal


@pytest.mark.parametrize("options", [
    {"kernel": "precomputed"}, {"kernel": None, "metric": "precomputed"}, {"kernel": None, "metric": "manhattan"},
])  # fmt: skip
def test_files_of_given_matrices_and_metrics(options, tmp_path):
    D = pairwise_distances(X)
    items = X @ X.T if options["kernel"] else D if options["metric"] == "precomputed" else X
    m = KMedoids(3, random_state=0, **options).fit(items)
    mercer.save(m, tmp_path / "m.mercer")
    assert_array_equal(mercer.load(tmp_path / "m.mercer").predict(items), m.labels_)


def test_distances_to_medoids_from_a_given_gram_need_the_diagonal_of_new_items_I3():
    K = X @ X.T
    m = KMedoids(3, kernel="precomputed", random_state=0).fit(K)
    with pytest.raises(ValueError, match=r"KMedoids: diagonal must be k\(x, x\) of the 5 new items"):
        m.transform(K[:5])
    direct = KMedoids(3, kernel="linear", random_state=0).fit(X)
    assert_allclose(m.transform(K[:5], np.diagonal(K)[:5]), direct.transform(X[:5]), atol=1e-9)
    assert_allclose(KMedoids(3, kernel="precomputed", random_state=0).fit_transform(K), direct.transform(X), atol=1e-9)
    unit = RBF(1.0)(X)
    alike = KMedoids(3, kernel="precomputed", random_state=0).fit(unit)
    assert_allclose(alike.transform(unit[:5]), KMedoids(3, kernel=RBF(1.0), random_state=0).fit(X).transform(X[:5]),
                    atol=1e-9)  # fmt: skip


# ---- bad input


@pytest.mark.parametrize(("options", "words"), [
    ({"n_clusters": 61}, r"n_clusters must be at most the number of items \(60\); got 61"),
    ({"n_clusters": 0}, "n_clusters must be an integer >= 1; got 0"),
    ({"n_clusters": 2.5}, "n_clusters must be an integer >= 1"),
    ({"method": "paam"}, "method must be one of .*'fasterpam'.* got 'paam'"),
    ({"init": "best"}, "init must be one of .* got 'best'"),
    ({"init": [0, 1]}, "init must be the name of a start, or positions of 3 different items"),
    ({"init": [0, 1, 1]}, "init must be .* positions of 3 different items"),
    ({"init": [0, 1, 60]}, "init must be positions of items of positive weight"),
    ({"n_init": 0}, "n_init must be an integer >= 1"),
    ({"n_init": "many"}, "n_init must be an integer >= 1"),
    ({"max_iter": 0}, "max_iter must be an integer >= 1"),
    ({"batch_size": -1}, "batch_size must be an integer >= 1"),
    ({"distance": "cubed"}, r"distance must be one of \('squared', 'plain'\); got 'cubed'"),
    ({"kernel": None, "metric": "warped"}, "metric must be one of .*'manhattan'.* got 'warped'"),
    ({"kernel": None, "metric": None}, "metric must be one of .* or a function of two items; got None"),
    ({"kernel": None, "metric": "precomputed"}, "X must be dissimilarities >= 0 for metric='precomputed'; got -"),
    ({"check_psd": "no", "kernel": Sigmoid()}, "check_psd must be one of"),
])  # fmt: skip
def test_what_is_refused_I5(options, words):
    with pytest.raises(ValueError, match=f"^KMedoids: {words}"):
        KMedoids(**{"n_clusters": 3} | options).fit(X)


def test_more_is_refused_I5():
    D = np.abs(rng.normal(size=(6, 6)))
    with pytest.raises(ValueError, match="must be symmetric"):
        KMedoids(2, kernel=None, metric="precomputed").fit(D)
    with pytest.raises(ValueError, match="must be a square matrix"):
        KMedoids(2, kernel=None, metric="precomputed").fit(D[:4])
    with pytest.raises(ValueError, match="sample_weight must be positive for some"):
        KMedoids(2).fit(X, sample_weight=np.zeros(60))
    with pytest.raises(ValueError, match=r"n_clusters must be at most the number of items \(2\)"):
        KMedoids(3).fit(X, sample_weight=np.arange(60) < 2)
    with pytest.raises(ValueError, match="ks must be numbers of clusters, each 2 or more"):
        KMedoids().choose_k(X, [1, 2])
    with pytest.raises(ValueError, match="n_clusters must be at most the number of items"):
        KMedoids().choose_k(X[:5], [2, 9])
    with pytest.raises(ValueError, match="medoids must be positions of items"):
        medoid_silhouette(X, [0, 99])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        silhouette(X, code[:-1])


@methods
def test_constant_data_copies_and_a_medoid_for_every_item_M8(method):
    for Z in (np.ones((8, 2)), np.repeat(X[:2], 4, axis=0)):
        m = KMedoids(3, method=method, random_state=0).fit(Z)
        assert m.inertia_ == 0.0
        assert_array_equal(np.unique(m.labels_), [0, 1, 2])
        assert m.certificate_.swap_optimal
    m = KMedoids(60, method=method).fit(X)
    assert_array_equal(m.labels_, np.arange(60))
    assert KMedoids(1, method=method, random_state=0).fit(X[:1]).medoid_indices_.tolist() == [0]


def test_the_same_seed_has_the_same_medoids_on_any_number_of_threads():
    for method in METHODS:
        found = []
        for threads in (1, 2):
            with mercer.configure(threads=threads):
                found.append(KMedoids(6, kernel=Linear(), method=method, random_state=7).fit(X).medoid_indices_)
        assert_array_equal(*found)
