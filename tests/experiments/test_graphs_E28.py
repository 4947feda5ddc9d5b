"""Graphs through kNN, k-medoids, SVC, kernel PCA and a Gaussian process: as on their Gram, and not by chance (E28)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mercer
from mercer import (
    SVC,
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    KernelKNeighborsClassifier,
    KernelPCA,
    KMedoids,
)
from mercer.items import Graphs
from mercer.kernels import Normalised, Propagation, RandomWalk, ShortestPath, WeisfeilerLehman
from mercer.theory import certify

KERNELS = [
    Normalised(WeisfeilerLehman(2)),
    Normalised(WeisfeilerLehman(2, "assignment")),
    Normalised(ShortestPath()),
    Normalised(RandomWalk(0.02)),
    Normalised(Propagation(2)),
]
kernels = pytest.mark.parametrize("k", KERNELS, ids=repr)


def drawn(rng, ring):
    """A ring, mostly of C, or a tree, mostly of N, of 6 to 9 nodes."""
    n = int(rng.integers(6, 10))
    edges = [(i, (i + 1) % n) for i in range(n)] if ring else [(int(rng.integers(0, i)), i) for i in range(1, n)]
    labels = rng.choice(["C", "N"], size=n, p=[0.8, 0.2] if ring else [0.3, 0.7]).tolist()
    return {"n": n, "edges": edges, "node_labels": labels}


rng = np.random.default_rng(0)
y = np.arange(60) % 3 == 0  # the majority class has two thirds
X = [drawn(rng, bool(ring)) for ring in y]
train, test = np.arange(40), np.arange(40, 60)
MAJORITY = float(np.mean(~y[test]))


def some(index):
    return [X[i] for i in index]


def grams(k):
    K = k(X)
    return K[np.ix_(train, train)], K[np.ix_(test, train)]


@kernels
@pytest.mark.parametrize("machine", [SVC(C=10.0), KernelKNeighborsClassifier(3), GaussianProcessClassifier()],
                         ids=lambda m: type(m).__name__)  # fmt: skip
def test_classifiers_of_graphs_E28(machine, k):
    settings = machine.get_params(deep=False)
    fixed = {"optimizer": None} if "optimizer" in settings else {}
    direct = type(machine)(**settings | {"kernel": k} | fixed).fit(some(train), y[train])
    K, C = grams(k)
    given = type(machine)(**settings | {"kernel": "precomputed"} | fixed).fit(K, y[train])
    assert_array_equal(direct.predict(some(test)), given.predict(C))
    assert np.mean(direct.predict(some(test)) == y[test]) > MAJORITY


@kernels
def test_medoids_of_graphs_E28(k):
    direct = KMedoids(2, kernel=k, random_state=0).fit(X)
    given = KMedoids(2, kernel="precomputed", random_state=0).fit(k(X))
    assert_array_equal(direct.medoid_indices_, given.medoid_indices_)
    assert_array_equal(direct.labels_, given.labels_)
    agree = np.mean(direct.labels_ == y)
    assert max(agree, 1.0 - agree) > np.mean(~y)


@kernels
def test_principal_axes_of_graphs_E28(k):
    direct = KernelPCA(2, kernel=k).fit(some(train))
    K, C = grams(k)
    given = KernelPCA(2, kernel="precomputed").fit(K)
    assert_allclose(direct.transform(some(test)), given.transform(C), atol=1e-8)
    near = KernelKNeighborsClassifier(3, kernel="linear").fit(direct.transform(some(train)), y[train])
    assert np.mean(near.predict(direct.transform(some(test))) == y[test]) > MAJORITY


@kernels
def test_processes_of_graphs_E28(k):
    """The share of N among the nodes, against its mean."""
    share = np.array([graph["node_labels"].count("N") / graph["n"] for graph in X])
    kernel = 0.1 * k
    direct = GaussianProcessRegressor(kernel, alpha=0.01, optimizer=None, noise=None).fit(some(train), share[train])
    assert_allclose(direct.predict(some(test)), _posterior(kernel, share), rtol=1e-6)
    error = np.mean((direct.predict(some(test)) - share[test]) ** 2)
    assert error < np.mean((share[train].mean() - share[test]) ** 2)


def _posterior(k, share):
    K, C = grams(k)
    return C @ np.linalg.solve(K + 0.01 * np.eye(len(K)), share[train])


def test_models_of_graphs_are_saved_and_proved_E28(tmp_path):
    machine = SVC(kernel=KERNELS[0], C=10.0).fit(some(train), y[train])
    mercer.save(machine, tmp_path / "graphs.mercer")
    again = mercer.load(tmp_path / "graphs.mercer")
    assert_array_equal(again.decision_function(some(test)), machine.decision_function(some(test)))
    assert mercer.verify(machine, some(train), y[train]).relative_gap < 1e-2
    assert certify(KERNELS[0], X).psd
    support = Graphs.check(machine.support_vectors_, "test")
    assert support.fingerprint() == Graphs.check(some(machine.support_), "test").fingerprint()


def test_explicit_features_go_into_linear_machines_E28():
    k = WeisfeilerLehman(1)
    phi = k.feature_map(X)
    machine = SVC(kernel="linear").fit(phi[train], y[train])
    assert np.mean(machine.predict(phi[test]) == y[test]) > MAJORITY
