"""Kernel k-means: k-means on the features, a loss that never rises, and features from few items (T35, I1, I3, I5)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans

import mercer
from mercer import KernelKMeans, NotConverged, verify
from mercer.gram import StoredGram
from mercer.kernels import RBF, FeatureMap, Intersection, Linear, Normalised, Polynomial, Spectrum, TfIdf
from mercer.solvers.kernel_k_means import lloyd

rng = np.random.default_rng(0)
code = np.arange(60) % 3
X = rng.normal(size=(60, 2)) + 5.0 * np.array([[0, 0], [1, 0], [0, 1]])[code]
WORDS = ["".join(rng.choice(list("abcdef"[2 * c : 2 * c + 2]), size=10)) for c in code]
SETS = [set(rng.choice(range(8 * c, 8 * c + 7), size=5, replace=False).tolist()) for c in code]
KINDS = {
    "vectors": (RBF(1.0), X),
    "strings": (Normalised(Spectrum(2)), WORDS),
    "sets": (Intersection(), SETS),
    "documents": (TfIdf(), [" ".join(word) for word in WORDS]),
}


def means_loss(Z, labels, w):
    """sum_i w_i |z_i - mean of its cluster|^2."""
    total = 0.0
    for c in np.unique(labels):
        own = labels == c
        mean = np.average(Z[own], axis=0, weights=w[own])
        total += float(w[own] @ ((Z[own] - mean) ** 2).sum(axis=1))
    return total


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["exact", "nystrom"])
def test_items_of_every_kind_and_their_gram_have_the_same_clusters_I1_I3(kind, method):
    k, items = KINDS[kind]
    K = k.fit(items)(items)
    direct = KernelKMeans(3, kernel=k, method=method, random_state=0).fit(items)
    given = KernelKMeans(3, kernel="precomputed", method=method, random_state=0).fit(K)
    assert_array_equal(direct.labels_, given.labels_)
    assert_array_equal(direct.predict(items), direct.labels_)
    assert_array_equal(given.predict(K), given.labels_)
    assert len(set(zip(direct.labels_, code, strict=True))) == 3
    assert_allclose(given.transform(K, np.diagonal(K)), direct.transform(items), atol=1e-6)


@pytest.mark.parametrize("k", [Polynomial(2, gamma=0.3), Linear(), Polynomial(3, gamma=0.1)], ids=repr)
def test_a_kernel_is_the_linear_kernel_on_its_features_T35(k):
    w = 0.5 + rng.random(60)
    one = KernelKMeans(4, kernel=k, random_state=2).fit(X, sample_weight=w)
    Z = k.feature_map(X)
    other = KernelKMeans(4, kernel="linear", random_state=2).fit(Z, sample_weight=w)
    assert_array_equal(one.labels_, other.labels_)
    assert_allclose(one.inertia_, means_loss(Z, one.labels_, w))
    centres = np.array([np.average(Z[one.labels_ == c], axis=0, weights=w[one.labels_ == c]) for c in range(4)])
    assert_allclose(one.transform(X), np.sqrt(((Z[:, None] - centres) ** 2).sum(axis=2)), atol=1e-5)


def test_with_the_linear_kernel_it_is_as_good_as_k_means():
    theirs = KMeans(5, n_init=10, random_state=0).fit(X).inertia_
    assert KernelKMeans(5, kernel="linear", n_init=10, random_state=0).fit(X).inertia_ <= 1.02 * theirs


@given(seed=st.integers(0, 10**6), k=st.integers(1, 7))
def test_the_loss_never_rises_and_ends_at_a_fixed_point(seed, k):
    random = np.random.default_rng(seed)
    Z = random.normal(size=(25, 2))
    K, w, start = RBF(0.7)(Z), random.uniform(0.1, 2.0, 25), random.integers(0, k, 25)
    found = lloyd(StoredGram.of(K), np.diagonal(K), w, start, k, 100)
    assert found.proof.never_rises
    assert found.proof.converged
    assert (np.bincount(found.labels, minlength=k) > 0).all()
    values, vectors = np.linalg.eigh(K)
    Phi = vectors * np.sqrt(np.maximum(values, 0.0))
    assert_allclose(found.proof.loss, means_loss(Phi, found.labels, w), atol=1e-7)


def test_rings_are_parted_where_k_means_cannot():
    angle = rng.uniform(0.0, 2.0 * np.pi, 200)
    ring = np.arange(200) % 2
    Z = (1.0 + 4.0 * ring + 0.1 * rng.normal(size=200))[:, None] * np.c_[np.cos(angle), np.sin(angle)]

    def radius(V):
        return np.sqrt((V**2).sum(axis=1))[:, None]

    found = KernelKMeans(2, kernel=FeatureMap(radius), n_init=5, random_state=0).fit(Z).labels_
    plain = KMeans(2, n_init=5, random_state=0).fit(Z).labels_
    agreement = [max(np.mean(labels == ring), np.mean(labels != ring)) for labels in (found, plain)]
    assert agreement[0] == 1.0
    assert agreement[1] < 0.9


def test_the_certificate_is_made_again_from_the_data_alone():
    for method in ("exact", "nystrom"):
        m = KernelKMeans(4, method=method, n_landmarks=30, random_state=0).fit(X)
        again = verify(m, X)
        assert m.certificate_.converged
        assert again.converged
        assert again.loss == pytest.approx(m.inertia_)
        assert "never rose; every item is at its nearest mean" in str(m.certificate_)
    m.labels_ = np.roll(m.labels_, 1)
    assert not verify(m, X).converged
    assert "some items are nearer to another mean" in str(verify(m, X))
    with pytest.raises(ValueError, match="verify: X must be the 60 items of the fit"):
        verify(m, X[:9])


def test_few_landmarks_come_near_and_keep_few_items():
    Z = np.repeat(X, 10, axis=0) + rng.normal(size=(600, 2))
    exact = KernelKMeans(3, kernel=RBF(2.0), random_state=0).fit(Z)
    few = KernelKMeans(3, kernel=RBF(2.0), method="nystrom", n_landmarks=40, random_state=0).fit(Z)
    assert len(few._kept) == 40
    proof = mercer.solvers.kernel_k_means.prove_means(
        StoredGram.of(RBF(2.0)(Z)), np.ones(600), np.ones(600), few.labels_, 3
    )
    assert proof.loss <= 1.01 * exact.inertia_
    with mercer.configure(memory=10**6):
        assert KernelKMeans(3, kernel=RBF(2.0), random_state=0).fit(Z).method_ == "nystrom"
    assert exact.method_ == "exact"


def test_weight_zero_is_absence_and_files_predict_alike(tmp_path):
    w = np.where(np.arange(60) % 4 == 0, 0.0, 1.0 + code)
    some = np.flatnonzero(w)
    one = KernelKMeans(3, gamma=0.2, random_state=0).fit(X, sample_weight=w)
    other = KernelKMeans(3, gamma=0.2, random_state=0).fit(X[some], sample_weight=w[some])
    assert_array_equal(one.labels_[some], other.labels_)
    assert_array_equal(one.labels_, one.predict(X))
    assert verify(one, X, sample_weight=w).converged
    mercer.save(one, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert_array_equal(again.predict(X), one.labels_)
    assert again.certificate_.losses == one.certificate_.losses


@pytest.mark.parametrize(("options", "words"), [
    ({"n_clusters": 61}, r"n_clusters must be at most the number of items \(60\); got 61"),
    ({"n_clusters": 0}, "n_clusters must be an integer >= 1"),
    ({"method": "fast"}, "method must be one of"),
    ({"n_init": 0}, "n_init must be an integer >= 1"),
    ({"n_landmarks": 0}, "n_landmarks must be an integer >= 1"),
    ({"max_iter": 0}, "max_iter must be an integer >= 1"),
])  # fmt: skip
def test_what_is_refused_I5(options, words):
    with pytest.raises(ValueError, match=f"^KernelKMeans: {words}"):
        KernelKMeans(**{"n_clusters": 3} | options).fit(X)


def test_constant_data_a_cluster_for_every_item_and_too_few_steps():
    m = KernelKMeans(3, random_state=0).fit(np.ones((8, 2)))
    assert m.inertia_ == pytest.approx(0.0, abs=1e-12)
    assert_array_equal(np.unique(m.labels_), [0, 1, 2])
    assert KernelKMeans(60, random_state=0).fit(X).inertia_ == pytest.approx(0.0, abs=1e-9)
    with pytest.warns(NotConverged, match="KernelKMeans ended after max_iter = 1 steps"):
        KernelKMeans(8, n_init=1, max_iter=1, random_state=0).fit(rng.normal(size=(200, 2)))
    with pytest.raises(ValueError, match=r"KernelKMeans: diagonal must be k\(x, x\) of the 5 new items"):
        KernelKMeans(2, kernel="precomputed", random_state=0).fit(X @ X.T).transform((X @ X.T)[:5])
