"""Strings, sets, graphs, hidden Markov sequences and more through five machines: as on their Gram, and not by chance.

Every machine learns from 40 items and is judged on 20 others, of which two thirds are in one class (E28).
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.experiments.structured_items import KINDS, some, test, train, y

from mercer import SVC, GaussianProcessClassifier, KernelKNeighborsClassifier, KernelPCA, KMedoids

MAJORITY = float(np.mean(y[test] == "many"))
kinds = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def grams():
    """The Grams of a kind: of the training items, and of the others with them; the kernel learns from the former."""
    found = {}

    def of(kind):
        if kind not in found:
            k, X = KINDS[kind]
            k = k.fit(some(X, train)) if k.learned else k
            found[kind] = k(some(X, train)), k(some(X, test), some(X, train))
        return found[kind]

    return of


def pair(machine, kind, grams):
    """The same machine on items and on their Gram, and what each of them takes for the held-out items."""
    k, X = KINDS[kind]
    K, C = grams(kind)
    items, new = some(X, train), some(X, test)
    return machine(k).fit(items, y[train]), machine("precomputed").fit(K, y[train]), new, C


def better_than_majority(answers):
    return np.mean(answers == y[test]) > MAJORITY


@kinds
def test_support_vectors_E28(kind, grams):
    direct, given, new, C = pair(lambda k: SVC(kernel=k, C=10.0, tol=1e-8), kind, grams)
    assert_allclose(direct.decision_function(new), given.decision_function(C), atol=1e-5)
    assert better_than_majority(direct.predict(new))


@kinds
def test_neighbours_E28(kind, grams):
    direct, given, new, C = pair(lambda k: KernelKNeighborsClassifier(3, kernel=k), kind, grams)
    assert_array_equal(direct.predict(new), given.predict(C))
    assert better_than_majority(direct.predict(new))


@kinds
def test_processes_E28(kind, grams):
    direct, given, new, C = pair(lambda k: GaussianProcessClassifier(k, optimizer=None), kind, grams)
    assert_array_equal(direct.predict(new), given.predict(C))
    assert better_than_majority(direct.predict(new))


@kinds
def test_principal_axes_E28(kind, grams):
    direct, given, new, C = pair(lambda k: KernelPCA(6, kernel=k), kind, grams)
    assert_allclose(abs(direct.transform(new)), abs(given.transform(C)), atol=1e-6)
    axes = given.transform(grams(kind)[0])
    near = KernelKNeighborsClassifier(3, kernel="linear").fit(axes, y[train])
    assert better_than_majority(near.predict(given.transform(C)))


@kinds
def test_medoids_E28(kind, grams):
    """A cluster stands for the class that most of its training items have."""
    direct, given, new, C = pair(lambda k: KMedoids(8, kernel=k, random_state=0), kind, grams)
    assert_array_equal(direct.medoid_indices_, given.medoid_indices_)
    assert_array_equal(direct.labels_, given.labels_)
    assert_array_equal(direct.predict(new), given.predict(C))
    few = np.array([np.mean(y[train][direct.labels_ == cluster] == "few") > 0.5 for cluster in range(8)])
    assert better_than_majority(np.where(few[direct.predict(new)], "few", "many"))
