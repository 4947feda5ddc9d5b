"""Silhouettes against scikit-learn and the definition, and the number of clusters they choose."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import silhouette_samples

from mercer.gram import Distances
from mercer.solvers.medoids import Settings, choose_k, cluster, medoid_silhouette, silhouette

rng = np.random.default_rng(0)
CENTRES = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0], [8.0, 8.0]])
X = np.repeat(CENTRES, 30, axis=0) + rng.normal(size=(120, 2))
D = Distances.of_array(np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)), symmetric=True)
ONES = np.ones(120)


@pytest.mark.parametrize(
    "labels", [np.arange(120) % 3, np.arange(120) // 30, np.r_[np.zeros(119), 1.0], ["a", "b"] * 60]
)
def test_silhouettes_are_those_of_scikit_learn(labels):
    assert_allclose(silhouette(D, labels), silhouette_samples(X, labels), atol=1e-9)


def test_items_that_are_equal_or_alone_have_silhouette_0():
    same = Distances.of_array(np.zeros((4, 4)), symmetric=True)
    assert_array_equal(silhouette(same, np.array([0, 0, 1, 1])), 0.0)
    assert_array_equal(medoid_silhouette(same, np.array([0, 2])), 0.0)
    with pytest.raises(ValueError, match="labels must be of two clusters or more; got 1"):
        silhouette(same, np.zeros(4))
    with pytest.raises(ValueError, match="medoids must be two or more; got 1"):
        medoid_silhouette(same, np.array([0]))


def test_medoid_silhouettes_are_one_minus_a_ratio():
    near = np.sort(D.dense()[:, [3, 40, 70]], axis=1)
    assert_allclose(medoid_silhouette(D, np.array([3, 40, 70])), 1.0 - near[:, 0] / near[:, 1])


def test_the_number_of_clusters_is_found_and_every_loss_is_that_of_swaps():
    found = choose_k(D, ONES, [2, 3, 4, 6, 9], np.arange(0, 117, 13), 100)
    assert found.k == 4
    assert found.ks == (2, 3, 4, 6, 9)
    assert (np.diff(found.losses) < 0.0).all()
    assert str(found).startswith("k = 4, by the mean medoid silhouette (2: 0.")
    for k, loss, s, medoids in zip(found.ks, found.losses, found.silhouettes, found.medoids, strict=True):
        assert len(medoids) == k
        again = cluster(D, ONES, k, Settings("fasterpam", medoids), np.random.RandomState(0))
        assert_array_equal(again.medoids, medoids)
        assert_allclose(again.loss, loss)
        assert_allclose(medoid_silhouette(D, medoids).mean(), s)
