"""Classical scaling: exact on distances of points, and honest on others (SPEC M14, T29, T35)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.decomposition import PCA
from sklearn.metrics import pairwise_distances

import mercer
from mercer import ClassicalMDS, KernelPCA, configure
from mercer.estimators.embedding.classical_mds import NotEuclidean
from mercer.estimators.embedding.dissimilarities import KernelDistances, far_apart
from mercer.estimators.training_data import KernelItems
from mercer.kernels import RBF, Geometric, Homogeneous, Linear, Normalised, Polynomial, Spectrum, SubsetCount

rng = np.random.default_rng(0)
n = 80
X = rng.normal(size=(n, 3)) * [3.0, 2.0, 1.0] + 4.0
new = rng.normal(size=(6, 3)) + 4.0
D = cdist(X, X)
WORDS = ["".join(rng.choice(list("abcd"), size=8)) for _ in range(40)]
SETS = [set(rng.choice(5, size=3).tolist()) for _ in range(40)]


def up_to_sign(A, B, **tolerance):
    assert_allclose(A * np.sign(np.sum(A * B, axis=0)), B, **tolerance)


def test_euclidean_distances_are_recovered_M14():
    for model, items in ((ClassicalMDS(3), X), (ClassicalMDS(3, metric="precomputed"), D)):
        Y = model.fit_transform(items)
        assert_allclose(cdist(Y, Y), D, atol=1e-9)
        assert_allclose(model.dissimilarity_matrix_, D, atol=1e-6)
        assert model.negative_mass_ < 1e-12


def test_pca_kernel_pca_and_scaling_are_one_thing_T29():
    scores = PCA(3).fit(X)
    by_kernel = KernelPCA(3).fit(X)
    by_distance = ClassicalMDS(3, metric="precomputed").fit(D)
    up_to_sign(scores.transform(X), by_kernel.transform(X), atol=1e-9)
    up_to_sign(by_distance.embedding_, by_kernel.transform(X), atol=1e-9)
    up_to_sign(scores.transform(new), by_kernel.transform(new), atol=1e-9)
    up_to_sign(by_distance.transform(cdist(new, X)), by_kernel.transform(new), atol=1e-9)
    H = np.eye(n) - 1.0 / n
    assert_allclose(-0.5 * H @ D**2 @ H, H @ X @ X.T @ H, atol=1e-10)


@pytest.mark.parametrize(("kernel", "items"), [
    (RBF(2.0), X), (Normalised(Spectrum(2)), WORDS), (SubsetCount(), SETS),
])  # fmt: skip
def test_kernel_distances_give_the_scores_of_kernel_pca_M14(kernel, items):
    train, other = items[:30], items[30:]
    scaled, scored = ClassicalMDS(3, kernel=kernel).fit(train), KernelPCA(3, kernel=kernel).fit(train)
    up_to_sign(scaled.embedding_, scored.transform(train), atol=1e-9)
    up_to_sign(scaled.transform(other), scored.transform(other), atol=1e-9)
    distances = mercer.distance(kernel, train)
    given = ClassicalMDS(3, metric="precomputed").fit(distances)
    up_to_sign(given.embedding_, scaled.embedding_, atol=1e-7)
    assert_allclose(scaled.dissimilarity_matrix_, distances, atol=1e-7)


MAPS = {
    "polynomial": (Polynomial(2, gamma=0.5, offset=1.0), X),
    "homogeneous": (Homogeneous(2), X),
    "geometric": (Geometric(3), X[:, :2] / 5.0),
    "subsets": (SubsetCount(), SETS),
}


@pytest.mark.parametrize("name", MAPS)
def test_kernel_run_equals_run_on_the_explicit_map_T35(name):
    k, items = MAPS[name]
    F = np.asarray(k.feature_map(items), dtype=float)
    by_kernel, by_map = ClassicalMDS(2, kernel=k).fit(items), ClassicalMDS(2).fit(F)
    up_to_sign(by_kernel.embedding_, by_map.embedding_, atol=1e-7 * np.sqrt(by_map.eigenvalues_[0]))


def test_new_items_of_any_metric_and_kind_are_placed():
    model = ClassicalMDS(2, metric="sqeuclidean", metric_params=None)
    with pytest.warns(NotEuclidean):
        model.fit(X)
    assert_allclose(model.transform(X), model.embedding_, atol=1e-8)

    def differ(a, b):
        return float(np.sqrt(sum(x != y for x, y in zip(a, b, strict=True))))

    words = ClassicalMDS(2, metric=differ).fit(WORDS)
    assert_allclose(words.transform(WORDS), words.embedding_, atol=1e-9)
    exact = ClassicalMDS(2, metric="precomputed").fit(np.array([[differ(a, b) for b in WORDS] for a in WORDS]))
    assert_allclose(words.embedding_, exact.embedding_, atol=1e-9)


# ---- distances that are none


def test_negative_eigenvalues_are_reported_with_their_mass_and_dropped_M14():
    D1 = pairwise_distances(X, metric="cityblock")
    with pytest.warns(NotEuclidean, match=r"negative eigenvalues with \d+\.\d% of the spectrum"):
        model = ClassicalMDS(n, metric="precomputed").fit(D1)
    H = np.eye(n) - 1.0 / n
    values = np.linalg.eigvalsh(-0.5 * H @ D1**2 @ H)
    negative = values[values < -1e-9]
    assert_allclose(model.negative_eigenvalues_, negative, rtol=1e-6, atol=1e-9)
    assert_allclose(model.negative_mass_, -negative.sum() / abs(values).sum(), rtol=1e-8)
    assert (model.eigenvalues_ >= 0.0).all()
    positive = int((values > 1e-9).sum())
    assert_array_equal(model.embedding_[:, positive + 1 :], 0.0)
    assert np.isfinite(model.transform(D1)).all()


def test_more_components_than_rank_and_constant_items_are_zero():
    Y = ClassicalMDS(6).fit_transform(X)
    assert_array_equal(Y[:, 3:], 0.0)
    assert ClassicalMDS(200).fit_transform(X).shape == (n, 200)
    assert_array_equal(ClassicalMDS(2).fit_transform(np.ones((5, 3))), 0.0)


@pytest.mark.parametrize(("options", "message"), [
    ({"n_components": 0}, "n_components must be an integer >= 1; got 0"),
    ({"n_landmarks": -1}, "n_landmarks must be an integer >= 1 or None"),
    ({"metric": 3}, "metric must be a name, a function"),
    ({"eigen_solver": "best"}, "eigen_solver must be one of"),
    ({"tol": np.inf}, "tol must be a finite number"),
])  # fmt: skip
def test_bad_arguments_are_refused_by_name_I5(options, message):
    with pytest.raises(ValueError, match=message):
        ClassicalMDS(**options).fit(X)


def test_bad_matrices_are_refused_I5():
    with pytest.raises(ValueError, match="X must be distances >= 0; got -"):
        ClassicalMDS(metric="precomputed").fit(-D)
    with pytest.raises(ValueError, match=r"distances to the 80 items|features"):
        ClassicalMDS(metric="precomputed").fit(D).transform(D[:, :7])


# ---- landmarks


@pytest.mark.parametrize("source", ["vectors", "kernel", "metric", "precomputed"])
def test_landmarks_place_all_items_and_are_exact_where_they_span_them_M14(source):
    made = {
        "vectors": (ClassicalMDS(3, n_landmarks=12), X),
        "kernel": (ClassicalMDS(3, n_landmarks=12, kernel=Linear()), X),
        "metric": (ClassicalMDS(3, n_landmarks=12, metric="minkowski", metric_params={"p": 2}), X),
        "precomputed": (ClassicalMDS(3, n_landmarks=12, metric="precomputed"), D),
    }
    model, items = made[source]
    Y = model.fit_transform(items)
    assert len(model.landmarks_) == 12
    assert_allclose(cdist(Y, Y), D, atol=1e-8)  # three dimensions are spanned by a dozen points
    assert_allclose(model.transform(items if source != "precomputed" else D), Y, atol=1e-9)
    with pytest.raises(AttributeError, match="after a fit to all items"):
        _ = model.dissimilarity_matrix_


def test_landmarks_are_far_apart():
    blobs = np.repeat([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]], 30, axis=0) + 0.1 * rng.normal(size=(90, 2))
    chosen = far_apart(KernelDistances(KernelItems.of(Linear(), blobs)), 3, seed=0)
    assert sorted(chosen // 30) == [0, 1, 2]
    assert len(far_apart(KernelDistances(KernelItems.of(Linear(), np.ones((5, 2)))), 3, seed=0)) == 1  # all are equal


def test_distances_that_do_not_fit_take_landmarks():
    Z = rng.normal(size=(400, 2))
    with configure(memory=2**20), pytest.warns(NotEuclidean):
        model = ClassicalMDS(2, metric="cityblock", n_landmarks=None).fit(Z[:390])
    assert model.landmarks_ is not None
    assert model.embedding_.shape == (390, 2)


def test_verify_makes_the_proof_again():
    model = ClassicalMDS(3, kernel=RBF(2.0)).fit(X)
    assert mercer.verify(model, X).converged
    model.embedding_ = model.embedding_ * [1.0, 1.0, 1.1]
    assert not mercer.verify(model, X).converged
    with pytest.raises(ValueError, match="fitted to all items"):
        mercer.verify(ClassicalMDS(2, n_landmarks=5).fit(X), X)
