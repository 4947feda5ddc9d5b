"""Time series, point sets, bits, rankings and group elements through five machines, as on their Gram (E28)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mercer
from mercer import SVC, GaussianProcessClassifier, KernelKNeighborsClassifier, KernelPCA, KMedoids
from mercer.kernels import (
    RBF,
    Agreement,
    GlobalAlignment,
    Mallows,
    MeanEmbedding,
    Normalised,
    On,
    PositiveType,
    PyramidMatch,
    SignaturePDE,
    SlicedWasserstein,
    Tanimoto,
)

rng = np.random.default_rng(0)
n = 40
code = np.arange(n) % 2
y = np.array(["a", "b"])[code]
series = [np.sin(np.arange(m) / (2.0 + c))[:, None] + 0.1 * rng.normal(size=(m, 1))
          for m, c in zip(rng.integers(8, 20, n), code, strict=True)]  # fmt: skip
paths = [np.column_stack([np.arange(len(x)) / 5.0, x]) for x in series]
clouds = [rng.normal(size=(m, 2)) * (1.0 + c) + 5.0 for m, c in zip(rng.integers(5, 15, n), code, strict=True)]
members = rng.random((n, 64)) < np.where(code[:, None] == 1, np.linspace(0, 0.6, 64), np.linspace(0.6, 0, 64))
orders = [np.argsort(np.arange(6) * (1 - 2 * c) + rng.normal(size=6)) for c in code]
hours = (rng.integers(0, 8, n) + 12 * code) % 24

KINDS = {
    "alignment": (GlobalAlignment(1.0), series),
    "signature": (Normalised(SignaturePDE(1.5, refinement=2)), paths),
    "pyramid": (Normalised(PyramidMatch(8, side=0.25)), clouds),
    "means": (MeanEmbedding(RBF(1.0)), clouds),
    "sliced": (SlicedWasserstein(0.5), clouds),
    "bits": (Tanimoto(), np.packbits(members, axis=1)),
    "subsets": (Agreement(tuple(range(64))), [set(np.flatnonzero(row).tolist()) for row in members]),
    "rankings": (Mallows(0.3), orders),
    "hours": (PositiveType("Z24", lambda t: 0.8 ** min(t, 24 - t)), hours),
    "columns": (On("curve", GlobalAlignment(1.0)) + On("cloud", SlicedWasserstein(0.5)) + On("order", Mallows(0.3)),
                {"curve": series, "cloud": clouds, "order": [x.tolist() for x in orders]}),
}  # fmt: skip
kinds = pytest.mark.parametrize("kind", KINDS)


@kinds
def test_machines_on_items_are_those_on_their_gram_and_beat_the_majority_E28(kind):
    k, X = KINDS[kind]
    K = k(X)
    svc, given = SVC(kernel=k, C=10.0, tol=1e-8).fit(X, y), SVC(kernel="precomputed", C=10.0, tol=1e-8).fit(K, y)
    assert_allclose(svc.decision_function(X), given.decision_function(K), atol=1e-5)
    assert svc.score(X, y) > 0.7
    near = KernelKNeighborsClassifier(3, kernel=k).fit(X, y)
    assert_array_equal(near.predict(X), KernelKNeighborsClassifier(3, kernel="precomputed").fit(K, y).predict(K))
    assert near.score(X, y) > 0.7
    axes, same = KernelPCA(2, kernel=k).fit(X), KernelPCA(2, kernel="precomputed").fit(K)
    assert_allclose(axes.eigenvalues_, same.eigenvalues_, rtol=1e-6)
    process = GaussianProcessClassifier(kernel=k, optimizer=None).fit(X, y)
    assert process.score(X, y) > 0.7
    assert len(set(KMedoids(2, kernel=k, random_state=0).fit(X).labels_)) == 2


@kinds
def test_models_on_such_items_come_back_from_their_files(kind, tmp_path):
    k, X = KINDS[kind]
    machine = SVC(kernel=k, C=10.0).fit(X, y)
    mercer.save(machine, tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert_allclose(again.decision_function(X), machine.decision_function(X), rtol=1e-12)


def test_a_lengthscale_of_time_series_is_tuned_by_the_evidence():
    target = np.array([x.max() for x in series])
    found = mercer.GaussianProcessRegressor(kernel=1.0 * GlobalAlignment(1.0), alpha=1e-2).fit(series, target)
    assert (
        found.log_marginal_likelihood_value_
        > mercer.GaussianProcessRegressor(kernel=1.0 * GlobalAlignment(1.0), alpha=1e-2, optimizer=None)
        .fit(series, target)
        .log_marginal_likelihood_value_
    )
