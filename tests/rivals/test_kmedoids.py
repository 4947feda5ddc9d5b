"""Our medoids against the package `kmedoids`: the same optima from the same starts, the same silhouettes (M8)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits, load_iris

from mercer import KMedoids, medoid_silhouette, silhouette
from mercer.kernels import Linear

kmedoids = pytest.importorskip("kmedoids")
DATA = {"iris": load_iris().data, "digits": load_digits().data[:600]}


def distances(name):
    return KMedoids(1, distance="plain").distances(DATA[name]).dense()


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("k", [2, 5, 12])
def test_swaps_end_at_losses_as_low_as_theirs(name, k):
    D = distances(name)
    ours = [KMedoids(k, kernel=None, metric="precomputed", random_state=s).fit(D).inertia_ for s in range(10)]
    theirs = [kmedoids.fasterpam(D, k, random_state=s).loss for s in range(10)]
    assert np.mean(ours) <= 1.01 * np.mean(theirs)
    assert min(ours) <= 1.002 * min(theirs)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("k", [2, 5])
def test_the_greedy_start_and_the_best_swaps_are_theirs(name, k):
    D = distances(name)
    ours = KMedoids(k, kernel=None, metric="precomputed", method="pam", init="build").fit(D)
    assert_allclose(ours.inertia_, kmedoids.pam(D, k, init="build").loss, rtol=1e-9)


@pytest.mark.parametrize("name", DATA)
def test_silhouettes_are_theirs(name):
    D = distances(name)
    m = KMedoids(4, kernel=Linear(), distance="plain", random_state=0).fit(DATA[name])
    assert_allclose(silhouette(DATA[name], m.labels_).mean(), kmedoids.silhouette(D, m.labels_)[0], rtol=1e-9)
    ours = medoid_silhouette(DATA[name], m.medoid_indices_).mean()
    assert_allclose(ours, kmedoids.medoid_silhouette(D, m.medoid_indices_.astype(np.uint64))[0], rtol=1e-9)
